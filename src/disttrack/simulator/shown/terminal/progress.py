"""The progress of a run: a bar with games, rate and time left in a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import click

from disttrack.simulator.experiments.results.formats import duration, percent
from disttrack.simulator.game.present import share_in_play, slow_calls_named

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from disttrack.simulator.experiments.runs.progress import Progress

EVERY: Final = 30.0
"""Seconds between two lines in a log."""
PATIENCE: Final = 2.0
"""Seconds of one game, or of what has no count, after which it shows a bar."""
TICK: Final = 0.5
"""Seconds between two states of such a bar."""
NAME: Final = 24
"""Letters of the name before a bar; longer ones are cut."""
LEAST: Final = 10
"""Letters of the shortest bar, with the gaps about it."""


@contextmanager
def bar(name: str, *, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Give a function that shows progress while the block runs; quiet shows none."""
    begun = last = time.perf_counter()
    overdue: list[str] = []
    drawing = None if quiet else _line()

    def show(progress: Progress) -> None:
        nonlocal last
        if quiet:
            return
        for said in progress.overdue[len(overdue) :]:
            overdue.append(said)
            if drawing is None:
                click.echo(f"{name}: {said}", err=True)
            else:
                drawing.console.print(f"{name}: {said}", markup=False, highlight=False, soft_wrap=True)
        now = time.perf_counter()
        if drawing is not None:
            words = progress.words(now - begun, drawing.console.width - len(_short(name)) - LEAST)
            drawing.update(drawing.task_ids[0], completed=progress.share, words=words, refresh=True)
        elif now - last >= EVERY and not progress.finished:
            last = now
            click.echo(f"{name}: {progress.words(now - begun)}", err=True)

    with drawing or nullcontext():
        if drawing is not None:
            drawing.add_task(_short(name), total=1.0, words="")
        yield show


@contextmanager
def waiting(name: str) -> Iterator[None]:
    """Show how far the game in play is while the block takes more than `PATIENCE` seconds; in a log each `EVERY`.

    The bar runs to and fro while nobody knows. Another thread draws it: no process may be forked within.
    """
    ended, begun, drawing = Event(), time.perf_counter(), _line()

    def watch() -> None:
        if drawing is not None and ended.wait(PATIENCE):
            return
        with drawing or nullcontext():
            if drawing is not None:
                drawing.add_task(_short(name), total=None, words="")
            while not ended.wait(EVERY if drawing is None else TICK):
                share, took = share_in_play(), time.perf_counter() - begun
                known = share == share
                words = f"{percent(share)} of the items sent, {duration(took)}" if known else duration(took)
                if drawing is None:
                    click.echo(f"{name}: {words}", err=True)
                    continue
                total = 1.0 if known else None
                drawing.update(
                    drawing.task_ids[0], total=total, completed=known and share, words=words, refresh=True
                )

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def watched(command: str) -> AbstractContextManager[None]:
    """Return the watch over the user's code in this process: a call that does not return is named on stderr.

    Another thread watches: no process may be forked within.
    """
    return slow_calls_named(lambda line: click.echo(f"disttrack {command}: {line}", err=True))


@contextmanager
def status(name: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that shows in words what is being made; nothing in a log."""
    line = None if quiet else _line(bare=True)
    if line is None:
        yield lambda words: None
        return
    with line as drawing:
        task = drawing.add_task(_short(name), total=1.0, words="")
        yield lambda words: drawing.update(task, words=words, refresh=True)


def _short(name: str) -> str:
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"


def _line(*, bare: bool = False) -> Bar | None:
    """Return a line of a terminal that goes when it ends, None in a log; `bare` without a bar, as long as the room is.

    It is drawn when something is shown and by no thread of its own: processes may then still be forked.
    """
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("[bold]{task.description}"),
        *([] if bare else [BarColumn(bar_width=None)]),
        TextColumn("{task.fields[words]}"),
        console=Console(stderr=True),
        expand=not bare,
        transient=True,
        auto_refresh=False,
    )
