"""The progress of a run: a bar with games, rate and time left in a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn

    from disttrack.simulator.experiments.runs.progress import Progress

EVERY: Final = 30.0
"""Seconds between two lines in a log."""


@contextmanager
def bar(name: str, *, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Give a function that shows progress while the block runs; quiet shows none."""
    from rich.progress import BarColumn

    begun = last = time.perf_counter()
    overdue: list[str] = []
    drawing = _line(quiet, BarColumn())

    def show(progress: Progress) -> None:
        nonlocal last
        if quiet:
            return
        for said in progress.overdue[len(overdue) :]:
            overdue.append(said)
            drawing.console.print(f"{name}: {said}", markup=False, highlight=False, soft_wrap=True)
        now = time.perf_counter()
        words = progress.words(now - begun)
        drawing.update(line, completed=progress.share, words=words, refresh=True)
        if drawing.disable and now - last >= EVERY and not progress.finished:
            last = now
            click.echo(f"{name}: {words}", err=True)

    with drawing:
        line = drawing.add_task(name, total=1.0, words="")
        yield show


def watched(command: str) -> AbstractContextManager[None]:
    """Return the watch over the user's code in this process: a call that does not return is named on stderr.

    Another thread watches: no process may be forked within.
    """
    from disttrack.simulator.game.present import slow_calls_named

    return slow_calls_named(lambda line: click.echo(f"disttrack {command}: {line}", err=True))


@contextmanager
def status(name: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that shows in words what is being made; nothing in a log."""
    with _line(quiet) as drawing:
        line = drawing.add_task(name, total=1.0, words="")
        yield lambda words: drawing.update(line, words=words, refresh=True)


def _line(quiet: bool, *columns: ProgressColumn) -> Bar:
    """Return a line of a terminal that goes when it ends.

    It is drawn when something is shown and by no thread of its own: processes may then still be forked.
    """
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TextColumn

    return Bar(
        TextColumn("[bold]{task.description}"),
        *columns,
        TextColumn("{task.fields[words]}"),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        disable=quiet or not sys.stderr.isatty(),
    )
