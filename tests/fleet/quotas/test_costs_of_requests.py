"""The closed forms of costs against counting, request by request."""

from __future__ import annotations

import random

import numpy as np
import pytest

from disttrack.adversaries import RoundRobin
from disttrack.fleet.quotas import Central, PeriodicQuota, Split
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.task import measured
from disttrack.protocols import FOREVER
from disttrack.simulator import play


@pytest.mark.parametrize("cycle", [[1], [7], [1, 5], [3, 1, 1], [2, 9, 4, 4]])
def test_costs_are_those_of_counting(cycle: list[int]) -> None:
    rng = random.Random(1)
    for first in (0, 1, len(cycle) + 1):
        costs = Costs(cycle, first)
        each = [cycle[(first + place) % len(cycle)] for place in range(400)]
        for before in (0, 1, 5, 23):
            for budget in (0, 1, 2, 5, 11, rng.randrange(300)):
                spent = fitting = 0
                while spent + each[before + fitting] <= budget:
                    spent += each[before + fitting]
                    fitting += 1
                assert costs.fitting(before, budget) == fitting
                assert costs.total(before, fitting) == spent
                dear = next((place for place in range(50) if each[before + place] <= budget), FOREVER)
                assert costs.too_dear(before, budget) == dear


def test_sites_begin_at_places_spread_over_the_cycle() -> None:
    """Neighbours began at neighbouring places: the dear requests of all came together."""
    rule = Split(100, 50, costs=[1, 1, 1, 1, 1, 9])  # type: ignore[arg-type]
    assert rule.costs == (1, 1, 1, 1, 1, 9)
    rng = np.random.default_rng(1)
    assert [site.costs.cycle.index(9) for site in rule.sites(3, rng)] == [5, 3, 1]


def test_words_of_a_window_are_those_of_whole_windows() -> None:
    """The part of a window at the end of a game counted as a whole one."""
    game = play(PeriodicQuota(30, 90, every=6), RoundRobin(), sites=5, items=400)
    facts = measured(game)
    assert facts["windows"] == 5
    assert facts["words_per_window"] == pytest.approx(game.words * 90 / 400)
    game = play(Central(30, 90), RoundRobin(), sites=5, items=90)
    assert measured(game)["words_per_window"] == game.words
