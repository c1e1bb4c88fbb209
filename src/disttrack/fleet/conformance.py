"""The conformance test of quotas: their bound in games with partitions, losses, rests and many sites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isfinite
from typing import Any, Final

from disttrack.adversaries import Burst, Rest
from disttrack.adversaries.scripts import from_function
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.task import measured, ways
from disttrack.simulator.game.network import network_of
from disttrack.simulator.game.play import play
from disttrack.simulator.kinds.names import count
from disttrack.simulator.workshop.conformance.failure import Checks, require

SITES: Final = (1, 3, 16)
WINDOWS: Final = 6
"""Windows, or spans, of a game."""
MOST_STEPS: Final = 20_000
LOADS: Final = ("uniform", "single-site", "boundary", "churn-of-sites")
"""Loads beside `rests`."""


def rests(view: Any) -> Iterator[Any]:
    """All sites in turn for half a window, a rest of two and a half, and so on; then one site alone."""
    window = view.known["window"]
    for site in (None, 0, view.sites - 1):
        until = view.steps + max(1, window // 2)
        while view.steps < until:
            yield Burst(view.steps % view.sites if site is None else site, 1)
        yield Rest(max(1, 5 * window // 2))
    while True:
        yield Burst(0, window)


def networks(quota: Quota, k: int) -> dict[str, Mapping[str, Any]]:
    """Return the networks of games with k sites, by name."""
    span, late = quota.span, max(1, quota.span // 10)
    cut: dict[str, Any] = {"from": max(1, span // 2), "to": span // 2 + 2 * span, "sites": 0}
    return {
        "no latency": {},
        f"latency {late}": {"latency": late},
        "a partition": {"latency": 1, "partition": cut},
        "loss 0.2": {"latency": 1, "loss": 0.2},
        "duplication 0.3": {"latency": 1, "duplication": 0.3},
    }


def _games(quota: Quota) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Yield the games in which the quota promises something: sites, load, network, and the arguments of `play`."""
    steps = min(WINDOWS * quota.span, MOST_STEPS)
    for k in SITES:
        for (name, given), load in product(networks(quota, k).items(), (*LOADS, "rests")):
            if k == 1 and load == "churn-of-sites":
                continue
            network = network_of(given) if given else None
            fleet: dict[str, Any] = {"k": k, **ways(network), "deaths": steps * (load == "churn-of-sites")}
            if not isfinite(quota.slack(**fleet)):
                continue
            adversary = from_function(rests) if load == "rests" else load
            yield k, load, name, {"adversary": adversary, "sites": k, "items": steps, "network": network}


def keeps_its_bound(quota: Quota, sites: Sequence[int], items: int) -> Checks:
    """No window, nor any interval that the shape speaks of, has more than is guaranteed; one game refutes it."""
    for k, load, network, given in _games(quota):
        game = play(quota, **given, seed=k)
        row = measured(game)
        what = f"admits {row['overshoot']} limits beyond the limit, and guarantees {row['overshoot_promised']}"
        where = f"({count(k, 'site')}, {count(game.items, 'step')}, {load}, {network})"
        mend = "look at what a site may admit before it hears of others, or state a larger `slack`"
        require(row["verdict"] != "failed", f"{what} {where}", mend)
        yield None


BOUND: Final = "keeps its bound"
CHECKS: Final = {BOUND: keeps_its_bound}


def untested(quota: Quota) -> dict[str, str]:
    """Return why no game can refute a quota; empty if some can."""
    if any(_games(quota)):
        return {}
    lost = quota.lost_guarantee or f"{type(quota).__name__} promises nothing on these networks"
    return {BOUND: f"{lost}; state `guarantee` and `slack`"}


def described(quota: Quota) -> dict[str, str]:
    """Return the games of the check, in words."""
    tried = list(_games(quota))
    sites, loads, nets = ([*dict.fromkeys(str(one[place]) for one in tried)] for place in range(3))
    steps = count(min(WINDOWS * quota.span, MOST_STEPS), "step")
    return {BOUND: f"{', '.join(sites)} sites, {steps}; {', '.join(loads)}; {', '.join(nets)}"}
