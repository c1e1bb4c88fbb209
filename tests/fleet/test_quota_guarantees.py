"""A random search for games that exceed the guarantee of a quota, over all registered kinds and traits of a fleet."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar, Final

import pytest

from disttrack.adversaries import Adversary, Burst, Bursts, Freeze, Rest, RoundRobin, SingleSite, Uniform, Zipf
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet import quotas
from disttrack.fleet.change import Change
from disttrack.fleet.loads import Autoscaling, Boundary, ChurnOfSites, FlashCrowd, Greedy, Probing
from disttrack.fleet.quotas import Quota
from disttrack.fleet.retries import Retrying
from disttrack.fleet.task import measured
from disttrack.simulator import play
from disttrack.simulator.game.network import network_of
from disttrack.simulator.points.registry import kinds_for, parameters

REGISTERED: Final = kinds_for("protocol", f"{Quota.__module__}:{Quota.__name__}")
KINDS: Final[list[type[Quota]]] = [REGISTERED[name].load() for name in sorted(REGISTERED)]
DRAWN: Final[dict[str, Any]] = {
    "size": [1, 3, 10, 70],
    "epsilon": [0, 0.01, 0.2],
    "share": [0, 0.8],
    "upfront": [0, 0.5],
    "low": [0, 0.3],
    "fraction": [0.2, 0.5, 1],
    "memory": [0, 0.5],
    "slots": [1, 4, 16, 64, 300],
}
"""Values of the parameters that some kinds have; `every` may be above the window."""


def delays(rng: random.Random, window: int) -> Any:
    """Return the latency of one way."""
    far = rng.choice([1, 10, 1 + window // 20, 1 + window // 8, 1 + window // 3])
    return rng.choice([far, far, {"uniform": {"from": 0, "to": far}}, {"uniform": {"from": far // 2, "to": far}}])


def a_network(rng: random.Random, window: int) -> Any:
    """Return none, or delays, of which one in ten has no bound or loses messages."""
    if rng.random() < 0.3:
        return None
    given: dict[str, Any] = {"latency": delays(rng, window)}
    if rng.random() < 0.5:
        given["latency_down"] = rng.choice([0, delays(rng, window)])
    if rng.random() < 0.2:
        given["far"] = {"sites": 0, "latency": delays(rng, window)}
    faults: list[dict[str, Any]] = [{"loss": 0.2}, {"loss": 0.2, "link": "reliable"}, {"duplication": 0.2}]
    return given | rng.choice([*faults, {"latency": {"exponential": 4}}]) if rng.random() < 0.1 else given


def a_quota(rng: random.Random) -> Quota:
    """Return one of a registered kind, with a limit that is reached."""
    window, late = rng.choice([7, 40, 100, 100, 200, 400]), rng.random() < 0.5
    costs = rng.choice(["1 2 4 8 16 32", "1 1 1 32", "3 1 1", "32"] if late else ["1", "1", "3", "1 5"])
    cycle = [int(cost) for cost in costs.split()]
    mean = sum(cycle) / len(cycle)
    limit = max(*cycle, round(window * mean * rng.choice([0.01, 0.1, 0.3, 0.3, 0.6])), 1)
    more: dict[str, Any] = {"limit": limit, "window": window, "costs": costs}
    if rng.random() < 0.3:
        more["skew"] = rng.choice([1, rng.randrange(1, window), 1 + window // 20, window - 1])
    if late:
        # below and above the costs; settled often, and less than once a window
        reserve = rng.choice([1, 1, 1, 1, round(mean), max(cycle), 2 * max(cycle)])
        more |= {"reserve": min(limit, reserve), "settle": rng.choice([2, 2, 5, 5, 20, 1500])}
    kind = rng.choice([*KINDS, *[one for one in KINDS if "slots" in parameters(one)]])
    shape = rng.choice(["window", "sliding", "sliding", "bucket"]) if "shape" in parameters(kind) else kind.shape
    if "shape" in parameters(kind):
        more["shape"] = shape
    if shape == "bucket":
        more["depth"] = max(*cycle, more.get("reserve", 1), round(limit * rng.choice([0.1, 0.5, 1, 1, 2])))
    for name in sorted(set(parameters(kind)) - set(parameters(quotas.Split))):
        every = rng.choice([1, 3, 10, 20, 1 + window // 20, 1 + window // 4, window + 3])
        if name in DRAWN or name == "every":  # a kind of another package may have others
            more[name] = every if name == "every" else rng.choice(DRAWN[name])
    return kind(**more)


@dataclass
class Restless(Scripted, Adversary):
    """Requests to sites drawn at random, some of which go and come back, and rests: its parts are drawn by a number."""

    number: int
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
    plays: ClassVar[tuple[str, ...]] = ("quota",)

    def script(self, view: Any) -> Iterator[Any]:
        end = view.known["window"]
        while True:
            if end - self.before > view.steps:
                yield Rest(end - self.before - view.steps)
            for site, until in ((view.sites - 1, end + self.after), (0, end + view.known["window"])):
                while view.steps < until:
                    yield Burst(site, until - view.steps)
            end += 2 * view.known["window"]


def setting(number: int) -> dict[str, Any]:
    """Return a game drawn at random: protocol, adversary, network and sizes."""
    rng = random.Random(number)
    protocol = a_quota(rng)
    window = protocol.window
    stay, dies = rng.choice([1, 3, 20, 60]), rng.random() < 0.2
    oblivious = [RoundRobin(), Uniform(), Zipf(), SingleSite(), Bursts(mean=30), FlashCrowd(rng.choice([0.5, 1]))]
    oblivious.append(Boundary(rng.choice([0.1, 0.5, 1])))
    reacting = [Greedy(), Greedy(stay), Probing(), ChurnOfSites(stay, dies), Autoscaling(dies=dies), Freeze()]
    reacting.append(Retrying(rng.choice([0.3, 1]), rng.choice(["fixed", "exponential", "bucket"]), rng.choice([1, 20])))
    edges = Edges(rng.choice([1 + window // 20, 1 + window // 8, 1 + window // 3]), rng.choice([0, protocol.skew]))
    return {
        "protocol": protocol,
        "adversary": rng.choice([*oblivious, *reacting, *[Restless(number)] * 8, *[edges] * 4]),
        "network": network_of(a_network(rng, window)),
        "sites": rng.choice([1, 1, 2, 2, 3, 5, 8, 16, 32]),
        "items": min(rng.choice([window, 2 * window, 3 * window + rng.randrange(5)]), 500),
        "seed": number,
    }


def check(number: int, engines: tuple[str, ...] = ("leap", "step")) -> dict[str, Any]:
    """Hold that the engines play one game and that the guarantee is kept; return its measures."""
    given = setting(number)
    games = [play(**given, engine=engine, record=len(engines) > 1) for engine in engines]
    for game in games[1:]:
        assert games[0].transcript.equals(game.transcript), given
        assert games[0].looks == game.looks, given
    row = measured(games[0], given["network"])
    assert row["verdict"] != "failed", (row["overshoot"], row["overshoot_promised"], given)
    return row


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("number", range(200))
def test_both_engines_play_one_game_and_no_guarantee_is_exceeded(number: int) -> None:
    """On the formulas of before the search finds a game in a hundred; 20,000 games of other numbers are without one."""
    check(number)


def test_most_games_have_a_guarantee() -> None:
    assert sum(network is None or not network.faulty for network in (setting(n)["network"] for n in range(100))) >= 80


def test_every_parameter_of_a_kind_is_drawn() -> None:
    shipped = [kind for kind in KINDS if kind.__module__.startswith("disttrack.")]
    assert len(shipped) >= 9
    for kind in shipped:
        own = set(parameters(kind)) - set(parameters(quotas.Split))
        assert own <= {*DRAWN, "every", "shape", "depth"}, kind
        assert all(parameters(kind)[name] is not MISSING for name in own), kind
