"""The task `item-sampling`: uniform samples, the exact largest error, and the attack that chooses by the sample."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import chi2

from disttrack.adversaries.base import View
from disttrack.adversaries.contents import ItemAdversary, Pairs, SamplingAttack
from disttrack.protocols.contents import ItemSample
from disttrack.simulator.game.tasks.contents.task import SampleGame
from disttrack.simulator.game.tasks.duel import play_duel


class InOrder(ItemAdversary):
    """Each item is a new one, and sites take turns."""

    kind = "in-order"
    oblivious = True

    def plan(self, view: View) -> Pairs:
        return Pairs([item % view.sites for item in range(view.items)], range(view.items), view.items)


@pytest.mark.false_alarm(1e-6)
def test_a_sample_is_uniform() -> None:
    """Of 12 items, 4 are in the sample of each of 300 games, each as often: one that favours a third of them by a half
    would give a statistic of some 60, beyond the limit of 49."""
    counts, games = Counter[int](), 300
    for seed in range(games):
        game = SampleGame().match(ItemSample(alpha=0.5, size=4), InOrder(), {"sites": 3, "items": 12}, seed=seed)
        counts.update({item: copies for item, copies in game.server.estimates.items() if copies})
    assert set(counts) == set(range(12))
    expected = games * 4 / 12
    # drawn without replacement, a count has the variance expected * (1 - 4/12), and all of them 11 degrees of freedom
    statistic = sum((count - expected) ** 2 for count in counts.values()) / (expected * (1 - 4 / 12)) * 11 / 12
    assert statistic < chi2.isf(1e-6, 11)


def test_all_that_came_into_the_sample_are_smaller_than_all_others() -> None:
    game = SampleGame().match(ItemSample(alpha=0.5, size=16), SamplingAttack(), {"sites": 3, "items": 1000}, seed=1)
    came = {item for _, item, _ in game.problem.moves}
    others = set(game.problem.items) - came
    assert len(came) > 40
    assert len(others) > 800
    assert max(came) < min(others)
    assert game.problem.row()["max_rel_error"] == pytest.approx(1 - len(came) / 1000, abs=0.01)


@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize(("size", "bits"), [(20, 73.2), (20, 156.25), (80, 292.9)])
def test_the_error_depends_on_the_bits_for_each_item_of_the_sample(size: int, bits: float) -> None:
    """By the entropy: 1/2 with 3.66 bits, 0.735 with 7.81; it finds twice the bits for an item.

    Of 60 games, the mean of 6 has a deviation of 0.022 at size 20 and 0.012 at 80, and a bias of up to 0.035.
    """
    games = [
        play_duel(ItemSample(alpha=0.5, size=size), SamplingAttack(bits=round(bits)), sites=3, items=450, seed=seed)
        for seed in range(6)
    ]
    mean = sum(game.max_rel_error for game in games) / len(games)
    assert abs(mean - (0.735 if bits / size > 7 else 0.5)) < 0.15
