"""A random search for games that exceed the guarantee of a quota, over all registered kinds and traits of a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING
from fractions import Fraction
from typing import Any

import pytest
from small_fleets import KINDS, OWN, SHAPED, costly, edge_settings, outcome, search, setting, stay

from disttrack.adversaries import Burst, Rest, RoundRobin
from disttrack.fleet import quotas
from disttrack.fleet.task import measured, ways
from disttrack.simulator import play
from disttrack.simulator.kinds.installed import is_compared
from disttrack.simulator.kinds.registry import parameters

EDGES = list(edge_settings())


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("number", range(100))
def test_both_engines_play_one_game_and_no_guarantee_is_exceeded(number: int) -> None:
    for given in (setting(20_000 + number), EDGES[number * len(EDGES) // 100]):
        one = outcome(given, ("step", "leap"))
        assert one.worst is None or one.most <= one.worst, (one, given)


@pytest.mark.parametrize(("shape", "most"), [("window", 0), ("sliding", 202), ("weighted", 202)])
def test_requests_that_waited_are_admitted_beyond_those_of_the_steps(shape: str, most: int) -> None:
    """A site that is cut off with `away: open` admits what waits: in any W steps more than W requests, by r at most."""
    rule = quotas.Central(40, 200, shape=shape, timeout=60, away="open")
    game = play(rule, "single-site", sites=3, items=4_000, network={"latency": 2, "latency_down": 200})
    row = measured(game)
    highest = 40 + 40 * row["overshoot"]
    assert (highest > 200) == (most > 0)
    assert highest <= rule.worst(3, **ways(game.network)) == 200 + most


def test_two_flushes_of_requests_are_admitted_beyond_the_limit() -> None:
    """All but one: each site is asked once after its flush, which says so s steps later, and then once before that."""
    every = 4

    def load(view: Any) -> Iterator[Any]:
        yield from stay(view, 0, every)
        yield Rest(3 * every - 1)  # all sites know of these
        until = view.steps + every
        while view.steps < until:
            yield Burst((view.steps + 3) % every, 1)
        while True:
            yield Burst(view.steps % every, 1)

    row = measured(play(quotas.PeriodicQuota(6, 100, every=every), load, sites=every, items=60))
    assert (row["verdict"], 6 * row["overshoot"]) == ("ok", 2 * every - 2)
    assert 6 * row["overshoot_promised"] == 2 * every - 1


def test_no_game_costs_more_than_its_bound() -> None:
    """Bounds count steps as requests, since clocks go on while a load rests; of `split` it is 0.

    Seen in 6 of 60 such games: looks for idle tokens are up to 31 in a span where 16 were counted, and sites ask when
    a settling leaves them a debt.
    """
    most = {(kind.kind, shape): 0.0 for kind, shape in SHAPED}
    debts = 0
    for number in range(3 * len(SHAPED)):
        given = costly(number)
        rule, game = given["protocol"], play(**given, engine="step")
        bound = rule.cost_bound(given["sites"], game.looks[-1]["step"])
        assert game.words <= bound, given
        place = rule.kind, rule.shape
        most[place] = max(most[place], game.words / bound if bound else 0.0)
        debts += game.kinds["messages"].sum() > 2 * given["items"] and rule.kind in ("central", "hybrid-quota", "lease")
    assert debts >= 2  # more questions than requests
    assert {place for place, ratio in most.items() if ratio < 0.2} <= {("split", "window")}, most


@pytest.mark.slow
def test_a_fault_in_a_guarantee_is_found_out() -> None:
    """No game exceeds its guarantee. Power: 260 games find one request too few in most kinds and shapes, 1,600 in all.

    The others are the first ones for countdowns, batches, gossip, and flushes in buckets and with weights. One way too
    few is found by 298 for countdowns, 8,579 for flushes and 1,265 for batches; the bounds of other kinds that have a
    round trip are seldom reached under latency.
    """
    numbers = (*range(260), 298, 316, 428, 1_028, 1_091, 1_265, 1_593, 8_579)
    found = {place: one.found for place, one in search(map(setting, numbers)).items()}
    assert [place for place in found if "one request" not in found[place]] == []
    late = {name for (name, _), faults in found.items() if "the way down" in faults}
    assert late >= {"batch-quota", "countdown-quota", "periodic"}


@pytest.mark.parametrize(
    ("shape", "limit", "window", "costs", "varies", "more"),
    [
        ("sliding", 2, 6, "1", 2, {}), ("sliding", 3, 6, "1", 3, {}), ("sliding", 4, 8, "2", 2, {}),
        ("bucket", 1, 4, "1", 3, {"depth": 2}), ("bucket", 2, 4, "2", 3, {"depth": 3}),
        ("bucket", 1, 8, "1", 4, {"depth": 2}),
    ],
)  # fmt: skip
def test_answers_of_varying_times_cost_what_is_asked_or_filled_meanwhile(
    shape: Any, limit: int, window: int, costs: str, varies: int, more: dict[str, Any]
) -> None:
    """T + c j in any W steps, and (j - 2) T / W beyond a bucket, are reached by one in a hundred games, not passed.

    There are 60 games, and more up to 200 until one reaches it.
    """
    rule = quotas.Central(limit=limit, window=window, shape=shape, slots=window, costs=costs, **more)
    network = {"latency": 1, "latency_down": {"uniform": {"from": 0.5, "to": 1 + varies}}}
    stated = Fraction((varies - 2) * limit, window) if shape == "bucket" else limit + rule.dearest * varies
    most: Fraction | int = 0
    for seed in range(200):
        sums = play(rule, RoundRobin(), sites=6, items=24, seed=seed, network=network, engine="leap").book.sums
        most = max(most, sums.beyond if shape == "bucket" else sums.largest)
        if seed >= 60 and most >= stated:
            break
    assert most == stated
    assert rule.slack(6, 1, 1 + varies, varies=varies) == (
        rule.dearest * varies if shape == "sliding" else -(-(varies - 2) * limit // window)
    )


def test_every_parameter_of_a_kind_is_drawn() -> None:
    shipped = [kind for kind in KINDS if is_compared(kind.__module__)]
    assert len(shipped) >= 9
    assert len(SHAPED) >= 15
    for kind in shipped:
        own = set(parameters(kind)) - set(parameters(quotas.Split))
        assert own <= {*OWN, "shape", "depth", "rounding", "away", "timeout"}, kind
        assert all(parameters(kind)[name] is not MISSING for name in own), kind
