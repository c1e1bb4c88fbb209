"""Counters of windows with weights: the meter against plain sums, the bound in any interval, and its game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from small_fleets import setting

from disttrack.adversaries import Burst, Rest
from disttrack.fleet.book import beyond, in_order
from disttrack.fleet.quotas import Central
from disttrack.fleet.quotas.meter import WeightedMeter
from disttrack.fleet.task import measured
from disttrack.simulator import play


def plain(charges: dict[int, int], slot: int, counted: int) -> int:
    """Return what is spent in a slot, of charges by their slots."""
    window, within = divmod(slot, counted)
    this, last = (
        sum(cost for at, cost in charges.items() if at // counted == number) for number in (window, window - 1)
    )
    return this + ceil(last * (1 - Fraction(within, counted)))


def test_the_meter_is_the_sum_of_two_windows_and_states_when_it_is_lower() -> None:
    """Also after charges that were corrected, and windows without any."""
    lower = corrected = 0
    for number in range(40):
        rng = random.Random(number)
        rule = Central(rng.choice([3, 20]), rng.choice([1, 7, 12, 60]), shape="weighted", slots=rng.choice([1, 4, 90]))
        meter, charges, slot = WeightedMeter(rule), dict[int, int](), 0
        for _ in range(30):
            cost = rng.randint(1, 5)
            meter.add(cost)
            charges[slot] = charges.get(slot, 0) + cost
            less = rng.randint(1, meter.spent)
            turns = meter.turns_until(less)
            spent = [plain(charges, slot + later, rule.counted) for later in range(turns + 1)]
            assert spent[-1] <= spent[0] - less, number
            assert all(one > spent[0] - less for one in spent[1:-1]), number
            lower += turns > 1
            at = rng.choice([*charges])
            refund = rng.randint(0, charges[at])
            meter.correct(at, refund)
            charges[at] -= refund
            corrected += refund > 0 and at < slot
            slot += rng.choice([0, 1, 1, 5, 200])
            meter.turn(slot)
            assert meter.spent == plain(charges, slot, rule.counted), number
    assert min(lower, corrected) >= 200


def test_any_interval_has_no_more_than_a_bucket_as_deep_as_the_limit() -> None:
    """T + x T / W in any x steps, if no message takes time. Control: a bucket of half the depth is exceeded."""
    place, deepest = (Central, "weighted"), 0
    for number in range(150):
        given = setting(number, place) | {"network": None}
        rule = replace(given["protocol"], reserve=0, settle=0)
        game = play(**given | {"protocol": rule, "sees": "state"})
        bucket = replace(rule, shape="bucket", depth=rule.limit, timeout=0, away="closed")
        over = beyond(*in_order(game.book.admitted), bucket)
        assert over <= 0, number
        deepest = max(deepest, over / rule.limit + 1)
    assert deepest > 0.5


@pytest.mark.parametrize(("limit", "window"), [(20, 60), (5, 100), (40, 60), (30, 60), (1, 50), (7, 97)])
def test_a_full_window_before_a_fresh_one_reaches_the_bound(limit: int, window: int) -> None:
    """The first requests come at the end of a window, and the others in the next one, as its weight falls."""
    first = max(range(1, window), key=lambda steps: min(limit, steps) * (window - steps - 1) // window)

    def load(view: Any) -> Iterator[Any]:
        yield Rest(window - first)
        while True:
            yield Burst(0, 1)

    game = play(Central(limit, window, shape="weighted", slots=window), load, sites=2, items=2 * window)
    row = measured(game)
    assert row["overshoot"] == row["overshoot_promised"]
    assert row["verdict"] == "ok"
    assert limit < 2 or row["overshoot"] > 0
