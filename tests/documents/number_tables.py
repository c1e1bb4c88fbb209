"""Tables of numbers on the pages, and where each number comes from: a file, a formula, or a measurement by hand.

A page's table has an entry (`Compared`), beside the tests of what it shows: in `core_numbers.py` here, and in
`numbers_of_WING.py` of the tests of a wing. A cell agrees if it is the value, rounded to the digits that it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pandas as pd
from snippets import FENCE, PAGES, ROOT

NUMBER: Final = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?")
MEASURED: Final = re.compile(r"\W*\d")
"""Beginning of a cell that is a number, and not a text with one."""
LEAST: Final = 4
"""Cells with a number, from which on a table is one of numbers."""


@dataclass(frozen=True)
class Table:
    """A table of a page; the first cells of a row repeat those above where they are empty."""

    page: str
    line: int
    heading: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def numeric(self) -> bool:
        """Whether it is a table of numbers."""
        cells = [cell for row in self.rows for cell in row[1:] if cell]
        numbers = sum(bool(MEASURED.match(cell)) for cell in cells)
        return numbers >= LEAST and numbers * 4 >= len(cells)


@dataclass(frozen=True)
class Within:
    """A value that a page shows rounded to other digits than those that its cell has."""

    value: float
    distance: float


@dataclass(frozen=True)
class Compared:
    """An entry: what the cells of a table are.

    Parameters
    ----------
    page, heading
        Where the table is.
    number
        Which of the tables of numbers below that heading.
    given
        Number of first columns that say what a row is of.
    cells
        Returns the values of the other columns by the cells of a row: numbers, tuples of the numbers in a cell, texts,
        sets of which one is the value, and None for what is measured by hand. All of a tuple agree with a cell that has
        one number.
    elsewhere
        The test that compares the table, in place of `cells`.
    by_hand
        Why the cells of None, or all without `cells`, are compared with nothing, and how to measure them.
    slow
        Whether the values take long.
    """

    page: str
    heading: str
    number: int = 0
    given: int = 1
    cells: Callable[..., Sequence[Any]] | None = None
    elsewhere: str = ""
    by_hand: str = ""
    slow: bool = False

    def __str__(self) -> str:
        return f"{self.page}-{self.heading}-{self.number}"


@cache
def tables(page: str) -> tuple[Table, ...]:
    """Return the tables of a page, outside of its fenced blocks."""
    found: list[Table] = []
    heading, fenced, lines = "", False, PAGES[page].read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(lines):
        fenced ^= bool(FENCE.match(line))
        if not fenced and line.startswith("#"):
            heading = line.lstrip("# ")
        if not fenced and line.startswith("|") and not lines[index - 1].startswith("|"):
            end = next(i for i in range(index, len(lines) + 1) if i == len(lines) or not lines[i].startswith("|"))
            header, _, *rows = (_cells(row) for row in lines[index:end])
            found.append(Table(page, index + 1, heading, header, _filled(rows)))
    return tuple(found)


def _cells(row: str) -> tuple[str, ...]:
    """Return the cells of a row; bars within are written with a backslash."""
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1]))


def _filled(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows with the first cell of the row above where it is empty."""
    filled: list[tuple[str, ...]] = []
    for first, *others in rows:
        filled.append((first or filled[-1][0], *others))
    return tuple(filled)


def number_tables() -> list[Table]:
    """Return the tables of numbers of all pages."""
    return [table for page in PAGES for table in tables(page) if table.numeric]


def found(entry: Compared) -> Table | None:
    """Return the table of an entry."""
    below = [one for one in number_tables() if (one.page, one.heading) == (entry.page, entry.heading)]
    return below[entry.number] if entry.number < len(below) else None


def differences(entry: Compared) -> Iterator[str]:
    """Yield each cell that is another than its value."""
    table = found(entry)
    assert table is not None
    assert entry.cells is not None
    for row in table.rows:
        values = entry.cells(*row)
        for name, cell, value in zip(table.header[entry.given :], row[entry.given :], values, strict=True):
            if value is None:
                if MEASURED.match(cell) and not entry.by_hand:
                    yield f"{table}: {row[0]}, {name}: {cell} is compared with nothing"
            elif not agrees(cell, value):
                yield f"{table}: {', '.join(row[: entry.given])}, {name}: {cell} for {value}"


def agrees(cell: str, value: Any) -> bool:
    """Return whether a cell shows a value, rounded to its digits."""
    if isinstance(value, set):
        return any(agrees(cell, one) for one in value)
    if isinstance(value, str):
        return cell.replace("**", "") == value
    values = value if isinstance(value, tuple) else (value,)
    shown = [number.replace(",", "").replace("−", "-") for number in NUMBER.findall(cell)]
    if len(shown) == 1:
        shown *= len(values)
    return len(shown) == len(values) and all(map(_rounded, shown, values))


def _rounded(shown: str, value: float | Within) -> bool:
    """Return whether a number is another one up to half of its last digit."""
    if not isinstance(value, Within):
        value = Within(value, 0.5 * 10.0 ** -len(shown.partition(".")[2]))
    return abs(float(shown) - value.value) <= value.distance * (1 + 1e-9)


@cache
def recorded(name: str, table: str = "trials") -> pd.DataFrame:
    """Return a table of the reference results of a scenario."""
    folder = ROOT / "results" / "reference" / name
    (path,) = folder.glob(f"{table}.csv*")
    return pd.read_csv(path, low_memory=False)
