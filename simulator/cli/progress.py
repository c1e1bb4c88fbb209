"""The progress of a run: a bar with games, rate and time left; a line now and then where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from simulator.cli.tables import is_terminal
from simulator.results.formats import duration

if TYPE_CHECKING:
    from simulator.runs.runner import Progress

EVERY: Final = 30.0
"""Seconds between two lines in a log."""


@contextmanager
def bar(name: str) -> Iterator[Callable[[Progress], None]]:
    """Give a function that shows progress while the block runs."""
    if is_terminal(sys.stderr):
        with _drawn(name) as show:
            yield show
    else:
        yield _lines(name)


@contextmanager
def _drawn(name: str) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    # drawn when games finish and by no thread of its own: processes may then still be forked
    drawing = Bar(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]}  {task.fields[rate]}  {task.fields[left]}"),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
    begun = time.perf_counter()
    with drawing:
        line = drawing.add_task(name, total=1.0, games="", rate="", left="")

        def show(progress: Progress) -> None:
            games, rate, left = _words(progress, time.perf_counter() - begun)
            done = progress.done / progress.cost if progress.cost else 1.0
            drawing.update(line, completed=done, games=games, rate=rate, left=left, refresh=True)

        yield show


def _lines(name: str) -> Callable[[Progress], None]:
    begun = last = time.perf_counter()

    def show(progress: Progress) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= EVERY and not progress.finished:
            last = now
            click.echo(f"{name}: " + ", ".join(part for part in _words(progress, now - begun) if part), err=True)

    return show


def _words(progress: Progress, seconds: float) -> tuple[str, str, str]:
    """Return games, rate and time left in words."""
    there = progress.kept + progress.alike + progress.played
    games = f"{there:,} of {progress.games:,} games"
    if not progress.played or progress.done <= 0:
        return games, "", ""
    rate = progress.played / seconds
    told = f"{rate:,.1f} games/s" if rate >= 1 else f"{1 / rate:,.1f} s per game"
    return games, told, f"{duration(progress.left)} left" if there < progress.games else ""
