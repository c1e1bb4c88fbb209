"""How a table fits a terminal: no word and no number is ever broken in two.

Where a table is too wide, headers go over several lines and texts are wrapped at spaces. If that is not enough, columns
are left out, those of the highest rank first, and if even the others do not fit, each row becomes a few lines. A pipe
has no width: every row stays a line there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

GAP: Final = 2
"""Spaces between two columns."""
INDENT: Final = 2
"""Spaces before the further lines of a row that takes several."""
STACKED: Final = 1
"""Highest rank of the columns that are shown where each row is several lines."""

Paint = Callable[[str, str], str]
"""Gives a cell its colour: from the cell, and from what stands on the line."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    header
        Its name.
    right
        Whether it is set flush right: numbers.
    rank
        Columns of the highest rank are left out first, those of rank 0 never.
    wraps
        Whether its cells are texts, which may be wrapped at spaces.
    least
        Letters that a wrapped text needs to be good to read.
    key
        Whether it says which row it is: it stands on the first line where a row is several lines.
    named
        Whether its cells need no header beside them there.
    source
        What it is called in the table on the disk, if it is in it.
    says
        What it means, to be told below the table.
    """

    header: str
    right: bool = False
    rank: int = 0
    wraps: bool = False
    least: int = 24
    key: bool = False
    named: bool = False
    source: str = ""
    says: str = ""


@dataclass(frozen=True)
class Layout:
    """A table as lines.

    Attributes
    ----------
    lines
        Header and rows.
    shown, left_out
        The columns, and those for which there was no room.
    """

    lines: list[str]
    shown: list[Column]
    left_out: list[Column]


def lay_out(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None, paint: Paint = lambda cell, text: text
) -> Layout:
    """Return a table as lines of at most `width` letters; None is as wide as it takes.

    A single word that is longer than the whole line stays whole, and is all that may stick out.
    """
    places = list(range(len(columns)))
    while True:
        shown = [columns[i] for i in places]
        cells = [[row[i] for i in places] for row in rows]
        widths = _widths(shown, cells, width)
        if widths is not None:
            lines = _table(shown, cells, widths, width, paint)
            break
        last = max(places, key=lambda i: (columns[i].rank, i))
        if not columns[last].rank:
            assert width is not None
            places = [i for i, column in enumerate(columns) if column.rank <= STACKED]
            shown = [columns[i] for i in places]
            lines = [line for row in rows for line in _stacked(shown, [row[i] for i in places], width, paint)]
            break
        places.remove(last)
    return Layout(lines, shown, [column for place, column in enumerate(columns) if place not in places])


def wrapped(text: str, width: int | None, *, indent: int = 0) -> list[str]:
    """Return a text as lines broken at spaces only; the further lines of a paragraph begin with so many spaces.

    Examples
    --------
    >>> wrapped("a sentence of some words", 12, indent=2)
    ['a sentence', '  of some', '  words']
    >>> wrapped("incomprehensibilities", 5), wrapped("", 5)
    (['incomprehensibilities'], [''])
    """
    paragraphs = [packed(line.split(), width, indent=indent, between=" ") for line in text.split("\n")]
    return [line for paragraph in paragraphs for line in paragraph or [""]]


def packed(parts: Sequence[str], width: int | None, *, indent: int = 0, between: str = "   ") -> list[str]:
    """Return parts as lines, as many on each as fit; one that is longer than a line is wrapped at its spaces.

    Examples
    --------
    >>> packed(["64 sites", "alpha 0.1"], 20, between=" · "), packed(["64 sites", "alpha 0.1"], 19, between=" · ")
    (['64 sites · alpha 0.1'], ['64 sites', 'alpha 0.1'])
    """
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{between}{part}" if lines else part
        if lines and (width is None or len(longer) <= width):
            lines[-1] = longer
        elif width is not None and len(part) + indent > width and " " in part:
            lines += [" " * indent * bool(lines) + line for line in wrapped(part, width - indent)]
        else:
            lines.append(" " * indent * bool(lines) + part)
    return lines


def hanging(name: str, text: str, width: int | None) -> list[str]:
    """Return a name with a text beside it, whose further lines begin below its first.

    Examples
    --------
    >>> hanging("source: ", "a paper of old", 18)
    ['source: a paper of', '        old']
    """
    first, *more = wrapped(text, None if width is None else max(1, width - len(name)))
    return [f"{name}{first}".rstrip(), *(" " * len(name) + line for line in more)]


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> list[int] | None:
    """Return the width of each column; None if they do not fit."""
    cells = [[row[place] for row in rows] for place in range(len(columns))]
    headers = [len(column.header) for column in columns]
    natural = [max(map(len, mine), default=0) for mine in cells]
    if width is None:
        return list(map(max, natural, headers))
    least = [
        max(_longest_word(mine), min(full, column.least)) if column.wraps else full
        for column, mine, full in zip(columns, cells, natural, strict=True)
    ]
    widths = [max(size, _longest_word([column.header])) for column, size in zip(columns, least, strict=True)]
    spare = width - sum(widths) - GAP * (len(columns) - 1)
    if spare < 0:
        return None
    for wanted in (natural, headers):  # texts first, then headers in one line
        for place, size in enumerate(wanted):
            more = min(max(0, size - widths[place]), spare)
            widths[place] += more
            spare -= more
    return widths


def _longest_word(texts: Sequence[str]) -> int:
    return max((len(word) for text in texts for word in text.split()), default=0)


def _table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int], width: int | None, paint: Paint
) -> list[str]:
    heads = [wrapped(column.header, size) for column, size in zip(columns, widths, strict=True)]
    most = max(map(len, heads))
    lines = list(_row(columns, widths, [[""] * (most - len(head)) + head for head in heads], None, paint))
    if width is not None:
        lines.append("─" * (sum(widths) + GAP * (len(widths) - 1)))
    for row in rows:
        parts = [
            wrapped(cell, size) if column.wraps and width is not None else [cell]
            for column, cell, size in zip(columns, row, widths, strict=True)
        ]
        lines += _row(columns, widths, parts, row, paint)
    return lines


def _row(
    columns: Sequence[Column],
    widths: Sequence[int],
    parts: Sequence[Sequence[str]],
    cells: Sequence[str] | None,
    paint: Paint,
) -> list[str]:
    """Return a row as lines; `cells` is None in the header."""
    lines = []
    for line in zip_longest(*parts, fillvalue=""):
        texts = []
        for place, (column, text, size) in enumerate(zip(columns, line, widths, strict=True)):
            set_ = text.rjust(size) if column.right else text.ljust(size)
            texts.append(set_ if cells is None or not text else paint(cells[place], set_))
        lines.append((" " * GAP).join(texts).rstrip())
    return lines


def _stacked(columns: Sequence[Column], row: Sequence[str], width: int, paint: Paint) -> list[str]:
    """Return a row as several lines: what names it, then its other cells with their headers."""
    filled = [(column, cell) for column, cell in zip(columns, row, strict=True) if cell]
    said = [(column.key, cell if column.named else f"{column.header} {cell}") for column, cell in filled]
    first, *below = " · ".join(text for key, text in said if key).split("\n")
    lines = wrapped(first, width, indent=INDENT)
    begin = filled[0][1] if filled else ""
    if begin and lines[0].startswith(begin):
        lines[0] = paint(begin, begin) + lines[0].removeprefix(begin)
    room = width - INDENT
    more = [line for text in below for line in wrapped(text, room)]
    more += packed([text for key, text in said if not key], room)
    return [*lines, *(" " * INDENT + line for line in more)]
