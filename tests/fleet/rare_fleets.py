"""Games of quotas in which a rare thing happens, for each kind and shape, and how often it did.

`small_fleets` draws all traits of a fleet at once, so that some meet too seldom. Here each family of games is about one
of them: copies of single messages, several limits, and sites that are late, or cut off with their tokens.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from small_fleets import Knowing, Restless, a_quota, stay

from disttrack.adversaries import Adversary, Burst, Rest, Uniform
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet.change import Change
from disttrack.fleet.quotas import Quota
from disttrack.simulator import play
from disttrack.simulator.game.network import network_of
from disttrack.simulator.kinds.registry import parameters

Place = tuple[type[Quota], str]


@dataclass
class LateInTurn(Scripted, Adversary):
    """Requests from the beginning of each second window: to each site while it is late, then to the first one."""

    skew: int
    kind: ClassVar[str] = "late-in-turn"
    plays: ClassVar[tuple[str, ...]] = ("quota",)

    def script(self, view: Any) -> Iterator[Any]:
        begin, last = view.known["window"], view.sites - 1
        while True:
            if begin > view.steps:
                yield Rest(begin - view.steps)
            for site in range(1, view.sites):
                yield from stay(view, site, begin + self.skew * site // last)
            yield from stay(view, 0, begin + view.known["window"])
            begin += 2 * view.known["window"]


def changed(rule: Quota, own: Mapping[str, Any] = MappingProxyType({}), **more: Any) -> Quota:
    """Return the quota with other parameters, and those of `own` that its kind has.

    Unless others are given, requests cost 1, which is known at once, clocks agree, and a bucket has the limit.
    """
    usual = {"costs": 1, "reserve": 0, "settle": 0, "skew": 0} | ({"depth": more["limit"]} if rule.depth else {})
    known = {name: value for name, value in own.items() if name in parameters(type(rule))}
    return replace(rule, **usual | more | known)


def game(number: int, rule: Quota, load: Any, network: Any, k: int, items: int) -> dict[str, Any]:
    """Return a game in a network that is given as in a scenario."""
    given = {"protocol": rule, "adversary": load, "network": network_of(network)}
    return given | {"sites": k, "items": items, "seed": number}


def late_in_turn(number: int, place: Place) -> dict[str, Any]:
    """Return a game of several sites whose clocks are late, which spend the window that is over one after the other."""
    rng = random.Random(f"late in turn {number}")
    window, k = rng.choice([12, 25, 60]), rng.choice([2, 3, 4, 6])
    rule, late = a_quota(rng, place), rng.choice([k - 1, k, window // 2, window - 1])
    limit = max(1, round(window * rng.choice([0.02, 0.1, 0.2])))
    own = {"every": rng.choice([1, 2, 5]), "size": rng.choice([1, 1, 2]), "epsilon": 0}
    rule = changed(rule, own, limit=limit, window=window, skew=late)
    return game(number, rule, LateInTurn(late), rng.choice([None, None, {"latency": 1}]), k, 4 * window)


def cut_off(number: int, place: Place) -> dict[str, Any]:
    """Return a game whose site 0 is cut off with its part of the limit, and uses it in the end; then site 1 asks."""
    rng = random.Random(f"cut off {number}")
    window, limit = rng.choice([16, 24]), rng.choice([4, 9])
    own = {"slots": rng.choice([4, 8, 16]), "fraction": 1, "upfront": 0.5, "low": 0, "every": 5}
    rule = changed(a_quota(rng, place), own, limit=limit, window=window)
    begin = limit + rng.randint(2, window)
    use = begin + rng.choice([rng.randint(1, 3 * window), round(rng.uniform(1.5, 2.3) * window)])

    def load(view: Any) -> Iterator[Any]:
        yield from stay(view, 0, limit)
        yield Rest(use - view.steps)
        yield from stay(view, 0, use + limit)
        yield from stay(view, 1, 7 * window)

    cut = {"partition": {"from": begin, "to": use + 3 * window, "sites": 0}}
    return game(number, rule, load, cut, 2, 4 * window)


def several(number: int, place: Place) -> dict[str, Any]:
    """Return a game with two or three limits at once, of which each is sometimes the one that refuses."""
    rng = random.Random(f"several {number}")
    rule, k = a_quota(rng, place), rng.choice([1, 2, 3, 5])
    window, times = rng.choice([1, 5, 12, 25]), rng.choice([2, 3, 7])
    costs = rng.choice(["1", "1", "1 5", "3 1"])
    limit = max(5, round(window * rng.choice([0.2, 0.5, 1])))
    longer = [(max(5, round(limit * times * rng.choice([0.2, 0.5, 0.8]))), window * times)]
    if rng.random() < 0.4:
        longer.append((max(5, round(longer[0][0] * rng.choice([0.8, 1.5]))), window * times * 2))
    limits = " ".join(f"{most}/{steps}" for most, steps in longer)
    own = {"upfront": 0, "charge": "admitted", "clock": "store", "away": "closed", "timeout": 0}
    rule = changed(rule, own, costs=costs, limit=limit, window=window, limits=limits)
    far = rng.choice([0, 0, 1, 3, window])
    late = rng.choice([far, {"uniform": {"from": 0, "to": far}}]) if far else 0
    faults = rng.choice([{}, {}, {"loss": 0.2}, {"duplication": 0.3}, {"reordering": 0.3}])
    load = rng.choice([Restless(number), Knowing(number), Uniform(), Knowing(number + 1)])
    return game(number, rule, load, {"latency": late} | faults, k, max(20, 4 * window * times))


def copied(number: int, place: Place) -> dict[str, dict[str, Any]]:
    """Return games in each of which one message of a game comes twice, by the kinds of these messages."""
    rng = random.Random(f"copied {number}")
    rule, k = a_quota(rng, place), rng.choice([2, 3])
    window = rng.choice([25, 40])
    limit = window // rng.choice([2, 3])
    own = {"slots": 8, "fraction": rng.choice([0.5, 1]), "upfront": 0, "share": 0, "every": 5}
    rule = changed(rule, own, limit=limit, window=window)

    def load(view: Any) -> Iterator[Any]:
        rng = random.Random(number)
        while True:
            first = rng.randrange(k)
            yield Burst(first, rng.choice([1, 2]))
            yield Rest(rng.choice([1, 5]))
            yield Change("leave", (first,))
            yield Change("join", (first,))
            until = (view.steps // window + 1) * window
            while view.steps < until:
                yield from stay(view, rng.randrange(k), min(until, view.steps + limit))

    given = game(number, rule, load, None, k, 2 * window)
    sent = play(**given, record=True).transcript
    wires = Counter[tuple[str, int]]()
    copies: defaultdict[str, list[str]] = defaultdict(list)
    for sender, receiver, kind in zip(sent["sender"], sent["receiver"], sent["kind"], strict=True):
        wire = ("from", sender) if receiver == "server" else ("to", receiver)
        wires[wire] += 1
        copies[kind].append(f"message {wires[wire]} {wire[0]} {wire[1]} twice {rng.choice([0, 1, 5])}")
    return {kind: given | {"network": network_of({"faults": rng.choice(copies[kind])})} for kind in sorted(copies)}
