"""Output of commands: tables and texts in the width of the terminal, plain lines in a pipe, JSON for programs.

`rich` lays out the tables. No word and no number is broken in two: where a table is too wide, its headers and texts are
wrapped at spaces; if that is not enough, columns are left out, those of the highest rank first; and if even the others
do not fit, each row becomes a paragraph. A pipe has no width: every row is one line there.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Final

import click

from disttrack.simulator.errors import printable

COLOURS: Final = {
    "PASS": "green",
    "FAIL": "red",
    "VACUOUS": "red",
    "UNDECIDED": "yellow",
    "SKIPPED": "yellow",
    "refuted": "red",
}
"""Colours of verdicts at the beginning of a line."""
NARROWEST: Final = 40
"""The least width that is assumed of a terminal."""
NO_BREAK: Final = "\N{NO-BREAK SPACE}"
GAP: Final = 2
"""Letters between two columns."""
TEXT: Final = 27
"""Letters of a line below which a wrapped text is hard to read."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    header
        Its name.
    right
        Whether its cells are numbers: set flush right, and never wrapped.
    rank
        Columns of the highest rank are left out first, those of rank 0 never.
    says
        Its meaning, for a note below the table.
    """

    header: str
    right: bool = False
    rank: int = 0
    says: str = ""


@dataclass(frozen=True)
class Table:
    """A table with its title, in no width yet.

    Parameters
    ----------
    title, subtitle
        Above it.
    columns, rows
        Its content. Columns without any are not shown.
    notes
        Sentences below it.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    subtitle: str = ""
    notes: Sequence[str] = ()

    def lines(self, width: int | None) -> list[str]:
        """Return the lines of the table; `width` is the number of letters of a line, None for a pipe."""
        rows, full = self._shown()
        places = self._fitting(rows, full, width)
        body = self._body(rows, places, width)
        notes = [*self.notes, *(f"{one.header}: {one.says}" for one in (self.columns[i] for i in places) if one.says)]
        if left_out := [self.columns[i].header for i in full if i not in places]:
            notes.append(f"with more room: {', '.join(left_out)}")
        head = [line for text in (self.title, self.subtitle) if text for line in wrapped(text, width)]
        below = [line for text in notes for line in wrapped(text, width)]
        return [line for block in (head, body, below) if block for line in (*block, "")][:-1]

    def headers(self, width: int | None) -> list[str]:
        """Return the headers of the columns that a width has room for."""
        return [self.columns[i].header for i in self._fitting(*self._shown(), width)]

    def _shown(self) -> tuple[list[list[str]], list[int]]:
        """Return the cells as they are printed, and the columns with any content, by number."""
        rows = [[printable(" ".join(cell.split())) for cell in row] for row in self.rows]
        return rows, [i for i in range(len(self.columns)) if any(row[i] for row in rows)]

    def _fitting(self, rows: Sequence[Sequence[str]], places: Sequence[int], width: int | None) -> Sequence[int]:
        """Return those of these columns, by number, that a width has room for."""
        if width is None or self._least(rows, places) <= width:
            return places
        last = max(places, key=lambda i: (self.columns[i].rank, i))
        if not self.columns[last].rank:
            return places
        return self._fitting(rows, [i for i in places if i != last], width)

    def _least(self, rows: Sequence[Sequence[str]], places: Sequence[int]) -> int:
        """Return the least width of these columns together."""
        return GAP * (len(places) - 1) + sum(_least(self.columns[i], [row[i] for row in rows]) for i in places)

    def _body(self, rows: Sequence[Sequence[str]], places: Sequence[int], width: int | None) -> list[str]:
        """Return the lines of header and rows; a paragraph per row where a width has no room for these columns."""
        columns, cells = [self.columns[i] for i in places], [[row[i] for i in places] for row in rows]
        if width is None or self._least(rows, places) <= width:
            body = _drawn(columns, cells, width)
            if width is not None and max(map(len, body)) > width:  # rich has made a column wide that could be narrow
                body = _drawn(columns, cells, width, narrow=True)
            return body
        texts = (
            " · ".join(f"{column.header} {cell}" for column, cell in zip(columns, row, strict=True) if cell)
            for row in cells
        )
        return [line for text in texts for line in wrapped(text, width)]


