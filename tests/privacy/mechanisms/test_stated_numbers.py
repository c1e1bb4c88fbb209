"""The transformation, the density estimator and the combiner of experts, from their formulas."""

from __future__ import annotations

from math import exp, log, log2, sqrt

import numpy as np
import pytest

from disttrack.privacy.mechanisms import ContinualOutput, PanPrivateDensity, PerturbedLeader


def test_the_numbers_of_the_transformation_and_the_density() -> None:
    rules = ContinualOutput(0.5, 20, 0.25, 3, 0.7, 0.1)
    margin = 0.25 * (log(10) + 5) * (3 + 25) / 0.5
    assert (rules.levels, rules.margin) == (5, pytest.approx(margin))
    assert rules.error_bound(0.3) == pytest.approx(0.7 + 0.3 + 4 * margin)
    assert rules.answer_noise.scale == pytest.approx(2 * 0.25 * 4 / 0.5)
    assert ContinualOutput(0.5, 1, 0.25, 3, 0.7).segment_noise.scale == 0.5
    density, gain = PanPrivateDensity(0.6, 40), (1 - exp(-0.6)) / 2
    assert density.accuracy(0.1) == pytest.approx(sqrt(log(20) / 80) / gain)
    assert density.sensitivity == pytest.approx(1 / (gain * 40))


def test_experts() -> None:
    leader, rate = PerturbedLeader(5, 40, epsilon=0.5), sqrt(log(5) / 40)
    assert leader.mean_head_start == pytest.approx(1 / rate)
    assert leader.regret_bound(12.0) == pytest.approx(12 * rate + log(5) / rate)
    assert leader.privacy_price() == pytest.approx(log(5) * log2(40) ** 1.5 / 0.5)
    assert PerturbedLeader(5, 40).privacy_price() == 0.0
    assert PerturbedLeader(3, 1, epsilon=0.5).privacy_price() == pytest.approx(2 * log(3))
    run = leader.start(*np.random.default_rng(0).spawn(2))
    for costs, said in (
        ([[0.5] * 4], "costs must have 5 columns"),
        ([[0.5, 2, 0, 0, 0]], "costs must lie from 0 to 1"),
    ):
        with pytest.raises(ValueError, match=said):
            run.release(costs)
