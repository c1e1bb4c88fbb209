"""The scenario that verifies an answer of ``disttrack advise``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import click

from disttrack.simulator.cli.options import SCENARIO_FILE, WRITTEN
from disttrack.simulator.errors import printable
from disttrack.simulator.experiments.results.files import write_text

OUT: Final = click.option("--out", type=SCENARIO_FILE, help="Write the scenario that verifies the answer here.")


def verify(scenario: str, out: Path | None) -> None:
    """Print the scenario that verifies an answer, or write it into a file."""
    if out is None:
        click.echo(f"\nThe scenario that verifies it, which --out FILE writes:\n\n{scenario}", nl=False)
        return
    write_text(out, f"{WRITTEN} advise.\n{scenario}")
    # a name with a dash is no option
    print_command("run", f"./{out}" if str(out).startswith("-") else str(out))


def print_command(*words: str) -> None:
    """Print the command that verifies an answer, on one line that a shell takes as it is."""
    click.echo(f"{'verify:':<15}{printable(shlex.join(['disttrack', *words]))}")
