"""Time against items (10^4 … 10^12) and against sites (10 … 10^6), for each engine and baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from math import exp
from typing import Final

import numpy as np

from benchmarks.baselines import compiled_loop, naive_simpy
from benchmarks.clock import seconds
from disttrack.adversaries import RoundRobin
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Deterministic, Protocol, Robust
from disttrack.simulator.game.play import play

ALPHA: Final = 0.05
SITES: Final = 1000
ITEMS_A_SITE: Final = 10_000


@dataclass(frozen=True)
class Point:
    """A measured time.

    Attributes
    ----------
    against
        ``items`` or ``sites``: the variable.
    line
        An engine and a protocol, or a baseline.
    x
        Number of items, or of sites.
    seconds
        Median time.
    messages
        Messages of the game.
    """

    against: str
    line: str
    x: int
    seconds: float
    messages: int


def measure(repeats: int, limit: float, largest: float = 1e12) -> Iterator[Point]:
    """Measure all lines; each ends before a run that would take longer than `limit` seconds.

    Parameters
    ----------
    largest
        The largest number of items, for a trial run below 10^12.
    """
    for name, play_one in _lines().items():
        for against, places in (("items", range(4, 13)), ("sites", range(1, 7))):
            before: list[tuple[float, float]] = []
            for power in places:
                x = 10**power
                sites, start, items = (SITES, 0, x) if against == "items" else (x, *_efold(x))
                if items > largest or _expected(before, x) > limit:
                    break
                game = partial(play_one, sites, start, items)
                messages: list[int] = []
                took = seconds(_noting(game, messages), repeats)
                before.append((x, took))
                yield Point(against, name, x, took, messages[0])


def _noting(game: Callable[[], int], messages: list[int]) -> Callable[[], None]:
    return lambda: messages.append(game())


def _efold(sites: int) -> tuple[int, int]:
    start = ITEMS_A_SITE * sites
    return start, int(start * (exp(1) - 1))


def _expected(before: list[tuple[float, float]], x: int) -> float:
    """Estimate the time of the next run from the last two."""
    if len(before) < 2:
        return before[-1][1] * 10 if before else 0.0
    (x0, t0), (x1, t1) = before[-2:]
    slope = max(0.0, np.log(t1 / t0) / np.log(x1 / x0))
    return float(t1 * (x / x1) ** min(1.1, slope))


def _lines() -> dict[str, Callable[[int, int, int], int]]:
    lines: dict[str, Callable[[int, int, int], int]] = {
        "(a) naive SimPy": lambda k, start, items: naive_simpy(k, ALPHA, items),
    }
    try:
        loop = compiled_loop()
        lines["(b) compiled loop"] = lambda k, start, items: loop(k, ALPHA, items)
    except ImportError:
        pass
    protocols: tuple[Protocol, ...] = (Deterministic(alpha=ALPHA), Robust(alpha=ALPHA))
    for engine in ("step", "leap", *["compiled"] * available()):
        for protocol in protocols[: 1 if engine == "step" else 2]:
            lines[f"{engine}, {protocol.kind}"] = _player(engine, protocol)
    return lines


def _player(engine: str, protocol: Protocol) -> Callable[[int, int, int], int]:
    def run(k: int, start: int, items: int) -> int:
        return play(protocol, RoundRobin(), sites=k, start=start, items=items, engine=engine).messages

    return run


def exponents(points: list[Point]) -> dict[tuple[str, str], float]:
    """Return the power of x that the time of each line follows: least squares in logarithms, from 0.01 s on.

    Below that a run measures the fixed cost of a game: a line is fitted through what follows its last such run, or
    through its last three points if these are fewer. Against sites the items grow in proportion.
    """
    fitted = {}
    for key in dict.fromkeys((point.against, point.line) for point in points):
        line = [point for point in points if (point.against, point.line) == key]
        long = list(takewhile(lambda point: point.seconds >= 0.01, reversed(line)))
        used = long if len(long) >= 3 else line[-3:]
        if len(used) >= 2:
            x, t = np.log([point.x for point in used]), np.log([point.seconds for point in used])
            fitted[key] = float(np.polyfit(x, t, 1)[0])
    return fitted
