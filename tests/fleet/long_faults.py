"""Small games of quotas whose faults outlast a window: late refunds, rests, cut links, slow messages and departures.

`small_fleets` draws short faults over all traits of a fleet; here a reserve is settled up to two windows late, cheap
requests precede dear ones, and partitions and delays last for several windows. `python tests/fleet/long_faults.py 2000`
plays as many games of each kind and shape, and prints how near they come.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from small_fleets import OWN, SHAPED, Knowing, outcome

from disttrack.adversaries import Adversary, Burst, Rest
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet.change import Change
from disttrack.fleet.quotas import Quota, Split
from disttrack.simulator.game.network import network_of
from disttrack.simulator.points.registry import parameters

OWN_OF_TOKENS: Final = {"slots": [1, 2, 4, 8, 16, 64], "every": [1, 1, 2, 5]}
"""Values of parameters that decide how late a refund or a grant can be."""


@dataclass
class Lulls(Scripted, Adversary):
    """Bursts at a few sites with rests of about a window between them, and sites that leave or die and come back.

    If `cut` is not 0, a site leaves within a window of this step, the end of a partition.
    """

    number: int
    cut: int = 0
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


if __name__ == "__main__":
    broken: dict[tuple[str, str], list[int]] = {place: [] for place in ((kind.kind, shape) for kind, shape in SHAPED)}
    for number in range(int(sys.argv[1]) * len(SHAPED)):
        one = outcome(setting(number))
        if one.worst is not None and one.most > one.worst:
            broken[one.rule.kind, one.rule.shape].append(number)
    for (name, shape), numbers in broken.items():
        print(f"{name} {shape}: {len(numbers)} of {sys.argv[1]} games exceed the guarantee", *numbers[:5])
