"""Tables on the terminal: drawn by rich for people, plain aligned columns for pipes and files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final, TextIO

import click

COLOURS: Final = {"PASS": "green", "FAIL": "bold red", "ok": "green", "failed": "red", "undecided": "yellow"}


def print_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = ()) -> None:
    """Print a table.

    Parameters
    ----------
    title
        Above it.
    headers, rows
        Its columns' names, and its cells.
    right
        The columns that are set flush right: numbers.
    """
    cells = [[str(cell) for cell in row] for row in rows]
    if is_terminal(sys.stdout):
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
        for header in headers:
            table.add_column(header, justify="right" if header in right else "left", overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in row))
        Console().print(table)
        return
    widths = [max(len(line[place]) for line in [list(headers), *cells]) for place in range(len(headers))]
    if title:
        click.echo(title)
    for line in [list(headers), *cells]:
        parts = [
            cell.rjust(width) if header in right else cell.ljust(width)
            for cell, width, header in zip(line, widths, headers, strict=True)
        ]
        click.echo("  ".join(parts).rstrip())
    click.echo()


def is_terminal(stream: TextIO) -> bool:
    """Tell whether people read a stream."""
    return bool(getattr(stream, "isatty", lambda: False)())
