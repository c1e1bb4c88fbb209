"""Games of quotas small enough to count by hand, and parameters that are refused."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from small_fleets import stay

from disttrack.adversaries import Burst, Rest, Rotation, RoundRobin, SingleSite
from disttrack.fleet import quotas as by
from disttrack.fleet.book import Beyond, beyond, largest
from disttrack.fleet.change import Change
from disttrack.fleet.task import by_window, measured
from disttrack.protocols.base import Message
from disttrack.simulator import play

TEN = {"limit": 10, "window": 30}


def played(protocol: Any, adversary: Any = None, **size: Any) -> dict[str, Any]:
    game = play(protocol, adversary or RoundRobin(), **{"sites": 3, "items": 30, **size})
    kinds = {row["kind"]: row["messages"] for row in game.kinds.to_dict("records")}
    return {**measured(game), "kinds": kinds}


ALONE = SingleSite()
COUNTED: list[tuple[Any, Any, dict[str, Any], dict[str, Any]]] = [
    # shares of 4, 3, 3
    (by.Split(**TEN), SingleSite(0), {}, {"utilisation": 0.4, "overshoot": 0, "kinds": {}}),
    (by.Split(**TEN), SingleSite(1), {}, {"utilisation": 0.3}),
    # ten requests are admitted, and one at each site is refused
    (by.Central(**TEN), None, {}, {"kinds": {"ask": 13, "grant": 13}, "overshoot": 0, "utilisation": 1}),
    # int(10 * 0.8) // 3 = 2 each, then four requests are granted and three refused
    (by.HybridQuota(**TEN), None, {}, {"kinds": {"ask": 7, "grant": 7}, "overshoot": 0}),
    # one site: of 10 are left 10, 5, 3, 2, 1 when it asks, so it gets 5, 2, 1, 1, 1, and then a refusal
    (by.Lease(**TEN), None, {"sites": 1}, {"kinds": {"ask": 6, "grant": 6}}),
    # 12 of 100 as one of four, then 44, 22, 11, 5, 3, 1, 1, 1, and a refusal
    (by.Lease(100, 200), ALONE, {"sites": 4, "items": 200}, {"kinds": {"ask": 10, "grant": 10}}),
    # reports of 3 in steps 7, 8, 9 and 16: the fourth makes 12, and 16 are admitted
    (
        by.BatchQuota(**TEN, size=3), None, {},
        {"kinds": {"report": 4, "stop": 3}, "overshoot": 0.6, "overshoot_promised": 0.6},
    ),
    # one site knows its own admissions
    (by.BatchQuota(**TEN, size=3), ALONE, {}, {"kinds": {"report": 3}, "overshoot": 0}),
    # sizes floor(60 / 6) = 10, 5, 2, 1 after 30, 45, 51: each of the last nine requests is a report
    (
        by.CountdownQuota(limit=60, window=90), None, {"items": 90},
        {"kinds": {"report": 3 + 3 + 3 + 9, "size": 9, "stop": 3}, "overshoot": 0, "utilisation": 1},
    ),
    # two take the reserve of 5; what their cost of 1 leaves comes back in step 10, and admits one; then one in step 21
    (by.Split(**TEN, reserve=5, settle=5), ALONE, {"sites": 1}, {"utilisation": 0.4}),
    # every 15 steps: at 5, 10, 15, 20, 25, 30
    (by.PeriodicQuota(**TEN, every=15), None, {}, {"kinds": {"report": 6, "total": 6}}),
    # a flush each 5 steps, a round trip of 40: one site alone knows all that it has admitted
    (
        by.PeriodicQuota(50, 400, every=5), ALONE, {"sites": 1, "items": 400, "network": {"latency": 20}},
        {"overshoot": 0, "overshoot_promised": 0, "utilisation": 1},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "load", "size", "expected"), COUNTED, ids=str)
def test_messages_and_measures_are_those_counted_by_hand(rule: Any, load: Any, size: Any, expected: Any) -> None:
    row = played(rule, load, **size)
    assert {name: row[name] for name in expected} == expected


def test_vectors_of_gossip_go_to_sites_at_doubling_distances_and_cost_a_word_for_each_site() -> None:
    game = play(by.Gossip(100, 400, every=8), RoundRobin(), sites=8, items=400, record=True)
    assert game.words == 8 * game.messages
    first = np.flatnonzero(game.transcript["sender"] == 0)[:4]  # the server passes each vector on
    assert [*game.transcript["receiver"][first + 1]] == [1, 2, 4, 1]


def test_shares_follow_the_load_from_the_third_window_on() -> None:
    game = play(by.WeightedSplit(limit=300, window=400, memory=0), SingleSite(), sites=3, items=1600)
    assert [row["admitted"] for row in by_window(game.looks, 400)] == [100, 100, 298, 298]


def test_flushes_begin_at_the_phases_of_the_sites() -> None:
    game = play(by.PeriodicQuota(**TEN, every=15), RoundRobin(), sites=3, items=30, record=True)
    sent = game.transcript[game.transcript["receiver"] == "server"]
    assert list(zip(sent["step"], sent["sender"], strict=True)) == [(5, 0), (10, 1), (15, 2), (20, 0), (25, 1), (30, 2)]


@pytest.mark.parametrize(("every", "trip", "cost"), [(1, 0, 1), (1, 2, 3), (2, 0, 1), (2, 2, 3), (3, 4, 1), (5, 2, 2)])
@pytest.mark.parametrize("shape", ["window", "sliding"])
def test_the_bound_of_flushes_is_reached(every: int, trip: int, cost: int, shape: Any) -> None:
    # flushes in steps 1, 1 + s and so on, from the first site on: by then the sites do not know of each other
    last = 2 * every + trip

    def ignorant(view: Any) -> Iterator[Any]:
        yield Rest(1)
        for site in range(last - 1, -1, -1):
            yield Burst(site, 1)

    rule = by.PeriodicQuota(cost, 100, cost, every=every, shape=shape)
    network = {"latency": trip // 2} if trip else None
    game = play(rule, ignorant, sites=(every + 1) * last, items=last, network=network)
    assert game.looks[-1]["admitted"] == rule.worst(99, trip // 2, trip // 2) == cost * last


def test_the_clock_of_the_last_site_is_late() -> None:
    assert [by.Split(10, 100, skew=50).late(site, 3) for site in range(3)] == [0, 25, 50]

    def late(view: Any) -> Iterator[Any]:
        yield Rest(160)
        yield from stay(view, 1, 400)

    # in the second window site 1 has its old share of 5 for 80 steps, and the new one after
    game = play(by.Split(10, 160, skew=80), late, sites=2, items=160)
    assert [look["admitted"] for look in game.looks if look["step"] in (240, 320)] == [5, 10]
    assert measured(game)["verdict"] == "ok"


def test_a_request_that_waits_is_not_rejected() -> None:
    game = play(by.Central(40, 160), RoundRobin(), sites=2, items=160, network={"latency": 15})
    assert (game.looks[0]["step"], game.looks[0]["offered"], game.looks[0]["rejected"]) == (10, 10, 0)


def test_sites_that_are_away_send_nothing() -> None:
    def two(view: Any) -> Iterator[Any]:
        yield Change("leave", (2, 3))
        while True:
            yield Rotation(2)

    game = play(by.PeriodicQuota(40, 100, every=10), two, sites=4, items=99)
    assert game.messages_of_site[0] == [10, 10, 0, 0]


def test_each_guarantee_is_its_formula() -> None:
    # u = 20, d = 30, k = 12
    common = {"limit": 1000, "window": 5000}
    given = [
        (by.Split(**common), 1000),
        # one request of each site waits when the window ends; of central, those answered in 7 steps
        (by.Lease(**common, skew=7), 1000 + 7 + 7),
        (by.Central(**common, skew=60), 1000 + 50),
        (by.Central(**common, skew=60, clock="client"), 1000 + 60 + 50),
        (by.Central(**common, skew=2400, clock="client"), 1000 + 2000),
        # 1,000 in the last steps of a window, and 3,999 / 5,000 of as many in the next one
        (by.Central(**common, shape="weighted", slots=5000), 1000 + 799),
        (by.PeriodicQuota(**common, every=100, shape="weighted"), 1249 + 1249 * 3750 // 5000),
        (by.Split(**common, skew=7), 1007),
        (by.BatchQuota(**common, size=5), 1000 + 12 * 4 + 50),
        (by.PeriodicQuota(**common, every=100), 1000 + 249),
        # four distances, each two rounds after the one before, and a round of waiting
        (by.Gossip(**common, every=100), 1000 + 2 * 99 + (3 * 2 + 1) * 100 + 50),
        # at most seven sizes: 41, 21, 11, 6, 3, 2, 1
        (by.CountdownQuota(**common), 1000 + 50 * 7),
        (by.BatchQuota(**common, size=5, costs="1 3"), 1000 + 48 + 150 + 2),
        # what comes in while messages travel counts in full, and what is unsettled at the limit counts once
        (by.BatchQuota(**common, size=5, costs="1 3", reserve=1, settle=4), 1000 + 48 + 150 + 2 + 2 * 8),
        (by.BatchQuota(**common, size=5, costs="1 3", reserve=7, settle=4), 1000 + 48 + 150 + 2),
        # the last request takes its reserve from what its site knows to be left
        (by.PeriodicQuota(**common, every=100, costs=4), 1000 + 4 * 249),
        (by.PeriodicQuota(**common, every=100, costs=4, reserve=2, settle=10), 1000 + 4 * 250 - 2 + 2 * 20),
        (by.Lease(**common, costs=4, reserve=2, settle=10), 1000 + 2 * 12 * 21),
        (by.Split(**common, costs=4, reserve=2, settle=10), 1000 + 2 * 240),
    ]
    assert [protocol.worst(12, 20, 30) for protocol, _ in given] == [worst for _, worst in given]
    assert by.BatchQuota(**common, size=5).worst(12, deaths=3) == 1000 + 15 * 4
    # reports of 41 at first and of 8 at last: a site that dies may have been at its first
    assert by.CountdownQuota(**common, epsilon=0.1).worst(12, deaths=2) == 1000 + 12 * 7 + 2 * 40
    assert by.PeriodicQuota(**common, every=100).worst(12, deaths=1) == 1000 + 199 + 99
    assert by.PeriodicQuota(**common, every=100).worst(12, 20, 30, varies=20) == 1000 + 268
    assert by.Central(**common, skew=7).worst(12, 20, 30, varies=30) == 1000 + 37
    assert by.Gossip(**common).slack(12, 0, 0, away=True) == float("inf")
    # all that may come: a request in each step, and those that wait
    assert by.Split(10, 12, skew=11).worst(3) == 12
    assert by.SlidingLease(150, 100).worst(12, 20, 30) == 100 + 12
    assert by.Central(150, 100, shape="sliding").worst(12, 20, 30) == 100 + 50


def test_a_class_that_changes_a_rule_promises_no_bound_of_its_parent() -> None:
    """Seen: a TypeError, since the bound without a promise took fewer arguments."""

    class Mine(by.Split):
        def site(self, number: int, k: int, answers: Any) -> Any:
            return super().site(number, k, answers)

    assert Mine(**TEN).worst(3) == TEN["window"]  # all that may come
    assert (Mine(**TEN).guarantee, Mine(**TEN).slack(4, 0, 0)) == ("none", float("inf"))
    assert by.Split(**TEN).slack(4, 0, 0) == 0


def test_tokens_rest_for_a_window_after_their_use() -> None:
    # slots of one step: ten in steps 1 to 10, and each again 20 steps later; 30 requests in 30 steps
    game = play(by.SlidingLease(10, 20, slots=20), SingleSite(), sites=1, items=60, record=True)
    admitted = sorted(game.book.admitted[0])
    assert admitted == [*range(1, 11), *range(21, 31), *range(41, 51)]
    # 10, 5, 3, 2, 1 are left when it asks: 5, 2, 1, 1, 1, then it is refused, and all are asked for tokens
    kinds = [row for row in game.transcript["kind"] if row != "renew"]
    assert kinds[:13] == [*["need", "grant"] * 6, "recall"]
    assert measured(game)["utilisation"] == 1


def test_a_bucket_is_filled_by_what_it_lacked() -> None:
    # a rate of one in two steps, slots of two steps: 10 at once, then one a slot
    game = play(by.BucketLease(10, 20, depth=10, slots=10), SingleSite(), sites=1, items=40)
    steps = sorted(game.book.admitted[0])
    assert steps[:10] == list(range(1, 11))
    assert measured(game)["overshoot"] == 0
    assert len(steps) >= 10 + 40 // 2 - 4


def test_tokens_of_a_site_that_died_come_back() -> None:
    def die(view: Any) -> Any:
        yield from stay(view, 0, 20)
        yield Change("die", (0,))
        yield from stay(view, 1, 500)

    rule = by.SlidingLease(10, 40, slots=40)
    game = play(rule, die, sites=2, items=400)
    steps = sorted(game.book.admitted[0])
    # its life ends for the server after a term and patience; then they rest
    last = 20 + rule.term + rule.patience + rule.rest + 2
    assert max(measured(game)["burst"], 1) == 1
    assert sum(step > last for step in steps) >= 10 * ((400 - last) // 45)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("kind", [by.SlidingLease, partial(by.BucketLease, depth=10)])
def test_tokens_go_to_a_site_in_its_term_only(kind: Any, late: bool) -> None:
    """By delays alone: site 0 is refused, and tokens that come back after its term are not for it."""
    rule, rng = kind(10, 64, fraction=1), np.random.default_rng(1)
    server, (first, second) = rule.server(2, rng), rule.sites(2, rng)
    for site in [second] * 10 + [first]:  # one gets all tokens, and the other is refused
        for message in site.take(1):
            site.hear(server.hear(site.number, message)[0][1])
    assert (second.tokens, first.tokens) == (10, 0)
    for _ in range(rule.term + late):
        server.turn()
        server.hear(1, Message("renew", (server.window, 1, 10, 0, 0, 0)))
    granted = [to for to, _ in server.hear(1, Message("return", (server.window, 1, 10, 5, 0, 0)))]
    assert granted == ([] if late else [0])
    for _ in range(rule.term - 1 + late):
        first.turn()
    first.hear(Message("grant", (server.window, 1, 0, 0, 5, False)))
    assert first.left == (0 if late else 5)


def test_the_largest_burst_is_that_of_trying_all_intervals() -> None:
    rng = random.Random(4)
    for _ in range(30):
        steps = np.array(sorted(rng.randrange(1, 60) for _ in range(25)))
        costs, window = np.array([rng.randrange(1, 6) for _ in steps]), rng.randrange(1, 60)
        sums = [
            sum(cost for step, cost in zip(steps, costs, strict=True) if begin <= step < begin + window)
            for begin in range(-60, 60)
        ]
        assert largest(steps, costs, window) == max(sums)
        rule = by.BucketLease(7, 10, costs=1, depth=9)
        most = max(
            sum(cost for step, cost in zip(steps, costs, strict=True) if begin <= step <= end)
            - (end - begin + 1) * 7 / 10
            for begin in range(1, 60)
            for end in range(begin, 60)
        )
        assert beyond(steps, costs, rule) == pytest.approx(most - 9)
        parts, cuts = Beyond(rule), sorted(rng.randrange(25) for _ in range(3))
        for begin, end in pairwise([0, *cuts, 25]):
            parts.take(steps[begin:end], costs[begin:end])
        assert (parts.most, parts.beyond) == (largest(steps, costs, 10), beyond(steps, costs, rule))
