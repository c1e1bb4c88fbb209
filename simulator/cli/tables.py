"""Tables and documents on standard output: tables for people, plain columns for pipes, JSON for programs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isinf, isnan
from typing import Any, Final, Literal, TextIO

import click

from simulator.cli.layout import Column, Layout, lay_out, packed, wrapped
from simulator.errors import printable

Form = Literal["table", "json", "quiet"]
"""What a command prints: tables, one JSON document, or only what failed."""
COLOURS: Final = {
    "PASS": {"fg": "green"},
    "FAIL": {"fg": "red", "bold": True},
    "VACUOUS": {"fg": "red", "bold": True},
    "UNDECIDED": {"fg": "yellow"},
    "ok": {"fg": "green"},
    "failed": {"fg": "red"},
    "refuted": {"fg": "red", "bold": True},
    "undecided": {"fg": "yellow"},
}
LEAST: Final = 40
"""A terminal that says it is narrower is taken to be so wide."""


def form_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags --json and --quiet; the last one counts, and the command is told as `form`."""
    quiet = click.option("--quiet", "-q", "form", flag_value="quiet", help="Print only what failed.")
    as_json = click.option("--json", "form", flag_value="json", help="Print one JSON document in place of tables.")
    plain = click.option("--table", "form", flag_value="table", default=True, hidden=True)
    return as_json(quiet(plain(command)))


def print_table(
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    subtitle: str = "",
    notes: Sequence[str] = (),
    whole: str = "",
) -> None:
    """Print a table, as wide as the terminal is; into a pipe as wide as it takes."""
    width = terminal_width()
    lines = table_lines(
        title, columns, rows, width, subtitle=subtitle, notes=notes, whole=whole, colours=coloured(sys.stdout)
    )
    click.echo("\n".join(lines) + "\n")


def say(sentence: str, *, err: bool = False) -> None:
    """Print a sentence; a terminal that is narrower gets it in lines that are broken at spaces."""
    width = terminal_width(sys.stderr if err else sys.stdout)
    click.echo("\n".join(wrapped(printable(sentence), width, indent=2)), err=err)


def table_lines(
    title: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    width: int | None,
    *,
    subtitle: str = "",
    notes: Sequence[str] = (),
    whole: str = "",
    colours: bool = False,
) -> list[str]:
    """Return a table as lines.

    Parameters
    ----------
    title, subtitle
        Above it; the parts of the subtitle are told apart by ` · `.
    columns, rows
        What it shows.
    width
        Letters of a line; None for no limit.
    notes
        Sentences below it.
    whole
        The file that has the columns which are left out.
    colours
        Whether words that judge have a colour.
    """
    columns = [replace(column, header=printable(column.header)) for column in columns]
    rows = [[printable(cell) for cell in row] for row in rows]  # a table on the disk may hold codes of a terminal
    title, subtitle, notes = printable(title), printable(subtitle), [printable(note) for note in notes]
    table = lay_out(columns, rows, width, _painted if colours else lambda cell, text: text)
    head = [click.style(line, bold=True) if colours else line for line in wrapped(title, width) if title]
    if subtitle:
        head += packed(subtitle.split(" · "), width, between=" · ")
    said = [f"{column.header}: {column.says}" for column in table.shown if column.says]
    below = [line for note in [*notes, *said, *_left_out(table, whole)] for line in wrapped(note, width, indent=2)]
    return [*head, *([""] if head and width is not None else []), *table.lines, *([""] if below else []), *below]


def _left_out(table: Layout, whole: str) -> list[str]:
    """Return in sentences what there was no room for, and where it is."""
    there = [column for column in table.left_out if whole and column.source]
    names = [
        column.source if column.source == column.header else f"{column.source} ({column.header})" for column in there
    ]
    others = [column.header for column in table.left_out if column not in there]
    notes = [f"also in {whole}: {', '.join(names)}"] if names else []
    return [*notes, *([f"with more room: {', '.join(others)}"] if others else [])]


def _painted(cell: str, text: str) -> str:
    style = COLOURS.get(cell)
    return click.style(text, **style) if style else text  # type: ignore[arg-type]


def print_json(document: Any) -> None:
    """Print a document; numbers that JSON has none for become null, or a word where they are infinite."""
    click.echo(json.dumps(plain(document), indent=1, ensure_ascii=False, allow_nan=False, default=str))


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Examples
    --------
    >>> plain({"low": float("nan"), "bounds": (1, float("inf"))})
    {'low': None, 'bounds': [1, 'infinite']}
    """
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(one) for one in value]
    if isinstance(value, float) and isnan(value):
        return None
    if isinstance(value, float) and isinf(value):
        return "infinite" if value > 0 else "-infinite"
    return value


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the letters of a line of the terminal; None if it goes into a pipe or file."""
    shown = is_terminal(stream or sys.stdout)
    return max(LEAST, shutil.get_terminal_size().columns) if shown else None


def coloured(stream: TextIO) -> bool:
    """Tell whether a stream shows colours, and its reader wants them."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    """Tell whether people read a stream."""
    return bool(getattr(stream, "isatty", lambda: False)())
