"""Sketches and samples cannot be pan-private: section 3.2 of Dwork, Naor, Pitassi, Rothblum 2010.

An intruder copies the memory, coins included, and asks the copy whether user 0 came. In one of the two worlds an
answer is impossible which is frequent in the other one: no epsilon covers that.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from disttrack.privacy.mechanisms import CountMin, PanPrivateDensity, ResetSample

USERS = 30
GAMES = 100


def counted(memory: Any) -> bool:
    """Return whether a copy of a count-min sketch estimates more than 0 for user 0: its estimates are never too low."""
    return bool(memory.estimate() > 0)


def sampled(memory: Any) -> bool:
    """Return whether a copy of a sample loses something when user 0 is taken out."""
    for _ in range(9):
        memory.update(USERS, 0)  # no unit of anybody: it is thinned if that is due
    before = memory.estimate()
    memory.update(0, 0)
    return bool(memory.estimate() < before)


def tossed(memory: Any) -> bool:
    """Return the random bit of user 0."""
    return bool(memory.state()["bits"][0])


def answers(rules: Any, look: Callable[[Any], bool], there: bool) -> int:
    """Return the number of games in which the look finds something; the other users come in any case."""
    found = 0
    for seed in range(GAMES):
        run = rules.start(np.random.default_rng((seed, there)))
        for user in range(0 if there else 1, USERS):
            run.step(user) if isinstance(rules, PanPrivateDensity) else run.update(user, 1)
        found += look(copy.deepcopy(run))
    return found


@pytest.mark.false_alarm(1e-6)
def test_one_look_at_a_sketch_or_a_sample_rules_a_world_out() -> None:
    """The chances that are not 0 are 0.98 and about 0.3: the latter in a tenth of the games or less is 1e-6.

    The control: random bits, of which both values occur in both worlds, with chances within e^epsilon.
    """
    count_min, sample = CountMin(width=64), ResetSample(size=10)
    assert answers(count_min, counted, there=True) == GAMES, "nothing found: the user did not come"
    assert answers(count_min, counted, there=False) < 0.1 * GAMES
    assert answers(sample, sampled, there=False) == 0, "something found: the user came"
    assert answers(sample, sampled, there=True) > 0.1 * GAMES
    for there in (False, True):
        assert 0.1 * GAMES < answers(PanPrivateDensity(1.0, USERS), tossed, there) < 0.9 * GAMES
