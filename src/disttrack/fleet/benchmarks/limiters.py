"""Limiters in Python, with their clocks replaced, beside games of `central`: ``python -m benchmarks.limiters``.

Each that is installed (extra ``bench``) is asked by the same loads: a request in each step; requests drawn at random;
of two windows the first request, and all from the middle of one to the middle of the other; the first request, and all
from the last moment of one to the end of the other. The game has one site. Exit status 1 if the largest count in any
window differs by more than 2 % of the limit, for no reason that is stated here.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, NamedTuple

import click
import numpy as np

from disttrack.adversaries import Burst, Rest
from disttrack.fleet.book import largest
from disttrack.fleet.quotas import Central
from disttrack.fleet.task import measured
from disttrack.simulator import play
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.shown.terminal.tables import Column, Table, print_table

STEP: Final = 20
"""Milliseconds of a step."""
Admits = Callable[[], bool]
"""Asks a limiter about a request."""
CLOCKS: Final = (time.time, time.time_ns, time.monotonic, time.monotonic_ns, time.perf_counter)


class Clock:
    """A clock in whole milliseconds that stands still until it is set, in place of the module `time`."""

    def __init__(self) -> None:
        self.now = 10**12

    def time(self) -> float:
        return self.now / 1000

    def time_ns(self) -> int:
        return self.now * 10**6

    monotonic = perf_counter = time
    monotonic_ns = time_ns

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def takes_over(self, library: str) -> None:
        """Replace the clocks in all modules of a library."""
        for module in [one for name, one in sys.modules.items() if name.partition(".")[0] == library]:
            for name, value in list(vars(module).items()):
                if value is time:
                    setattr(module, name, self)
                elif any(value is clock for clock in CLOCKS):
                    setattr(module, name, getattr(self, value.__name__))


CLOCK: Final = Clock()


def of_limits(strategy: str, limit: int, seconds: int) -> Admits:
    """Return a limiter of `limits`, with its storage in memory."""
    library, strategies = import_module("limits"), import_module("limits.strategies")
    limiter = getattr(strategies, strategy)(import_module("limits.storage").MemoryStorage())
    item = library.RateLimitItemPerSecond(limit, seconds)
    return lambda: bool(limiter.hit(item, "one"))


def of_throttled(using: str, limit: int, seconds: int) -> Admits:
    """Return a limiter of `throttled-py`, with its store in memory."""
    library = import_module("throttled")
    quota = library.per_duration(timedelta(seconds=seconds), limit=limit)
    limiter = library.Throttled(using=using, quota=quota, store=library.MemoryStore())
    return lambda: not limiter.limit("one").limited


def of_pyrate(algorithm: str, limit: int, seconds: int) -> Admits:
    """Return a limiter of `pyrate-limiter`, with its bucket in memory."""
    library = import_module("pyrate_limiter")
    rates, rule = [library.Rate(limit, 1000 * seconds)], getattr(library, algorithm)()
    if algorithm in ("GCRA", "TokenBucket"):
        bucket = library.StateBucket(rates, rule)
    else:
        bucket = library.InMemoryBucket(rates, algorithm=rule)
    limiter = library.Limiter(bucket)
    return lambda: bool(limiter.try_acquire("one", blocking=False))


def of_aiolimiter(_: str, limit: int, seconds: int) -> Admits:
    """Return a limiter of `aiolimiter`, in a loop of its own that has the clock."""
    limiter, loop = import_module("aiolimiter").AsyncLimiter(limit, seconds), asyncio.new_event_loop()
    loop.time = CLOCK.monotonic  # type: ignore[method-assign]

    async def asks() -> bool:
        if able := limiter.has_capacity():
            await limiter.acquire()
        return bool(able)

    return lambda: loop.run_until_complete(asks())


def asked(limiter: Limiter, limit: int, window: int, steps: list[int]) -> list[int]:
    """Return the steps in which a limiter in Python admits a request; step 1 is the first one of a window."""
    import_module(limiter.library)
    CLOCK.now = 10**12
    CLOCK.takes_over(limiter.library)
    admits, admitted = limiter.make(limiter.name, limit, window * STEP // 1000), []
    for step in steps:
        CLOCK.now = 10**12 + (step - 1) * STEP
        if admits():
            admitted.append(step)
    return admitted


def installed(package: str) -> str:
    """Return the version of a Python package; empty if it is not installed."""
    try:
        return version(package)
    except ImportError:
        return ""


class Limiter(NamedTuple):
    """A limiter, what it is here, and why it may differ from that."""

    package: str
    library: str
    name: str
    make: Callable[[str, int, int], Admits]
    shape: str
    why: str = ""


FIRST_REQUEST: Final = "its window begins with a request, not by the clock"
ROUNDED: Final = "it rounds down what the window before weighs"
WHOLE_SECONDS: Final = "its bucket is refilled in whole seconds and whole tokens"
LIMITERS: Final = (
    Limiter("limits", "limits", "FixedWindowRateLimiter", of_limits, "window", FIRST_REQUEST),
    Limiter("limits", "limits", "MovingWindowRateLimiter", of_limits, "sliding"),
    Limiter("limits", "limits", "SlidingWindowCounterRateLimiter", of_limits, "weighted", ROUNDED),
    Limiter("throttled-py", "throttled", "fixed_window", of_throttled, "window"),
    Limiter("throttled-py", "throttled", "sliding_window", of_throttled, "weighted", ROUNDED),
    Limiter("throttled-py", "throttled", "token_bucket", of_throttled, "bucket", WHOLE_SECONDS),
    Limiter("throttled-py", "throttled", "leaking_bucket", of_throttled, "bucket", WHOLE_SECONDS),
    Limiter("throttled-py", "throttled", "gcra", of_throttled, "bucket"),
    Limiter("pyrate-limiter", "pyrate_limiter", "SlidingWindowLog", of_pyrate, "sliding"),
    Limiter("pyrate-limiter", "pyrate_limiter", "FixedWindow", of_pyrate, "window"),
    Limiter("pyrate-limiter", "pyrate_limiter", "GCRA", of_pyrate, "bucket"),
    Limiter("pyrate-limiter", "pyrate_limiter", "TokenBucket", of_pyrate, "bucket"),
    Limiter("aiolimiter", "aiolimiter", "AsyncLimiter", of_aiolimiter, "bucket"),
)


def loads(limit: int, window: int, windows: int) -> dict[str, list[int]]:
    """Return the steps of the requests of each load, for some pairs of windows."""
    steps = np.arange(1, window * windows + 1)
    place = (steps - 1) % (2 * window)
    half = np.abs(2 * place - 2 * window + 1) < window
    return {
        "each step": steps.tolist(),
        "drawn": steps[np.random.default_rng(1).random(len(steps)) < 0.3].tolist(),
        "about the end": steps[half | (place == 0)].tolist(),
        "last moment": steps[(place == 0) | (place >= window - limit)].tolist(),
    }


def game_of(shape: str, limit: int, window: int, steps: list[int]) -> tuple[float, float]:
    """Return the largest count in any window in a game, and the requests admitted."""

    def load(view: Any) -> Any:
        runs = np.split(steps, np.flatnonzero(np.diff(steps) > 1) + 1)
        for run in runs:
            if (pause := int(run[0]) - 1 - view.steps) > 0:
                yield Rest(pause)
            while view.steps < run[-1]:
                yield Burst(0, int(run[-1]) - view.steps)

    more = {"depth": limit} if shape == "bucket" else {}
    rule = Central(limit, window, shape=shape, slots=window, **more)  # type: ignore[arg-type]
    game = play(rule, load, sites=1, items=len(steps))
    return float(measured(game)["burst"]) * limit, float(game.looks[-1]["admitted"])


def rows(limiters: Iterable[Limiter], limit: int, window: int, windows: int) -> Iterator[tuple[list[str], bool]]:
    """Yield a row for each limiter that is there and each load, and whether it is as predicted or explained."""
    of_load = loads(limit, window, windows)
    predicted = cache(lambda shape, name: game_of(shape, limit, window, of_load[name]))
    for limiter in limiters:
        found = installed(limiter.package)
        for name, steps in of_load.items() if found else ():
            admitted = np.array(asked(limiter, limit, window, steps))
            worst, all_of_it = predicted(limiter.shape, name)
            here = largest(admitted, np.ones_like(admitted), window)
            same = abs(here - worst) <= 0.02 * limit
            numbers = [here, worst, len(admitted), all_of_it]
            why = "" if same else limiter.why or "unexplained"
            yield (
                [f"{limiter.package} {found}", limiter.name, limiter.shape, name, *map(number, numbers), why],
                same or bool(limiter.why),
            )


@click.command()
@click.option("--limit", default=20, show_default=True, help="Requests in a window.")
@click.option("--window", default=10, show_default=True, help="Whole seconds.")
@click.option("--windows", default=8, show_default=True, help="Length of a load.")
def main(limit: int, window: int, windows: int) -> None:
    """Measure limiters in Python beside what is predicted; status 1 if a difference is not explained."""
    played = list(rows(LIMITERS, limit, window * 1000 // STEP, windows))
    if missing := ", ".join(dict.fromkeys(one.package for one in LIMITERS if not installed(one.package))):
        click.echo(f"left out, not installed: {missing} (extra bench)", err=True)
    names = ("largest in a window", "predicted", "admitted", "predicted")
    columns = [*map(Column, ("library", "limiter", "shape", "load")), *(Column(name, right=True) for name in names)]
    print_table(Table("requests", [*columns, Column("difference")], [row for row, _ in played]))
    if not all(well for _, well in played):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
