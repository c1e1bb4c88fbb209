"""What the search for policies finds beside the attackers that were written by hand, and what is proven.

    python -m benchmarks.attackers [--sites 16 1024] [--items 10000 50000] [--budget 1000] [--games 200]

prints the table of results/reference/tables/searches.md: for each tracker with a promise the largest relative error
over alpha, on average over fresh games, of the strongest attacker written by hand and of the policy that the search
found.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import suppress
from math import sqrt
from statistics import fmean, stdev
from typing import Any, Final

from disttrack.attack.search.policy_search import PolicyGames, Size, attack
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.claims.statistics import clopper_pearson
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import find, parameters

ALPHA: Final = 0.1
WRITTEN: Final = ("freeze", "drain", "phase", "trial", "posterior")
FRESH: Final = 10**6
"""Seed of the fresh games, the same for all attackers of a tracker."""


def trackers(names: list[str]) -> Iterator[Protocol]:
    """Yield the trackers that promise a relative error, of these kinds or all."""
    for name, kind in Count.kinds("protocol").items():
        maker = kind.load()
        if "alpha" in parameters(maker) and maker.guarantee != "none" and (not names or name in names):
            yield maker(alpha=ALPHA)


def proven(protocol: Any, sites: int) -> str:
    """Return what is proven of every adversary: a largest error over alpha, or a probability of failure."""
    if protocol.guarantee != "oblivious":
        return "1" if protocol.guarantee == "always" else f"{100 * protocol.delta:g} % fail"
    above = sqrt(sites) / protocol.confidence  # each site is wrong by at most a block, or by 1/p - 1 above
    # the outputs of a round of `block` are between its first count and twice that; `randomized` is positive only
    return f"{min(above, 1 / ALPHA):.2f}" if protocol.kind == "block" else f"{above:.2f} above"


def errors_of(protocol: Protocol, adversary: Any, games: int, size: Size) -> list[float]:
    """Return the largest errors of fresh games, over alpha."""
    fresh = PolicyGames(protocol, size, FRESH)
    return [fresh.error(adversary) / ALPHA for _ in range(games)]


def row(protocol: Protocol, budget: int, games: int, size: Size, written: list[str]) -> str:
    """Return the row of a tracker."""
    begun = time.process_time()
    by_hand: dict[str, list[float]] = {}
    for name in written:
        with suppress(ScenarioError):  # it is made for other trackers
            by_hand[name] = errors_of(protocol, find("adversary", name)(), games, size)
    best = max(by_hand, key=lambda name: fmean(by_hand[name]))
    found = attack(protocol, **size, budget=budget)
    errors = errors_of(protocol, found.policy, games, size)
    half = [1.96 * stdev(one) / sqrt(games) for one in (by_hand[best], errors)]
    numbers = " ".join(f"{name} {value:g}" for name, value in found.policy.as_mapping().items())
    failed = sum(one > 1 for one in errors)
    low, high = clopper_pearson(failed, games)
    cells = [
        f"`{protocol.kind}`", f"{size['sites']:,}", proven(protocol, size["sites"]), f"`{best}`",
        f"{fmean(by_hand[best]):.2f} ± {half[0]:.2f}", f"{fmean(errors):.2f} ± {half[1]:.2f}",
        f"{failed} of {games} ({100 * low:.1f} to {100 * high:.1f} %)", numbers, f"{time.process_time() - begun:.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sites", type=int, nargs="+", default=[16, 1024])
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--trackers", nargs="+", default=[])
    parser.add_argument("--written", nargs="+", default=WRITTEN, choices=WRITTEN)
    asked = parser.parse_args()
    print("| tracker | sites | proven | by hand | error/alpha | search: error/alpha | failed | policy | CPU seconds |")
    print("| --- | ---: | --- | --- | ---: | ---: | ---: | --- | ---: |")
    for sites, items in zip(asked.sites, asked.items, strict=True):
        for protocol in trackers(asked.trackers):
            size: Size = {"sites": sites, "items": items, "start": 0}
            print(row(protocol, asked.budget, asked.games, size, asked.written), flush=True)


if __name__ == "__main__":
    main()
