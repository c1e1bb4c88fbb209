"""What commands print: tables and sentences for people, plain columns for pipes, JSON for programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from math import isinf, isnan
from pathlib import Path
from typing import Any, Final, Literal, TextIO

import click

from disttrack.simulator.cli.layout import Table, hanging, wrapped

Form = Literal["table", "json", "quiet"]
"""What a command prints: tables, one JSON document, or only what failed."""
FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)
"""Types of options that name what is written."""
SET: Final = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a key over the file: sites=64, protocol.0.alpha=0.1.",
)
COLOURS: Final = {"PASS": "green", "FAIL": "red", "VACUOUS": "red", "UNDECIDED": "yellow", "refuted": "red"}
"""Colours of verdicts at the beginning of a line."""
LEAST: Final = 40
"""A terminal that says it is narrower is taken to be so wide."""


def form_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags --json and --quiet; the last one counts, and is passed as `form`."""
    quiet = click.option("--quiet", "-q", "form", flag_value="quiet", help="Print only what failed.")
    as_json = click.option("--json", "form", flag_value="json", help="Print one JSON document in place of tables.")
    plain = click.option("--table", "form", flag_value="table", default=True, hidden=True)
    return as_json(quiet(plain(command)))


def print_table(table: Table) -> None:
    """Print a table, as wide as the terminal is; into a pipe as wide as it takes."""
    width = terminal_width()
    lines = table.lines(width)
    if is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        verdict = re.compile(rf"^({'|'.join(COLOURS)})\b")
        lines = [verdict.sub(lambda word: click.style(word[0], fg=COLOURS[word[0]]), line) for line in lines]
        for place in range(len(wrapped(table.title, width))):
            lines[place] = click.style(lines[place], bold=True)
    click.echo("\n".join(lines) + "\n")


def say(sentence: str, *, err: bool = False) -> None:
    """Print a sentence; a terminal that is narrower gets it in lines that are broken at spaces."""
    width = terminal_width(sys.stderr if err else sys.stdout)
    click.echo("\n".join(wrapped(sentence, width, indent=2)), err=err)


def print_facts(facts: Mapping[str, str], *, indent: str = "", pad: int = 12) -> None:
    """Print texts beside their names, one below the other."""
    for name, text in facts.items():
        click.echo("\n".join(hanging(f"{indent}{name + ':':<{pad}}", text, terminal_width())))


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


def is_terminal(stream: TextIO) -> bool:
    """Tell whether people read a stream."""
    return bool(getattr(stream, "isatty", lambda: False)())
