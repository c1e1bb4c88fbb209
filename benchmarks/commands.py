"""Processor time of the commands that people wait for, as a ratio to an import of numpy in the same minute.

Figures that need not be drawn again are a ratio to the same command when they must be.

``python -m benchmarks.commands``
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

RUN: Final = "run short.yaml --no-figures --fresh --workers 1 --out short"
COMMANDS: Final = {
    "--help": 0.1,
    "list": 0.4,
    "list protocols": 0.5,
    "check headline": 0.8,
    "play --protocol randomized:alpha=0.1 --adversary freeze --sites 256 --items 1000000": 0.8,
    RUN: 1.8,
    "run short.yaml --fresh --workers 1 --out drawn": 3.0,
    "run short.yaml --workers 1 --out drawn": 0.8,
    "plot short": 0.6,
    "report short": 1.5,
    "compare short other": 1.5,
    "schema": 1.2,
    "advise count --sites 200 --items 1e8 --alpha 0.05 --against outputs": 2.5,
    "advise quota --quota 1000/s --sites 12 --overshoot 2% --latency 20ms": 1.5,
    "advise quota --quota 600000/min": 3.5,
}
"""Commands, and the seconds that each may take on an idle machine, where numpy takes 0.1; figures are unchanged."""
UNCHANGED: Final = {"plot short": 0.2, "report short": 0.5}
"""Commands whose figures are as they would be drawn, and what each may take of its time when they are gone."""
NUMPY: Final = 0.1
SHORT: Final = """\
name: short
sites: [4, 16, 64]
items: 2000
trials: 3
protocol:
  - {kind: deterministic, alpha: 0.1}
  - {kind: randomized, alpha: 0.1}
  - {kind: robust, alpha: 0.1}
adversary: [round-robin, freeze]
plots: [{kind: cost, x: sites}, {kind: frontier}, {kind: timeline}]
"""
"""A sweep of 54 short games."""


@click.command()
@click.option("--repeats", type=click.IntRange(1), default=3, show_default=True, help="The least of these counts.")
def main(repeats: int) -> None:
    """Time each command, and print its seconds, its ratio to numpy, and the ratio that is wanted."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "short.yaml").write_text(SHORT, encoding="utf-8")
        ours = [sys.executable, "-m", "disttrack.simulator"]
        for out in ("short", "other"):  # the first of each command compiles its modules and writes what others read
            _seconds([*ours, *RUN.split()[:-1], out], folder)
        for command, wanted in COMMANDS.items():
            _seconds([*ours, *command.split()], folder)
            pairs = [
                (_seconds([*ours, *command.split()], folder), _seconds([sys.executable, "-c", "import numpy"], folder))
                for _ in range(repeats)
            ]
            took, numpy = (min(times) for times in zip(*pairs, strict=True))
            met = "yes" if took / numpy <= wanted / NUMPY else "NO"
            click.echo(f"{took:6.2f} s  {took / numpy:5.1f} of numpy  [at most {wanted / NUMPY:g}: {met}]  {command}")
        for command, wanted in UNCHANGED.items():
            pairs = [_drawn_and_again([*ours, *command.split()], folder) for _ in range(repeats)]
            drawn, again = (min(times) for times in zip(*pairs, strict=True))
            met = "yes" if again / drawn <= wanted else "NO"
            click.echo(f"{again:6.2f} s  {again / drawn:5.2f} of drawing  [at most {wanted:g}: {met}]  {command}")


def _drawn_and_again(command: list[str], folder: str) -> tuple[float, float]:
    """Return the processor time of a command whose figures are gone, and of the same one after it."""
    shutil.rmtree(Path(folder, "short", "figures"))
    return _seconds(command, folder), _seconds(command, folder)


def _seconds(command: list[str], folder: str) -> float:
    """Return the processor time of a process, in seconds."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=kept, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