def _least(column: Column, cells: Sequence[str]) -> int:
    """Return the least width of a column: numbers are not wrapped, and no word is broken."""
    longest = max(map(len, cells))
    words = [word for text in [column.header, *([] if column.right else cells)] for word in text.split()]
    return max(longest if column.right else min(longest, TEXT), *map(len, words))


def _drawn(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None, *, narrow: bool = False
) -> list[str]:
    """Return header and rows as rich draws them; the lines may be longer than the width, if not all are `narrow`."""
    from rich import box, table
    from rich.console import Console
    from rich.text import Text

    grid = table.Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
        least = _least(column, cells)
        grid.add_column(
            Text(printable(column.header)),
            justify="right" if column.right else "left",
            min_width=least,
            max_width=least if narrow else None,
            no_wrap=least >= max(map(len, [column.header, *cells])),
        )
    for row in rows:
        grid.add_row(*map(Text, row))
    console = Console(width=width or 10**6, color_system=None)
    with console.capture() as capture:
        console.print(grid, crop=False)
    return [line.rstrip() for line in capture.get().splitlines()]


def wrapped(text: str, width: int | None, first: str = "", further: str = "  ") -> list[str]:
    """Return a text as lines broken at spaces only, `first` before the first of them, `further` before the others.

    Examples
    --------
    >>> wrapped("a sentence of some words", 12)
    ['a sentence', '  of some', '  words']
    >>> wrapped("a paper of old", 18, "source: ", " " * 8)
    ['source: a paper of', '        old']
    >>> wrapped("incomprehensibilities", 5), wrapped("one line", None)
    (['incomprehensibilities'], ['one line'])
    """
    text = printable(" ".join(text.split()))
    if width is None or not text:
        return [f"{first}{text}".rstrip()]
    # short parts stay whole: no line ends within `4 of 4 · words 78`
    parts = [part.replace(" ", NO_BREAK) if len(part) < width / 2 else part for part in text.split(" · ")]
    lines = textwrap.wrap(
        " · ".join(parts),
        width,
        initial_indent=first,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(NO_BREAK, " ") for line in lines]


def print_table(table: Table) -> None:
    """Print a table, as wide as the terminal is; into a pipe as wide as it takes."""
    from rich.console import Console
    from rich.text import Text

    text = Text("\n".join(table.lines(terminal_width())) + "\n")
    text.stylize("bold", 0, len(table.title))
    for verdict, colour in COLOURS.items():
        text.highlight_regex(rf"(?m)^{verdict}\b", colour)
    Console(highlight=False).print(text, soft_wrap=True)


def print_text(text: str, first: str = "", further: str = "  ", *, err: bool = False) -> None:
    """Print a text; a terminal that is narrower gets it in lines that are broken at spaces."""
    click.echo("\n".join(wrapped(text, terminal_width(err=err), first, further)), err=err)


def print_facts(facts: Mapping[str, str]) -> None:
    """Print texts beside their names, one below the other."""
    width = max([13, *map(len, facts)]) + 2
    for name, text in facts.items():
        print_text(text, f"{name + ':':<{width}}", " " * width)


def print_json(document: object, *, texts: bool = True) -> None:
    """Print a document; numbers that JSON has none for become null, or a word where they are infinite.

    Whole numbers that a double would round are texts, unless `texts` is False.
    """
    from disttrack.simulator.experiments.results.stored import in_texts

    text = json.dumps(document, default=lambda value: value.item() if hasattr(value, "item") else str(value))
    words = {"NaN": None, "Infinity": "infinite", "-Infinity": "-infinite"}
    context = click.get_current_context(silent=True)
    stdout = context.meta.get(_STDOUT) if context else None
    plain = json.loads(text, parse_constant=words.get)
    click.echo(json.dumps(in_texts(plain) if texts else plain, indent=1, ensure_ascii=False), file=stdout)


_STDOUT: Final = f"{__name__}.stdout"


def alone_on_stdout(context: click.Context, _: click.Parameter, as_json: bool) -> bool:
    """Let a JSON document be all that standard output has: what code of the user's prints goes to standard error."""
    if as_json:
        context.meta[_STDOUT] = sys.stdout
        context.with_resource(redirect_stdout(sys.stderr))
    return as_json


def terminal_width(*, err: bool = False) -> int | None:
    """Return the letters of a line of the terminal; None if it goes into a pipe or file."""
    stream = sys.stderr if err else sys.stdout
    return max(NARROWEST, shutil.get_terminal_size().columns) if stream.isatty() else None
