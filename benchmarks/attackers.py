"""What the search for policies finds beside the attackers that were written by hand.

    python -m benchmarks.attackers [--sites 16 1024] [--items 20000 100000] [--budget 300] [--games 40]

prints the table of docs/attackers.md: for each tracker with a promise the largest relative error over alpha, on average
over fresh games, of the strongest attacker written by hand and of the policy that the search found.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import suppress
from math import sqrt
from statistics import fmean, stdev
from typing import Any, Final

from disttrack.protocols.base import Protocol
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.registry import find, parameters
from disttrack.simulator.search.policy_search import attack
from disttrack.simulator.tasks.tracking import Count

ALPHA: Final = 0.1
WRITTEN: Final = ("freeze", "drain", "phase", "trial", "posterior")
FRESH: Final = 10**6
"""First seed of the fresh games."""


def trackers(names: list[str]) -> Iterator[Protocol]:
    """Yield the trackers that promise a relative error, of these kinds or all."""
    for name, kind in Count.kinds("protocol").items():
        maker = kind.load()
        if "alpha" in parameters(maker) and (not names or name in names):
            yield maker(alpha=ALPHA)


def errors_of(protocol: Protocol, adversary: Any, games: int, size: dict[str, int]) -> list[float]:
    """Return the largest errors of fresh games, over alpha."""
    seeds = range(FRESH, FRESH + games)
    return [(play(protocol, adversary, seed=seed, **size).max_rel_error or 0.0) / ALPHA for seed in seeds]


def row(protocol: Protocol, budget: int, games: int, size: dict[str, int]) -> str:
    """Return the row of a tracker."""
    begun = time.process_time()
    by_hand: dict[str, list[float]] = {}
    for name in WRITTEN:
        with suppress(ScenarioError):  # it is made for other trackers
            by_hand[name] = errors_of(protocol, find("adversary", name)(), games, size)
    best = max(by_hand, key=lambda name: fmean(by_hand[name]))
    found = attack(protocol, **size, budget=budget)
    errors = errors_of(protocol, found.policy, games, size)
    half = [1.96 * stdev(one) / sqrt(games) for one in (by_hand[best], errors)]
    numbers = " ".join(f"{name} {value:g}" for name, value in found.policy.as_mapping().items())
    cells = [
        f"`{protocol.kind}`", f"{size['sites']:,}", f"`{best}`", f"{fmean(by_hand[best]):.2f} ± {half[0]:.2f}",
        f"{fmean(errors):.2f} ± {half[1]:.2f}", f"{sum(one > 1 for one in errors)} of {games}", numbers,
        f"{time.process_time() - begun:.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sites", type=int, nargs="+", default=[16, 1024])
    parser.add_argument("--items", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--budget", type=int, default=300)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--trackers", nargs="+", default=[])
    asked = parser.parse_args()
    print("| tracker | sites | by hand | error/alpha | search: error/alpha | failed | policy | CPU seconds |")
    print("| --- | ---: | --- | ---: | ---: | ---: | --- | ---: |")
    for sites, items in zip(asked.sites, asked.items, strict=True):
        for protocol in trackers(asked.trackers):
            print(row(protocol, asked.budget, asked.games, {"sites": sites, "items": items}), flush=True)


if __name__ == "__main__":
    main()
