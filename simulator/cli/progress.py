"""The progress of a run: a bar with games, rate and time left; a line now and then where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from simulator.cli.tables import is_terminal

if TYPE_CHECKING:
    from simulator.runs.progress import Progress

EVERY: Final = 30.0
"""Seconds between two lines in a log."""


@contextmanager
def bar(name: str, *, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Give a function that shows progress while the block runs; quiet shows none."""
    if quiet:
        yield lambda progress: None
    elif is_terminal(sys.stderr):
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

        said = ""

        def show(progress: Progress) -> None:
            nonlocal said
            if progress.notice != said:
                said = progress.notice
                drawing.console.print(said, markup=False)
            games, rate, left = progress.words(time.perf_counter() - begun)
            drawing.update(line, completed=progress.share, games=games, rate=rate, left=left, refresh=True)

        yield show


def _lines(name: str) -> Callable[[Progress], None]:
    begun = last = time.perf_counter()
    said = ""

    def show(progress: Progress) -> None:
        nonlocal last, said
        if progress.notice != said:
            said = progress.notice
            click.echo(f"{name}: {said}", err=True)
        now = time.perf_counter()
        if now - last >= EVERY and not progress.finished:
            last = now
            click.echo(f"{name}: " + ", ".join(part for part in progress.words(now - begun) if part), err=True)

    return show
