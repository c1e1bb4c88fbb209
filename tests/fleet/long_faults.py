"""Small games of quotas whose faults outlast a window: late refunds, rests, cut links, slow messages and departures.

`small_fleets` draws short faults over all traits of a fleet; here a reserve is settled up to two windows late, cheap
requests precede dear ones, and partitions and delays last for several windows. The games take each reserve with each
time to settle in turn, and have a site that leaves while it is cut off. `python tests/fleet/long_faults.py 2000` plays
as many games of each kind and shape, and prints the numbers of those that break, and how often rules were used.
"""

from __future__ import annotations

import inspect
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from itertools import product
from typing import Any, ClassVar, Final

import pytest
from small_fleets import SHAPED, Knowing, Outcome, a_quota, outcome

from disttrack.adversaries import Adversary, Burst, Rest
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet import quotas
from disttrack.fleet.change import Change
from disttrack.simulator.game.network import network_of
from disttrack.simulator.kinds.registry import parameters

OWN_OF_TOKENS: Final = {"slots": [1, 2, 4, 8, 16, 64], "every": [1, 1, 2, 5]}
"""Values of parameters that decide how late a refund or a grant can be."""
RESERVES: Final = (0.1, 1, 2)
"""Reserves over the dearest cost; the first is 1 for all costs here."""
SETTLES: Final = (0, 0.1, 0.35, 1, 2)
"""Times to settle over the window; the first is one step."""
RULES: Final = {
    "refunds of a charge": ("Site.correct", ""),
    "refunds in a window": ("QuotaSite._refund", ""),
    "terms that end at a grant": ("TokenSite._anew", "heard"),
    "lapsed": ("TokenSite._anew", "slot"),
    "taken back": ("TokenServer.lose", "turn"),
    "departures": ("last_words", ""),
}
"""Rules that a search has to use: a function, and the one that calls it."""


@dataclass
class Lulls(Scripted, Adversary):
    """Bursts at a few sites with rests of about a window between them, and sites that leave or die and come back.

    If `cut` is not 0, the site `who` leaves within a window of this step, the begin of a partition; any if it is -1.
    """

    number: int
    cut: int = 0
    who: int = -1
    kind: ClassVar[str] = "lulls"
    sees: ClassVar = "state"
    plays: ClassVar[tuple[str, ...]] = ("quota",)

    def script(self, view: Any) -> Iterator[Any]:
        rng, window = random.Random(self.number), view.known["window"]
        leaves, rests = rng.choice([0, 0, 0.2]), rng.choice([0, 0.3, 0.8])
        moment = self.cut and self.cut + rng.randrange(window)
        while True:
            there = [number for number in range(view.sites) if view.site(number).present]
            departs = 0 < moment <= view.steps
            moment = 0 if departs else moment
            if departs and self.who in there and len(there) > 1:
                yield Change("leave", (self.who,))
                continue
            if len(there) > 1 and (departs or rng.random() < leaves):
                yield Change(rng.choice(["leave", "leave", "die"]), (rng.choice(there),))
                continue
            if len(there) < view.sites and rng.random() < 0.5:
                yield Change("join", (rng.choice([one for one in range(view.sites) if one not in there]),))
                continue
            if rng.random() < rests:
                yield Rest(rng.choice([1, window // 4, window - 1, window, window + window // 10, 2 * window]) or 1)
            until = view.steps + rng.choice([1, 3, window // 8, window // 3, window]) + 1
            while view.steps < (min(until, moment) if moment else until):
                able = [number for number in there if view.site(number).left > 0]
                yield Burst(rng.choice(able or there), 1)


def a_network(rng: random.Random, window: int, k: int, steps: int) -> Any:
    """Return none, delays up to several windows, losses, or a partition that lasts for several windows."""
    far = rng.choice([1, 3, window // 2, window, window + 3, 3 * window]) or 1
    begin = rng.randint(1, max(1, steps // 3))
    end = min(steps, begin + rng.choice([window, 3 * window, 8 * window]))
    cut: dict[str, Any] = {"partition": {"from": begin, "to": end, "sites": rng.randrange(k)}}
    late = {"latency": rng.choice([far, {"uniform": {"from": 0, "to": far}}])}
    return rng.choice([None, None, late, cut, cut | late, {"latency": 1, "loss": rng.choice([0.05, 0.5])}])


def setting(number: int) -> dict[str, Any]:
    """Return a drawn game with the next reserve and time to settle; the kinds and shapes take turns.

    Each site begins with cheap requests. If one is cut off, it leaves meanwhile.
    """
    rng = random.Random(number)
    k, window = rng.choice([1, 2, 2, 3]), rng.choice([4, 12, 25, 40, 64, 150])
    rule, pairs = a_quota(rng, SHAPED[number % len(SHAPED)]), [*product(RESERVES, SETTLES)]
    part, late = pairs[number // len(SHAPED) % len(pairs)]
    reserve = max(1, round(10 * part))
    limit = max(10, reserve, round(window * rng.choice([0.02, 0.1, 0.3, 1, 2])))
    more: dict[str, Any] = {"window": window, "limit": limit, "reserve": reserve, "skew": min(rule.skew, window - 1)}
    more["costs"] = tuple(([1] * rng.choice([3, window]) + [10] * rng.choice([1, window])) * k)
    more["settle"] = max(1, round(late * window))
    more |= {"depth": max(10, reserve, round(limit * rng.choice([0.5, 1, 1])))} if rule.depth else {}
    more |= {name: rng.choice(OWN_OF_TOKENS[name]) for name in OWN_OF_TOKENS if name in parameters(type(rule))}
    steps = window * rng.choice([4, 8, 14])
    network = network_of(a_network(rng, window, k, steps))
    load = rng.choice([Lulls(number), Lulls(number), Knowing(number)])
    if network is not None and (cut := network.partition) is not None:
        load = Lulls(number, cut.begin, cut.sites if isinstance(cut.sites, int) else -1)
    sizes = {"sites": k, "items": steps, "seed": number}
    return {"protocol": replace(rule, **more), "adversary": load, "network": network, **sizes}


def exceeds(one: Outcome) -> bool:
    """Return whether a game exceeds its guarantee."""
    return one.worst is not None and one.most > one.worst


@contextmanager
def counted() -> Iterator[Counter[tuple[str, str]]]:
    """Count the calls of the functions of `RULES`, by their names and those of their callers."""
    calls: Counter[tuple[str, str]] = Counter()
    names = {function.rpartition(".")[2] for function, _ in RULES.values()}

    def counting(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*given: Any) -> Any:
            calls[function.__qualname__, sys._getframe(1).f_code.co_name] += 1
            return function(*given)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for module in [one for name, one in sys.modules.items() if name.startswith(quotas.__name__)]:
            for kind in [one for one in vars(module).values() if inspect.isclass(one)]:
                for name in names & vars(kind).keys() if kind.__module__ == module.__name__ else ():
                    patch.setattr(kind, name, counting(vars(kind)[name]))
        yield calls


def used(calls: Counter[tuple[str, str]]) -> dict[str, int]:
    """Return how often each of `RULES` was used."""
    return {
        rule: sum(n for (name, by), n in calls.items() if name.endswith(function) and by in (caller or by, caller))
        for rule, (function, caller) in RULES.items()
    }


if __name__ == "__main__":
    with counted() as calls:
        for number in range(int(sys.argv[1]) * len(SHAPED)):
            if exceeds(one := outcome(setting(number))):
                print(f"{one.rule.kind} {one.rule.shape}: game {number} exceeds its guarantee")
    print(*(f"{rule}: {number:,}" for rule, number in used(calls).items()), sep="\n")
