"""Density with a private state, and the transformation that publishes it at every step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import ContinualOutput, PanPrivateDensity

FALSE_ALARM = 1e-6


def test_density_state_is_private_and_as_private_as_claimed() -> None:
    # the two laws of a bit, and the ratios of all their events
    for epsilon in (0.1, 1.0, 3.0):
        rules = PanPrivateDensity(epsilon, 10)
        before, after = 0.5, 0.5 + rules.gain
        ratios = [abs(math.log(after / before)), abs(math.log((1 - after) / (1 - before)))]
        assert max(ratios) == pytest.approx(epsilon)


@pytest.mark.false_alarm(2e-6)
def test_density_is_unbiased_and_as_accurate_as_claimed() -> None:
    # 2,000 runs: the number of ones is binomial, checked exactly at 1e-6; a gain of epsilon / 4 instead, as first
    # published, would move its mean by 6 standard deviations of one run.
    rules = PanPrivateDensity(1.0, 2_000)
    rng = np.random.default_rng(3)
    beyond = ones = 0
    for _ in range(200):
        run = rules.start(rng)
        for user in range(500):
            run.step(user)
            run.step(user)  # to appear again changes nothing in law
        run.step(None)
        beyond += abs(run.answer() - 0.25) > rules.accuracy(0.1)
        ones += round(run.answer() * rules.gain * 2_000 + 1_000)
    freedom = 200 * (500 * (0.25 - rules.gain**2) + 1_500 * 0.25)
    mean = 200 * (500 * (0.5 + rules.gain) + 1_500 * 0.5)
    assert 2 * stats.norm.sf(abs(ones - mean) / math.sqrt(freedom)) > FALSE_ALARM
    assert stats.binom.sf(beyond - 1, 200, 0.1) > FALSE_ALARM


def test_density_sensitivity_is_reached() -> None:
    # the same coins, one user more: the answer moves by 0 or by the sensitivity, and by it with some coins
    rules = PanPrivateDensity(1.0, 50)
    moves = set()
    for seed in range(40):
        run = rules.start(np.random.default_rng(seed))
        before = run.answer()
        run.step(7)
        moves.add(round(abs(run.answer() - before) / rules.sensitivity, 9))
    assert moves == {0.0, 1.0}
    assert len(run.state()["bits"]) == 50


def test_density_refusals() -> None:
    with pytest.raises(ValueError, match="users must be a whole number of at least 1"):
        PanPrivateDensity(1.0, 0)
    with pytest.raises(ValueError, match="user must be from 0 to 4; got 5"):
        PanPrivateDensity(1.0, 5).start(np.random.default_rng(0)).step(5)


class Given:
    """A one-shot estimator that says what it is fed."""

    def __init__(self) -> None:
        self.value = 0.0

    def step(self, x: float) -> None:
        self.value = x

    def answer(self) -> float:
        return self.value


def test_without_noise_the_output_moves_when_it_must_and_only_then() -> None:
    rules = ContinualOutput(1.0, 64, sensitivity=1e-4, changes=3, variation=0.1)
    run = rules.start(Given(), np.random.default_rng(0), silent=True)
    threshold = rules.threshold
    assert threshold == pytest.approx(0.1 + 2 * 1e-4 * (math.log(20) + 6) * (3 + 36))
    assert run.step(threshold) == 0.0  # not above
    assert run.step(threshold * 1.001) == threshold * 1.001
    assert run.step(1.5 * threshold) == threshold * 1.001
    values = [run.step(value) for value in (3.0, 5.0, 7.0, 9.0, 11.0)]
    assert values == [3.0, 5.0, 7.0, 7.0, 7.0]  # k + 1 changes, then it halts and the last answer stands
    assert run.halted
    assert run.changes == 4


@pytest.mark.false_alarm(1e-9)
def test_transformation_keeps_its_error_bound() -> None:
    # a density that grows to 0.6; 60 runs, each beyond the bound with probability at most 0.1 (0.05 for the
    # noises, 0.05 for the estimator): 25 or more of 60 have a chance below 1e-9
    users, horizon = 20_000, 256
    rng = np.random.default_rng(4)
    beyond = moved = 0
    for _ in range(60):
        density = PanPrivateDensity(3.0, users)
        accuracy = density.accuracy(0.05 / horizon)
        rules = ContinualOutput(3.0, horizon, density.sensitivity, changes=4, variation=0.25 + 2 * accuracy)
        inner = density.start(rng)
        run = rules.start(inner, rng)
        order = rng.permutation(users)
        seen, worst = 0, 0.0
        for _ in range(horizon):
            for user in order[seen : seen + 46].tolist():
                inner.step(user)
            seen += 46
            worst = max(worst, abs(run.step(None) - seen / users))
        beyond += worst > rules.error_bound(accuracy)
        moved += run.changes > 0
        assert run.changes <= rules.changes + 1
    assert beyond < 25
    assert moved > 30


def test_scales_follow_the_figure() -> None:
    rules = ContinualOutput(0.5, 1000, sensitivity=0.01, changes=7, variation=0.1, beta=0.1)
    assert rules.levels == 10
    assert rules.answer_noise.scale == pytest.approx(2 * 0.01 * 8 / 0.5)
    assert rules.segment_noise.scale == pytest.approx(0.01 * 10 / 0.5)
    assert rules.margin == pytest.approx(0.01 * (math.log(10) + 10) * (7 + 100) / 0.5)


def test_state_holds_no_noise_that_is_spent() -> None:
    rules = ContinualOutput(1.0, 8, sensitivity=0.01, changes=2, variation=0.1)
    run = rules.start(PanPrivateDensity(1.0, 5).start(np.random.default_rng(0)), np.random.default_rng(1))
    for t in range(1, 9):
        run.step(t % 5)
        state = run.state()
        assert len(state["noise"]) == sum(t % (1 << level) > 0 for level in range(3))
        assert set(state) == {"step", "output", "changes", "noise", "inner"}
    with pytest.raises(ValueError, match="step 9 is past the horizon of this continual-output mechanism, 8"):
        run.step(0)


def test_transformation_refusals() -> None:
    with pytest.raises(ValueError, match="sensitivity must be a number above 0"):
        ContinualOutput(1.0, 8, 0.0, 2, 0.1)
    with pytest.raises(ValueError, match="changes must be a whole number of at least 1"):
        ContinualOutput(1.0, 8, 0.1, 0, 0.1)
