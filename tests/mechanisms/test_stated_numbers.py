"""The transformation, the density estimator, the test and the combiner of experts, from their formulas."""

from __future__ import annotations

import math
from math import exp, log, log2, sqrt

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold, ContinualOutput, PanPrivateDensity, PerturbedLeader


def test_the_numbers_of_the_transformation_and_the_density() -> None:
    rules = ContinualOutput(0.5, 20, 0.25, 3, 0.7, 0.1)
    margin = 0.25 * (log(10) + 5) * (3 + 25) / 0.5
    assert rules.levels == 5
    assert rules.margin == pytest.approx(margin)
    assert rules.threshold == pytest.approx(0.7 + 2 * margin)
    assert rules.error_bound(0.3) == pytest.approx(0.7 + 0.3 + 4 * margin)
    assert rules.answer_noise.scale == pytest.approx(2 * 0.25 * 4 / 0.5)
    assert rules.segment_noise.scale == pytest.approx(0.25 * 5 / 0.5)
    assert ContinualOutput(0.5, 1, 0.25, 3, 0.7).segment_noise.scale == 0.5
    density = PanPrivateDensity(0.6, 40)
    gain = (1 - exp(-0.6)) / 2
    assert density.accuracy(0.1) == pytest.approx(sqrt(log(20) / 80) / gain)
    assert density.sensitivity == pytest.approx(1 / (gain * 40))
    run = PanPrivateDensity(0.6, 4).start(np.random.default_rng(0), silent=True)
    for user in (0, 2, None, 2, 3):
        run.step(user)
    assert run.answer() == 0.75
    assert run.state() == {"bits": bytes([1, 0, 1, 1])}
    for user in (-1, 4):
        with pytest.raises(ValueError, match=rf"^user must be from 0 to 3; got {user}$"):
            run.step(user)
    halted = AboveThreshold(1.0, 0.5).start(np.random.default_rng(0), silent=True)
    assert [halted.step(0.0), halted.step(1.0)] == [False, True]
    with pytest.raises(ValueError, match=r"^step 3 is past the halt of this test at step 2$"):
        halted.step(0.0)
    for threshold in (math.inf, math.nan):
        with pytest.raises(ValueError, match=rf"^threshold must be a finite number; got {threshold!r}$"):
            AboveThreshold(1.0, threshold)


def test_experts() -> None:
    leader = PerturbedLeader(5, 40, epsilon=0.5)
    rate = sqrt(log(5) / 40)
    assert leader.mean_head_start == pytest.approx(1 / rate)
    assert leader.regret_bound(12.0) == pytest.approx(12 * rate + log(5) / rate)
    assert leader.privacy_price() == pytest.approx(log(5) * log2(40) ** 1.5 / 0.5)
    assert PerturbedLeader(5, 1, epsilon=0.5).privacy_price() == pytest.approx(log(5) / 0.5)
    assert PerturbedLeader(5, 40).privacy_price() == 0.0
    assert PerturbedLeader(5, 40, rate=0.25).mean_head_start == 4.0
    run = leader.start(np.random.default_rng(0), np.random.default_rng(1))
    for costs, said in (
        ([[0.5] * 4], r"costs must have 5 columns, one an expert; got the shape \(1, 4\)"),
        ([0.5] * 5, r"costs must have 5 columns, one an expert; got the shape \(5,\)"),
        ([[0.5, 2, 0, 0, 0]], r"costs must lie from 0 to 1; got 0 to 2"),
        ([[0.5, -0.25, 0, 0, 0]], r"costs must lie from 0 to 1; got -0.25 to 0.5"),
        ([[0.0] * 5] * 41, r"round 41 is past the horizon, 40"),
    ):
        with pytest.raises(ValueError, match=f"^{said}$"):
            run.release(costs)
    assert run.release(np.empty((0, 5))).tolist() == []
    assert len(run.release([[0.0, 1.0, 0.0, 0.0, 1.0]] * 40)) == 40
