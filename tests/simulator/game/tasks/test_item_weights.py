"""Weights of items: the coins of a weight have the law of those of as many copies, and who refuses weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_contents import fed
from scipy.stats import binom, chisquare

from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.protocols.base import Message
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    FrequencySwitching,
    ItemSample,
)
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.tasks.contents.task import RankGame
from disttrack.simulator.game.tasks.duel import play_duel

SCALE, WEIGHT, DRAWS = 8, 20, 20_000


def reports(tracker: Any, read: Callable[[Message], int]) -> Counter[int]:
    """Return what one site reports on each of many items of the same weight, 0 if nothing, as often as it does."""
    held = 0
    site = tracker.sites(1, np.random.default_rng(5), feeds=fed(1, lambda site, item: held))[0]
    site.hear(Message("scale", SCALE))
    site.next_total = 2**62
    found = Counter[int]()
    for _ in range(DRAWS):
        held += WEIGHT
        sent = site.receive(3, WEIGHT)
        found[read(sent[0]) - (held - WEIGHT if tracker.kind == "frequency-randomized" else 0) if sent else 0] += 1
    return found


def agree(found: Counter[int], law: Any) -> None:
    """Test with a false-alarm rate of 1e-6 that numbers from 0 to the weight have this law."""
    expected = law * DRAWS
    many = expected >= 5
    observed = np.array([found[number] for number in range(len(law))])
    rest = expected[~many].sum()
    assert observed.sum() == DRAWS
    cells, means = observed[many], expected[many]
    if rest:
        cells, means = np.append(cells, observed[~many].sum()), np.append(means, rest)
    assert chisquare(cells, means).pvalue > 1e-6


@pytest.mark.false_alarm(1e-6)
def test_a_weight_has_the_coins_of_as_many_copies() -> None:
    found = reports(FrequencySample(alpha=0.1), lambda message: 1 if message.kind == "item" else int(message.value[1]))
    agree(found, binom.pmf(np.arange(WEIGHT + 1), WEIGHT, 1 / SCALE))


@pytest.mark.false_alarm(1e-6)
def test_the_count_that_is_sent_is_that_at_the_last_coin_that_succeeds() -> None:
    found = reports(FrequencyRandomized(alpha=0.1), lambda message: int(message.value[1]))
    places = np.arange(1, WEIGHT + 1)
    law = np.array([(1 - 1 / SCALE) ** WEIGHT, *(1 - 1 / SCALE) ** (WEIGHT - places) / SCALE])
    assert law.sum() == pytest.approx(1)
    agree(found, law)


def test_a_deterministic_site_keeps_less_than_the_scale() -> None:
    site = FrequencyDeterministic(alpha=0.1).sites(1, None, feeds=fed(1, lambda site, item: 50))[0]
    site.hear(Message("scale", SCALE))
    assert site.receive(4, 50)[:1] == (Message("items", (4, 6), 2),)
    assert site.due_of(4) == 56


def test_what_takes_no_weights_says_so() -> None:
    for tracker, said in (
        (FrequencySwitching(alpha=0.3), "frequency-switching takes none"),
        (ItemSample(alpha=0.5), "item-sample takes none"),
    ):
        with pytest.raises(MoveError, match=f"plan\\(\\) gave items weights; {said}"):
            play_duel(tracker, Packets(), sites=2, items=9)
    with pytest.raises(MoveError, match="task item-rank takes none"):
        RankGame().match(FrequencySample(alpha=0.1), Packets(), {"sites": 2, "items": 9}, seed=1)


class Packets(ItemAdversary):
    """Gives weights without saying so before."""

    def plan(self, view: Any) -> Pairs:
        return Pairs([0, 1], [3, 4], weights=[40, 50])
