"""Small games of quotas for a random search: the edges of each kind and shape, and settings drawn at random.

A game has few sites and steps and takes some milliseconds, so that many settings of each formula are tried. `python
tests/fleet/small_fleets.py 20000 asked` plays as many drawn ones of a family (`FAMILIES`), and prints how near they
come; `20000 drawn` and `0 edges` any kinds and shapes, and the edges; `20000 drawn central` those of one kind.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from disttrack.adversaries import Adversary, Burst, Rest, RoundRobin
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet.book import beyond, in_order, largest
from disttrack.fleet.change import Change
from disttrack.fleet.loads import Greedy, Retrying
from disttrack.fleet.quotas import Quota, Split
from disttrack.fleet.task import by_window, measured, ways
from disttrack.simulator import play
from disttrack.simulator.game.network import network_of
from disttrack.simulator.kinds.registry import kinds_for, parameters

REGISTERED: Final = kinds_for("protocol", f"{Quota.__module__}:{Quota.__name__}")
KINDS: Final[list[type[Quota]]] = [REGISTERED[name].load() for name in sorted(REGISTERED)]
SHAPED: Final = [
    (kind, shape)
    for kind in KINDS
    for shape in (("window", "sliding", "weighted", "bucket") if "shape" in parameters(kind) else (kind.shape,))
]
"""Each kind with each of its shapes."""
OWN: Final[dict[str, Any]] = {
    "size": [1, 2, 3, 6],
    "epsilon": [0, 0.2, 0.5],
    "share": [0, 0.8],
    "upfront": [0, 0.5],
    "low": [0, 0.3],
    "fraction": [0.2, 0.5, 1],
    "free": [0, 0.1, 0.7],
    "memory": [0, 0.5],
    "slots": [1, 4, 16],
    "every": [1, 1, 2, 3, 5, 30],
    "charge": ["admitted", "admitted", "asked"],
    "clock": ["store", "client"],
}
"""Values of the parameters that some kinds have; the last `every` is above any window."""


@dataclass
class Knowing(Scripted, Adversary):
    """Sees what each site could admit, and sends each request to one that admits it, while there is one."""

    number: int
    kind: ClassVar[str] = "knowing"
    sees: ClassVar = "state"
    plays: ClassVar[tuple[str, ...]] = ("quota",)

    def script(self, view: Any) -> Iterator[Any]:
        rng, window = random.Random(self.number), view.known["window"]
        order = rng.choice([lambda left: left, lambda left: -left, lambda left: rng.random()])
        dies, rests = rng.choice([0, 0, 0.03, 0.3]), rng.choice([0, 0, 0.02])
        if rng.random() < 0.7:
            yield Rest(rng.randint(1, 2 * window))
        while True:
            sites = [view.site(number) for number in range(view.sites)]
            there = [number for number, site in enumerate(sites) if site.present]
            able = [number for number in there if sites[number].left > 0]
            if there and rng.random() < dies:
                yield Change("die" if rng.random() < 0.8 else "leave", (max(there, key=lambda n: sites[n].held),))
            elif len(there) < view.sites and (not there or rng.random() < 0.3):
                yield Change("join", (rng.choice([number for number in range(view.sites) if number not in there]),))
            elif rng.random() < rests:
                yield Rest(rng.choice([1, 5, window - view.steps % window]))
            else:
                yield Burst(min(able, key=lambda n: order(sites[n].left)) if able else rng.choice(there), 1)


@dataclass
class Restless(Scripted, Adversary):
    """Requests to sites drawn at random, some of which go and come back, and rests: its parts are drawn by a number."""

    number: int
    kind: ClassVar[str] = "restless"
    plays: ClassVar[tuple[str, ...]] = ("quota",)

    def script(self, view: Any) -> Iterator[Any]:
        rng = random.Random(self.number)
        stay, goes, dies = rng.choice([2, 4, 8, 20, 60]), rng.choice([0.1, 1, 1, 1]), rng.choice([0, 0, 0, 0.1, 1])
        back, rests, window = rng.choice([0.3, 1, 1, 1]), rng.choice([0, 0, 0.1]), view.known["window"]
        there, site = [True] * view.sites, 0
        while True:
            site = rng.choice([rng.randrange(view.sites), (site + 1) % view.sites])
            until = view.steps + rng.randint(1, stay)
            while view.steps < until and (there[site] or not any(there)):
                yield Burst(site, until - view.steps)
            if there[site] and rng.random() < goes:
                yield Change("die" if rng.random() < dies else "leave", (site,))
                there[site] = False
            if not there[site] and rng.random() < back:
                if rng.random() < rests:
                    yield Rest(rng.choice([1, 5, window - view.steps % window]))
                yield Change("join", (site,))
                there[site] = True
            if rng.random() < rests:
                yield Rest(rng.choice([1, 5, window - view.steps % window, 1 + (window - view.steps) % window]))


@dataclass
class Edges(Scripted, Adversary):
    """Requests to the last site, whose clock is late, about the end of each second window, then to the first one."""

    before: int
    after: int
    kind: ClassVar[str] = "edges"
    plays: ClassVar[tuple[str, ...]] = ("quota",)

    def script(self, view: Any) -> Iterator[Any]:
        end = view.known["window"]
        while True:
            if end - self.before > view.steps:
                yield Rest(end - self.before - view.steps)
            for site, until in ((view.sites - 1, end + self.after), (0, end + view.known["window"])):
                yield from stay(view, site, until)
            end += 2 * view.known["window"]


def stay(view: Any, site: int, until: int) -> Iterator[Burst]:
    """Yield requests to a site up to a step, whatever it answers."""
    while view.steps < until:
        yield Burst(site, until - view.steps)


def churn_at_once(view: Any) -> Iterator[Any]:
    """Make the first site die before the first request and the last one in the step after it, and feed both."""
    yield Change("die", (0,))
    yield Burst(view.sites - 1, 1)
    yield Change("join", (0,))
    yield Change("die", (view.sites - 1,))
    while True:
        yield Burst(0, 1)
        if view.steps % 7 == 6:
            yield Change("join" if view.steps % 14 == 6 else "die", (view.sites - 1,))


def seldom(view: Any) -> Iterator[Any]:
    """Yield one request in ten steps, to one of three sites."""
    rng = random.Random(1)
    while True:
        yield Burst(rng.randrange(3), 1)
        yield Rest(9)


def made(place: tuple[type[Quota], str], **given: Any) -> Quota:
    """Return a quota of this kind and shape with those parameters that it has; a bucket has the depth of its limit."""
    kind, shape = place
    given["shape"] = shape
    if shape == "bucket":
        given.setdefault("depth", given["limit"])
    known = {name: value for name, value in given.items() if name in parameters(kind)}
    return kind(**{name: value for name, value in known.items() if name != "depth" or shape == "bucket"})


def edge_settings() -> Iterator[dict[str, Any]]:
    """Yield games at the edges: limit and window of one, one site, no and long messages, dear requests, late costs."""
    costs: list[dict[str, Any]] = [{}, {"costs": "1 9"}, {"costs": "9 1", "reserve": 1, "settle": 1}]
    networks = [None, {"latency": 1}, {"latency": 30, "latency_down": 1}]
    loads = [Knowing(1), RoundRobin(), churn_at_once]
    for (kind, shape), window, k, cost, network, load in product(SHAPED, (1, 8), (1, 2, 5), costs, networks, loads):
        more = {"skew": window - 1} if k == 5 else {}
        protocol = made((kind, shape), limit=9 if cost else 1, window=window, every=1, **cost, **more)
        sizes = {"sites": k, "items": max(4, 2 * window), "seed": 1}
        yield {"protocol": protocol, "adversary": load, "network": network_of(network), **sizes}


def a_quota(rng: random.Random, place: tuple[type[Quota], str] | None = None) -> Quota:
    """Return one of this kind and shape, or of any, with a limit that is reached."""
    kind, shape = place or rng.choice(SHAPED)
    window, late = rng.choice([1, 2, 4, 7, 12, 25, 40] * 4 + [150]), rng.random() < 0.4
    costs = rng.choice(["1 2 4", "1 1 9", "3 1 1", "9"] if late else ["1", "1", "1", "3", "1 5"])
    cycle = [int(cost) for cost in costs.split()]
    mean = sum(cycle) / len(cycle)
    limit = max(*cycle, round(window * mean * rng.choice([0.01, 0.1, 0.3, 0.6])), 1)
    more: dict[str, Any] = {"limit": limit, "window": window, "costs": costs}
    if window > 1 and rng.random() < 0.3:
        more["skew"] = rng.choice([1, rng.randrange(1, window), window - 1])
    if late:
        reserve = rng.choice([1, 1, 1, round(mean), max(cycle), 2 * max(cycle)])
        more |= {"reserve": min(limit, reserve), "settle": rng.choice([1, 2, 2, 5, 99])}
    if "shape" in parameters(kind):
        more["shape"] = shape
    if shape == "bucket":
        more["depth"] = max(*cycle, more.get("reserve", 1), round(limit * rng.choice([0.5, 1, 2])))
    for name in sorted(set(parameters(kind)) - set(parameters(Split))):
        if name in OWN:  # a kind of another package may have others
            more[name] = rng.choice(OWN[name])
    if shape != "window":
        more.pop("clock", None)  # its slots no client numbers
    return kind(**more)


def rounded(rng: random.Random, rule: Quota) -> Quota:
    """Return the quota, in half of the buckets without the parts of tokens that come in a slot, if tokens are left."""
    if "rounding" not in parameters(type(rule)) or not rule.depth or rng.random() < 0.5:
        return rule
    try:
        replace(rule, rounding="down", limit=rule.limit + 1)  # type: ignore[call-arg]  # a formula's fault
        return replace(rule, rounding="down")  # type: ignore[call-arg]
    except ValueError:  # a slot brings less than a token
        return rule


def timed(rng: random.Random, rule: Quota) -> Quota:
    """Return the quota, in half of those that may, with sites that look for answers that are due."""
    late = rule.reserve and (rule.shape != "window" or rule.one_sum)
    if "timeout" not in parameters(type(rule)) or late or rng.random() < 0.5:
        return rule
    return that_looks(rng, rule)


def that_looks(rng: random.Random, rule: Quota) -> Quota:
    """Return the quota with sites that look for answers that are due."""
    aways = ["closed", "open"] if rule.shape == "bucket" else ["closed", "open", "share", "share", "share"]
    more: dict[str, Any] = {"away": rng.choice(aways), "timeout": rng.choice([1, 2, 5, 12]), "skew": 0}
    if rule.shape != "window" or rule.one_sum:
        more |= {"reserve": 0, "settle": 0}
    return replace(rule, clock="store", **more)  # type: ignore[call-arg]


def longer(rng: random.Random, rule: Quota, part: float = 0.33) -> Quota:
    """Return the quota, in this part of those that may, with one or two further limits."""
    if "limits" not in parameters(type(rule)) or rule.shape != "window" or rng.random() >= part:
        return rule
    windows = [rule.window * times for times in rng.choice([(2,), (3,), (2, 4), (3, 6)])]
    limits = " ".join(f"{max(rule.price, rule.limit * rng.choice([1, 2]))}/{window}" for window in windows)
    plain: dict[str, Any] = {"skew": 0, "reserve": 0, "settle": 0, "upfront": 0}
    plain |= {"clock": "store", "charge": "admitted", "timeout": 0, "away": "closed"}
    return replace(rule, limits=limits, **{name: plain[name] for name in plain if name in parameters(type(rule))})


def costly(number: int) -> dict[str, Any]:
    """Return a drawn game with many words for its bound; the kinds and shapes take turns.

    No site leaves and no message is late. Half of the games give many sites in turn a limit of few requests, in a span
    of up to 31 slots, which has the most looks for idle tokens; others have pauses, or costs that leave debts.
    """
    rng = random.Random(f"costly {number}")
    place, k = SHAPED[number % len(SHAPED)], rng.choice([1, 3, 7, 12])
    rule, pauses, lengths = a_quota(rng, place), rng.choice([0, 0.1]), rng.choice([[1], [1, 1, 9]])
    what = rng.choice(["looks", "looks", "pauses", "debts"])
    more: dict[str, Any] = {}
    if what == "debts":
        more = {"limit": round(rule.window * rng.choice([2, 9])) + 9, "costs": "9", "reserve": 1}
        more["settle"] = rng.choice([1, 2])
    if what == "looks":
        pauses, lengths = 0, [1]
        more = {"limit": max(1, rng.choice([k // 2, k])), "window": rng.choice([28, 31])}
        more |= {"costs": 1, "reserve": 0, "settle": 0, "skew": 0}
        more |= {"slots": 64} if "slots" in parameters(place[0]) else {}
    more |= {"depth": more["limit"]} if more and rule.depth else {}
    rule = replace(rule, **more)

    def load(view: Any) -> Iterator[Any]:
        turns = random.Random(number)
        while True:
            for site in range(k):
                yield Burst(site, turns.choice(lengths))
            if turns.random() < pauses:
                yield Rest(turns.choice([1, 5, rule.window, 2 * rule.window]))

    return {"protocol": rule, "adversary": load, "sites": k, "items": min(500, 30 * rule.window), "seed": number}


def delays(rng: random.Random, window: int) -> Any:
    """Return the latency of one way."""
    far = rng.choice([1, 1, 2, 3, 5, window + 3])
    return rng.choice([far, far, {"uniform": {"from": 0, "to": far}}, {"uniform": {"from": far // 2, "to": far}}])


def a_network(rng: random.Random, window: int) -> Any:
    """Return none, or delays, of which one in ten has no bound or loses messages."""
    if rng.random() < 0.3:
        return None
    given: dict[str, Any] = {"latency": delays(rng, window)}
    if rng.random() < 0.5:
        given["latency_down"] = rng.choice([0, delays(rng, window)])
    if rng.random() < 0.1:
        given["far"] = {"sites": 0, "latency": delays(rng, window)}
    faults: list[dict[str, Any]] = [{"loss": 0.2}, {"loss": 0.2, "link": "reliable"}, {"duplication": 0.2}]
    return given | rng.choice([*faults, {"latency": {"exponential": 4}}]) if rng.random() < 0.1 else given


def setting(number: int, place: tuple[type[Quota], str] | None = None) -> dict[str, Any]:
    """Return a game drawn at random: protocol, of this kind and shape or any, adversary, network and sizes."""
    rng = random.Random(number)
    protocol = timed(rng, rounded(rng, a_quota(rng, place)))
    window = protocol.window
    edges = Edges(rng.choice([1 + window // 8, 1 + window // 3]), rng.choice([0, protocol.skew]))
    retrying = Retrying(rng.choice([0.3, 1]), rng.choice(["fixed", "exponential", "bucket"]), rng.choice([1, 5]))
    known = [Knowing(number)] * 5
    return {
        "protocol": protocol,
        "adversary": rng.choice([*known, *[Restless(number)] * 3, edges, RoundRobin(), Greedy(), retrying]),
        "network": network_of(a_network(rng, window)),
        "sites": rng.choice([1, 2, 2, 3, 4, 6, 12]),
        "items": min(rng.choice([window, 2 * window, 3 * window + rng.randrange(5)]), max(80, 2 * window)),
        "seed": number,
    }


LOOKING: Final = [place for place in SHAPED if "timeout" in parameters(place[0])]
"""Those whose sites may look whether they are cut off."""
FAMILIES: Final = {
    "drawn": SHAPED,
    "shapes": [place for place in SHAPED if place[1] != "window"],
    "asked": [place for place in SHAPED if "charge" in parameters(place[0])],
    "limits": [place for place in SHAPED if "limits" in parameters(place[0]) and place[1] == "window"],
    "away": LOOKING,
    "clock": [place for place in LOOKING if place[1] == "window"],
    "rounding": [place for place in LOOKING if place[1] == "bucket"],
    "weights": [place for place in SHAPED if place[1] == "weighted"],
    "fair": [place for place in SHAPED if place[0].kind == "fair-lease"],
    "crossed": SHAPED,
}
"""The kinds and shapes that have a setting, by its name; `crossed` are all settings at once, often at an edge."""


def of_family(name: str, number: int, some: Sequence[tuple[type[Quota], str]] = ()) -> dict[str, Any]:
    """Return a drawn game with a setting, of its kinds and shapes in turn."""
    places = [place for place in FAMILIES[name] if not some or place in some]
    given, rng = setting(number, places[number % len(places)]), random.Random(f"{name} {number}")
    rule = given["protocol"]
    if name == "asked":
        rule = replace(rule, charge="asked")
    if name == "limits":
        rule = longer(rng, rule, part=1)
    if name == "away":
        rule = that_looks(rng, rule)
    if name == "clock":
        skew = rng.choice([1, rule.window // 2, rule.window - 1]) if rule.window > 1 else 0
        rule = replace(rule, clock="client", skew=skew, timeout=0, away="closed")
    if name == "rounding":
        rule = rounded(rng, rounded(rng, rule))
    if name == "crossed":
        given |= {"sites": rng.choice([1, given["sites"], given["sites"]])}
        for more in ({"limit": rule.price}, {"window": 1, "skew": 0}, {"skew": max(0, rule.window - 1)}):
            rule = edged(rule, more) if rng.random() < 0.25 else rule
        rule = longer(rng, rule, part=0.5)
    return given | {"protocol": rule}


def edged(rule: Quota, more: dict[str, Any]) -> Quota:
    """Return the quota with other parameters, as it is if they do not fit."""
    try:
        return replace(rule, **more)
    except ValueError:
        return rule


class Outcome(NamedTuple):
    """What a game says about its guarantee.

    Attributes
    ----------
    rule
        The protocol.
    most
        The largest cost admitted, in the sense of `Quota.worst`.
    worst
        What is guaranteed; None without a guarantee.
    lower
        What would be guaranteed by formulas with a fault, by its name.
    """

    rule: Quota
    most: float
    worst: float | None
    lower: dict[str, float]

    @property
    def ratio(self) -> float | None:
        """The overshoot over what is guaranteed; None if none is, or if that is only what may come at all."""
        if self.worst is None or self.worst <= self.rule.limit or "one request" not in self.lower:
            return None
        return max(0, self.most - self.rule.limit) / (self.worst - self.rule.limit)


def deaths_of(game: Any, rule: Quota) -> int:
    """Return the deaths that a guarantee counts: the most in a window, by the shape of the limit, or all."""
    died = np.array(game.died, np.int64)
    if rule.shape == "window":
        return max(row["died"] for row in by_window(game.looks, rule.window))
    return len(died) if rule.shape == "bucket" else largest(died, np.ones_like(died), rule.window)


def outcome(given: dict[str, Any], engines: Sequence[str] = ()) -> Outcome:
    """Play a game and compare it with its guarantee; of several limits the nearest one.

    Engines that are not given are `step`, and `leap` too for each fifth seed: both have to play one game.
    """
    seen = given["adversary"].sees if isinstance(given["adversary"], Adversary) else "outputs"
    engines = engines or (("step",) if given["seed"] % 5 else ("step", "leap"))
    games = [play(**given, engine=engine, sees=seen) for engine in engines]
    for game in games[1:]:
        assert games[0].looks == game.looks, given
    game, rule = games[0], given["protocol"]
    row = measured(game)
    each = [by_limit(game, one, given["network"]) for one in rule.singles]
    if row["overshoot_promised"] is None:
        return each[0]._replace(worst=None, lower={})
    failed = any(one.most > one.worst for one in each)
    assert (row["verdict"] == "failed") == failed, given
    return min(each, key=lambda one: one.worst - one.most)


def by_limit(game: Any, rule: Quota, network: Any) -> Outcome:
    """Compare a game with the guarantee of one limit."""
    if rule.shape == "window":
        most = max(window["admitted"] for window in by_window(game.looks, rule.window))
    else:
        most = rule.limit + beyond(*in_order(game.book.admitted), rule)
    fleet = {"k": game.sites, **ways(network), "deaths": deaths_of(game, rule), "away": game.looks[-1]["away"]}
    worst = rule.worst(**fleet)
    lower = {"one request": worst - rule.dearest} if replace(rule, limit=rule.limit + 1).worst(**fleet) > worst else {}
    lower |= {"the way down": rule.worst(**{**fleet, "down": 0})} if fleet["down"] else {}
    return Outcome(rule, most, worst, {name: one for name, one in lower.items() if one < worst})


@dataclass
class Search:
    """What games have shown of each kind and shape.

    Attributes
    ----------
    games, full, beyond
        Number of games, of those in which all that is guaranteed was admitted, and of these where that is beyond T.
    nearest
        The largest ratio of overshoot to its guarantee, and its setting.
    found
        By fault, the number of the first game that a faulty formula would not hold.
    """

    games: int = 0
    full: int = 0
    beyond: int = 0
    nearest: tuple[float, dict[str, Any]] | None = None
    found: dict[str, int] = field(default_factory=dict)


def search(settings: Iterable[dict[str, Any]], engines: Sequence[str] = ()) -> dict[tuple[str, str], Search]:
    """Play games, hold that none exceeds its guarantee, and return what they show."""
    by_kind = {(kind.kind, shape): Search() for kind, shape in SHAPED}
    for number, given in enumerate(settings):
        one = outcome(given, engines)
        assert one.worst is None or one.most <= one.worst, (one, given)
        kept = by_kind[one.rule.kind, one.rule.shape]
        kept.games += 1
        kept.full += one.worst == one.most
        kept.beyond += one.ratio == 1
        if one.ratio is not None and (kept.nearest is None or one.ratio > kept.nearest[0]):
            kept.nearest = one.ratio, given
        for fault, lower in one.lower.items():
            if one.most > lower:
                kept.found.setdefault(fault, number)
    return by_kind


if __name__ == "__main__":
    count, family, *words = sys.argv[1:]
    some = [place for place in SHAPED if {place[0].kind, place[1]} >= {*words}]
    if family == "edges":
        settings: Iterable[dict[str, Any]] = edge_settings()
    else:
        settings = (of_family(family, number, some) for number in range(int(count)))
    for (name, shape), one in search(settings, ("leap",)).items():
        near, given = one.nearest or (0, {})
        if one.games:
            print(f"{name} {shape}: {one.games} games, {one.full} reach it, {one.beyond} beyond T;", float(near))
            print("   ", one.found, given)
