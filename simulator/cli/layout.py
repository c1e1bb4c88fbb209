"""Tables and texts in the width of a terminal: no word and no number is ever broken in two.

`rich` lays out the tables. Where one is too wide, its headers and texts are wrapped at spaces; if that is not enough,
columns are left out, those of the highest rank first; and if even the others do not fit, each row becomes a few lines.
A pipe has no width: every row is one line there.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from disttrack.simulator.errors import printable

STACKED: Final = 1
"""Highest rank of the columns that are shown where each row is several lines."""
TEXT: Final = 36
"""Letters of a line below which a wrapped text is hard to read."""


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
    key
        Whether it identifies the row: where a row is several lines, it is on the first of them.
    source
        The column of the table on the disk that has its values, if there is one.
    says
        Its meaning, for a note below the table.
    """

    header: str
    right: bool = False
    rank: int = 0
    wraps: bool = False
    key: bool = False
    source: str = ""
    says: str = ""


@dataclass(frozen=True)
class Table:
    """A table with its title, in no width yet.

    Parameters
    ----------
    title, subtitle
        Above it; the parts of the subtitle are separated by ` · `.
    columns, rows
        Its content. Columns without any are not shown.
    notes
        Sentences below it.
    whole
        The file that has the columns which are left out.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    subtitle: str = ""
    notes: Sequence[str] = ()
    whole: str = ""

    def lines(self, width: int | None) -> list[str]:
        """Return the lines of the table; `width` is the number of letters of a line, None for a pipe."""
        cells = [[printable(cell) for cell in row] for row in self.rows]  # results may hold codes of a terminal
        full = [i for i, column in enumerate(self.columns) if column.key or any(row[i] for row in cells)]
        columns = [replace(self.columns[i], header=printable(self.columns[i].header)) for i in full]
        shown, body = _fitted(columns, [[row[i] for i in full] for row in cells], width)
        head = [*wrapped(self.title, width), *packed(self.subtitle.split(" · "), width, between=" · ")]
        left_out = [column for column in columns if column not in shown]
        meanings = [f"{column.header}: {column.says}" for column in shown if column.says]
        notes = [*self.notes, *meanings, *self._elsewhere(left_out)]
        below = [line for note in notes for line in wrapped(note, width, indent=2)]
        return [*filter(None, head), *[""] * (width is not None), *body, *[""] * bool(below), *below]

    def _elsewhere(self, left_out: Sequence[Column]) -> Iterator[str]:
        """Yield which columns there was no room for, and where they are."""
        there = [column for column in left_out if self.whole and column.source]
        names = [one.source if one.source == one.header else f"{one.source} ({one.header})" for one in there]
        if names:
            yield f"also in {self.whole}: {', '.join(names)}"
        if others := [column.header for column in left_out if column not in there]:
            yield f"with more room: {', '.join(others)}"


def wrapped(text: str, width: int | None, *, indent: int = 0) -> list[str]:
    """Return a text as lines broken at spaces only; the further lines of a paragraph are indented.

    Examples
    --------
    >>> wrapped("a sentence of some words", 12, indent=2)
    ['a sentence', '  of some', '  words']
    >>> wrapped("incomprehensibilities", 5), wrapped("", 5)
    (['incomprehensibilities'], [''])
    """
    fit = textwrap.TextWrapper(
        width or 10**9, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
    return [line for part in printable(text).split("\n") for line in fit.wrap(part) or [""]]


def packed(parts: Sequence[str], width: int | None, *, indent: int = 0, between: str = "   ") -> list[str]:
    """Return parts as lines, as many on each as fit; only a part that is longer than a line is wrapped.

    Examples
    --------
    >>> packed(["64 sites", "alpha 0.1"], 20, between=" · "), packed(["64 sites", "alpha 0.1"], 19, between=" · ")
    (['64 sites · alpha 0.1'], ['64 sites', 'alpha 0.1'])
    """
    lines: list[str] = []
    room = None if width is None else width - indent
    for part in map(printable, parts):
        longer = f"{lines[-1]}{between}{part}" if lines else part
        if lines and (room is None or len(longer) <= room):
            lines[-1] = longer
        else:
            lines += wrapped(part, room)
    return [" " * indent + line for line in lines]


def hanging(name: str, text: str, width: int | None) -> list[str]:
    """Return a name with a text beside it, whose further lines begin below its first.

    Examples
    --------
    >>> hanging("source: ", "a paper of old", 18)
    ['source: a paper of', '        old']
    """
    first, *more = wrapped(text, None if width is None else max(1, width - len(name)))
    return [f"{name}{first}".rstrip(), *(" " * len(name) + line for line in more)]


def _fitted(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None
) -> tuple[Sequence[Column], list[str]]:
    """Return the columns for which there is room, and header and rows as lines."""
    words = {word for row in [[column.header for column in columns], *rows] for cell in row for word in cell.split()}
    places = list(range(len(columns)))
    while True:
        shown, cells = [columns[i] for i in places], [[row[i] for i in places] for row in rows]
        for split in (False, True):
            lines = _drawn(shown, cells, width, split=split)
            whole = all(word in words or word.strip("─") == "" for line in lines for word in line.split())
            if width is None or (whole and max(map(len, lines)) <= width):
                return shown, lines
        last = max(places, key=lambda i: (columns[i].rank, i))
        if not columns[last].rank:
            assert width is not None
            shown = [column for column in columns if column.rank <= STACKED]
            return shown, [line for row in rows for line in _stacked(columns, row, width)]
        places.remove(last)


def _drawn(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None, *, split: bool) -> list[str]:
    """Return a table as rich draws it, its headers split at spaces or not; it may be too wide."""
    from rich import box, table
    from rich.console import Console
    from rich.text import Text

    lined = box.Box("    \n    \n ── \n" + "    \n" * 5)
    grid = table.Table(box=None if width is None else lined, show_edge=False, pad_edge=False)
    grid.padding = (0, 2, 0, 0) if width is None else (0, 1, 0, 0)
    for i, column in enumerate(columns):
        texts = [column.header, *(row[i] for row in rows)] if column.wraps else []
        longest = max((len(word) for text in texts for word in text.split()), default=0)
        natural = max((len(line) for text in texts for line in text.split("\n")), default=0)
        grid.add_column(
            Text("\n".join(column.header.rsplit(" ", 1)) if split else column.header),
            justify="right" if column.right else "left",
            no_wrap=not column.wraps or width is None,
            min_width=max(longest, min(natural, TEXT)) or None,
        )
    for row in rows:
        grid.add_row(*(Text(" ".join(cell.split()) if width is None else cell) for cell in row))
    sheet = Console(file=io.StringIO(), width=width or 10**6, color_system=None, force_terminal=False, soft_wrap=True)
    sheet.print(grid, crop=False, overflow="ignore")
    return [line.rstrip() for line in sheet.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def _stacked(columns: Sequence[Column], row: Sequence[str], width: int) -> list[str]:
    """Return a row as several lines: the cells that identify it, then the others with their headers."""
    keys: list[str] = []
    texts: list[str] = []
    others: list[str] = []
    for column, cell in zip(columns, row, strict=True):
        if cell and column.key:
            (texts if column.wraps else keys).append(f"{column.header} {cell}" if column.right else cell)
        elif cell and column.rank <= STACKED:
            others.append(f"{column.header} {cell}")
    first, *below = [line for text in [" · ".join([*keys, *texts[:1]]), *texts[1:]] for line in text.split("\n")]
    more = [line for text in below for line in packed([text], width, indent=2)]
    return [*wrapped(first, width, indent=2), *more, *packed(others, width, indent=2)]
