"""Corrections of charges that have partly come back: by hand, and against a meter that knew the costs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from quick_fleet import Fleet

from disttrack.fleet.quotas import BucketLease, Central
from disttrack.fleet.quotas.meter import Meter


def test_commits_give_back_no_tokens_that_have_come_back() -> None:
    """Seen: 1,850 in half a second, where 1,049 are allowed."""
    rule = BucketLease(limit=1_000, window=10_000, costs="1 10", reserve=10, settle=50_000, depth=1_000)
    fleet = Fleet(rule, commits=True, k=1)
    open_ones: Any = fleet.sites[0].reservations.open

    def admit(requests: int) -> list[int]:
        before = set(open_ones)
        for _ in range(requests):
            fleet.do(0, "request", 10)
        return [number for number in open_ones if number not in before]

    cheap = admit(100)
    assert len(cheap) > 95
    for _ in range(60):  # 60 of 64 slots: nearly all has come back
        fleet.do(0, "act", "turn")
    dear = admit(95)
    assert len(dear) > 85
    for number in cheap:
        fleet.do(0, "commit", number, 1)
    dear += admit(95)
    assert 10 * len(dear) <= 1_000 + 2 * 1_000 // 64


@pytest.mark.parametrize("rule", [
    Central(40, 30, shape="sliding", slots=6),
    Central(40, 30, shape="bucket", depth=25, slots=6),
    Central(7, 30, shape="bucket", depth=25, slots=6),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(20))
def test_a_corrected_meter_is_one_that_knew_the_cost_while_the_charge_lasts(rule: Any, seed: int) -> None:
    """A sliding one exactly; of a bucket, it counts up to one unit more for each correction, and never less."""
    rng = random.Random(seed)
    meter, known = Meter(rule), Meter(rule)
    for first in range(0, 60, 3):
        charges = []
        for slot in range(first, first + 3):
            excess, cost = rng.choice([0, 3, 9]), rng.choice([0, 1, 4, 20])
            meter.add(cost + excess)
            known.add(cost)
            charges.append((slot, excess))
            meter.turn(slot + 1)
            known.turn(slot + 1)
        for slot, excess in charges:
            before = meter.spent
            assert meter.correct(slot, excess) == before - meter.spent
        assert 0 <= meter.spent - known.spent <= (0 if rule.shape == "sliding" else first + 3)


def test_a_slot_gives_back_no_more_than_it_was_charged() -> None:
    meter = Meter(Central(40, 30, shape="sliding", slots=6))
    for cost in (3, 7):
        meter.add(cost)
        meter.turn(1)
    assert [meter.correct(0, 9), meter.correct(0, 9), meter.spent] == [3, 0, 7]


@pytest.mark.parametrize("rule", [Central(40, 30, shape="sliding", slots=6), Central(40, 30, shape="bucket", depth=40)])
def test_a_charge_that_is_a_span_old_gives_nothing_back(rule: Any) -> None:
    """Also of a bucket that was never full meanwhile: it is charged anew in each slot."""
    for age, back in ((rule.rest - 1, 1), (rule.rest, 0)):
        meter = Meter(rule)
        meter.add(30)
        for slot in range(1, age + 1):
            meter.turn(slot)
            meter.add(10)
        assert meter.correct(0, 1) == back
