"""Robust: a round by hand, its parameters and what each of them does, and that rounds are as they say."""

from __future__ import annotations

import pickle
from math import ceil

import numpy as np
import pytest

from disttrack.adversaries import Freeze
from disttrack.mechanisms.counters import COUNTERS
from disttrack.protocols import Robust
from disttrack.protocols.rounds.constants import known_noise
from disttrack.protocols.rounds.robust import AS_THE_PAPERS
from disttrack.simulator import play


def test_paper_constants_worked_by_hand() -> None:
    """k = 100, beta = 0.01 = 6 delta / (10 pi^2): C^2 = ((ln 10)^1.5 + 1) ln 8000 = 4.4940 · 8.9872 = 40.389."""
    found = Robust(alpha=0.1, delta=0.01 * 10 * np.pi**2 / 6).constants(100, 1)
    assert found.c == pytest.approx(6.3552, abs=5e-5)
    assert found.epsilon == pytest.approx(0.63552, abs=5e-6)
    assert found.divisor == pytest.approx(8 * 63.552, abs=5e-3)
    assert (found.phases, found.releases, found.blocks) == (10, 10, ceil(found.c * 100))
    assert found.phase_length == pytest.approx(127.104, abs=2e-3)
    assert found.threshold_scale * found.epsilon == pytest.approx(4)
    assert found.counter_epsilon == pytest.approx(found.epsilon / 4)
    assert found.shift == 0


def test_values_by_hand_scale_the_papers() -> None:
    paper = Robust(alpha=0.1).constants(100, 3)
    assert Robust(alpha=0.1, parameters={}).constants(100, 3) == paper
    lengths = {"budget": 4, "phase_length": 1, "phases": 2, "shift": 0.5}
    found = Robust(alpha=0.1, parameters={"c": 0.5, "epsilon": 3, "counter_share": 0.8, **lengths}).constants(100, 3)
    assert found.c == pytest.approx(paper.c / 2)
    assert found.divisor == pytest.approx(paper.divisor / 4)
    assert found.phase_length == pytest.approx(paper.phase_length / 4)
    assert found.phases == 20
    assert found.epsilon == pytest.approx(paper.epsilon * 1.5)
    assert found.counter_epsilon == pytest.approx(0.8 * found.epsilon / 2)
    # thresholds and counter together, each for two changed phases
    assert 2 / found.threshold_scale + 2 * found.counter_epsilon == pytest.approx(found.epsilon)
    assert found.shift == pytest.approx(found.phase_length / 2)


def test_only_what_is_proven_says_so() -> None:
    assert Robust(alpha=0.1).proven
    assert Robust(alpha=0.1).guarantee == "adaptive"
    assert Robust(alpha=0.1, parameters="tight", counter="k-ary").proven
    for unproven in (Robust(alpha=0.1, parameters={"c": 1}), Robust(alpha=0.1, counter="fresh")):
        assert not unproven.proven
        assert unproven.guarantee == "none"
        assert pickle.loads(pickle.dumps(unproven)).guarantee == "none"
    assert set(AS_THE_PAPERS) <= set(COUNTERS)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("parameters", ["paper", "tight"])
@pytest.mark.parametrize("kind", [kind for kind in COUNTERS if not COUNTERS[kind].only_bits])
def test_every_counter_plays(kind: str, parameters: str) -> None:
    if parameters == "tight" and not known_noise(kind):
        pytest.skip("its noise has no known law")
    game = play(Robust(alpha=0.2, parameters=parameters, counter=kind), Freeze(), sites=150, items=20_000, seed=1)
    assert game.error is None
    assert game.rounds > 2
    if Robust(alpha=0.2, parameters=parameters, counter=kind).proven:
        assert game.ok
