"""Small games of quotas whose faults outlast a window: late refunds, rests, cut links, slow messages and departures.

`small_fleets` draws short faults over all traits of a fleet; here a reserve is settled up to two windows late, cheap
requests precede dear ones, and partitions and delays last for several windows. Half of the games take each reserve with
each time to settle in turn, and have a site that leaves while it is cut off. `python tests/fleet/long_faults.py 2000`
plays as many games of each kind and shape, and prints the numbers of those that break, and how often rules were used.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar, Final

from small_fleets import OWN, SHAPED, Knowing, Outcome, outcome

from disttrack.adversaries import Adversary, Burst, Rest
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet.change import Change
from disttrack.fleet.quotas import Quota, Split
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

    If `cut` is not 0, a site leaves within a window of this step, the end of a partition; or the site `who`, its begin.
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


def a_quota(rng: random.Random, kind: type[Quota], shape: str, k: int) -> Quota:
    """Return a quota of this kind and shape; half of them have a reserve, and cheap requests before dear ones."""
    window = rng.choice([4, 12, 25, 40, 64, 150])
    more: dict[str, Any] = {"window": window}
    if rng.random() < 0.5:
        dear = rng.choice([2, 5, 10])
        cheap = [1] * rng.choice([1, 3, window // 3 + 1, window])
        more["costs"] = tuple((cheap + [dear] * rng.choice([1, 5, window])) * k)  # each site begins with cheap ones
        more["limit"] = max(dear, round(window * rng.choice([0.3, 1, 2])))
        reserve = rng.choice([1, dear, dear, dear, 2 * dear])
        more |= {"reserve": min(more["limit"], reserve)}
        more |= {"settle": rng.choice([1, 2, window // 10, window // 3, window, 2 * window]) or 1}
    else:
        more["costs"] = rng.choice(["1", "1 3", "3"])
        more["limit"] = max(3, round(window * rng.choice([0.02, 0.05, 0.1, 0.3])))
    if "shape" in parameters(kind):
        more["shape"] = shape
    if shape == "bucket":
        more["depth"] = max(more.get("reserve", 1), 10, round(more["limit"] * rng.choice([0.5, 1, 1])))
    for name in sorted(set(parameters(kind)) - set(parameters(Split))):
        if name in OWN:  # a kind of another package may have others
            more[name] = rng.choice(OWN_OF_TOKENS.get(name, OWN[name]))
    if shape != "window":
        more.pop("clock", None)
    return kind(**more)


def a_network(rng: random.Random, window: int, k: int, steps: int) -> Any:
    """Return none, delays up to several windows, losses, or a partition that lasts for several windows."""
    far = rng.choice([1, 3, window // 2, window, window + 3, 3 * window]) or 1
    begin = rng.randint(1, max(1, steps // 3))
    end = min(steps, begin + rng.choice([window, 3 * window, 8 * window]))
    cut: dict[str, Any] = {"partition": {"from": begin, "to": end, "sites": rng.randrange(k)}}
    late = {"latency": rng.choice([far, {"uniform": {"from": 0, "to": far}}])}
    return rng.choice([None, None, late, cut, cut | late, {"latency": 1, "loss": rng.choice([0.05, 0.5])}])


def setting(number: int) -> dict[str, Any]:
    """Return a game drawn at random; the kinds and shapes take turns."""
    rng = random.Random(number)
    k = rng.choice([1, 2, 2, 3])
    protocol = a_quota(rng, *SHAPED[number % len(SHAPED)], k)
    steps = protocol.window * rng.choice([4, 8, 14])
    network = network_of(a_network(rng, protocol.window, k, steps))
    cut = 0 if network is None or network.partition is None else network.partition.end
    return {
        "protocol": protocol,
        "adversary": rng.choice([Lulls(number, cut), Lulls(number, cut), Knowing(number)]),
        "network": network,
        "sites": k,
        "items": steps,
        "seed": number,
    }


def setting_in_turn(number: int) -> dict[str, Any]:
    """Return a drawn game with the next reserve and time to settle; the site that is cut off leaves meanwhile."""
    drawn, rng = setting(number), random.Random(number)
    rule, network = drawn["protocol"], drawn["network"]
    reserves, settles = zip(*product(RESERVES, SETTLES), strict=True)
    place = number // len(SHAPED) % len(reserves)
    costs = tuple(([1] * rng.choice([3, rule.window]) + [10] * rng.choice([1, rule.window])) * drawn["sites"])
    reserve = max(1, round(10 * reserves[place]))
    limit = max(rule.limit, 10, reserve)
    more = {"depth": max(rule.depth, 10, reserve)} if rule.shape == "bucket" else {}
    settle = max(1, round(settles[place] * rule.window))
    drawn["protocol"] = replace(rule, limit=limit, costs=costs, reserve=reserve, settle=settle, **more)
    if network is not None and (cut := network.partition) is not None:
        drawn["adversary"] = Lulls(number, cut.begin, cut.sites if isinstance(cut.sites, int) else -1)
    return drawn


def exceeds(one: Outcome) -> bool:
    """Return whether a game exceeds its guarantee."""
    return one.worst is not None and one.most > one.worst


@contextmanager
def counted() -> Iterator[Counter[tuple[str, str]]]:
    """Count the calls of the functions of quotas, by their names and those of their callers."""
    calls: Counter[tuple[str, str]] = Counter()
    of_quotas: dict[str, bool] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        file = frame.f_code.co_filename
        if (own := of_quotas.get(file)) is None:
            own = of_quotas[file] = Path(file).parent.name == "quotas"
        if own and frame.f_back is not None:
            calls[frame.f_code.co_qualname, frame.f_back.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def used(calls: Counter[tuple[str, str]]) -> dict[str, int]:
    """Return how often each of `RULES` was used."""
    return {
        rule: sum(n for (name, by), n in calls.items() if name.endswith(function) and by in (caller or by, caller))
        for rule, (function, caller) in RULES.items()
    }


if __name__ == "__main__":
    with counted() as calls:
        for number in range(int(sys.argv[1]) * len(SHAPED)):
            if exceeds(one := outcome((setting_in_turn if number // len(SHAPED) % 2 else setting)(number))):
                print(f"{one.rule.kind} {one.rule.shape}: game {number} exceeds its guarantee")
    print(*(f"{rule}: {number:,}" for rule, number in used(calls).items()), sep="\n")
