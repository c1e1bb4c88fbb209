"""Density with a private state, and the transformation that publishes it at every step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disttrack.privacy.mechanisms import ContinualOutput, PanPrivateDensity


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
    for _ in range(64 - 8):
        run.step(0.0)
    with pytest.raises(ValueError, match=r"^step 65 is past the horizon of this continual-output mechanism, 64$"):
        run.step(0.0)


@pytest.mark.quick_cases(0)
@pytest.mark.false_alarm(4e-8)
def test_transformation_keeps_its_error_bound() -> None:
    # a density that grows to 0.6; 30 runs, each beyond the bound with probability at most 0.1 (0.05 for the noises,
    # 0.05 for the estimator): 15 or more of 30 have a chance below 4e-8. Power: at 0.7 they have 0.99.
    users, horizon = 20_000, 256
    rng = np.random.default_rng(4)
    beyond = moved = 0
    for _ in range(30):
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
    assert beyond < 15
    assert moved > 15
