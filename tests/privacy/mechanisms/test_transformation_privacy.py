"""The privacy of the continual-output transformation on small cases: Theorem 5.2 of Dwork and others 2010.

The likelihood of a long silence, which the noise in the threshold is there for, is computed from the noise by
integration, for neighbouring answers: each may be moved by the sensitivity.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from scipy import stats

from disttrack.privacy.mechanisms import ContinualOutput

EPSILON = 1.0


# ---------------------------------------------------------------------- a long quiet stretch


def log_quiet(rules: ContinualOutput, gap: float, segment: float = 1.0) -> float:
    """Return ln of the chance of silence over the whole horizon, the answer being always as far off.

    Given the noise of a segment its two halves are alike and independent: so the chance of a segment is the square of
    that of its half, averaged over the half's own noise, from single steps up to the whole.
    """
    scale = segment * rules.segment_noise.scale
    reach = 25 * scale + 3 * rules.answer_noise.scale
    x = np.linspace(-reach, reach, 801)
    noise = stats.laplace(scale=rules.answer_noise.scale)
    room = rules.threshold + x
    chance = np.where(room > 0, noise.cdf(room - gap) - noise.cdf(-room - gap), 0.0)
    kernel = np.exp(-np.abs(x[:, None] - x[None, :]) / scale)
    kernel /= kernel.sum(axis=1, keepdims=True)
    for _ in range(rules.levels):
        chance = (kernel @ chance) ** 2
    return log(float(np.interp(0.0, x, chance)))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("levels", [3, 6, 9])
def test_a_long_silence_costs_epsilon_and_without_noise_in_the_threshold_ever_more(levels: int) -> None:
    """The answer stays near the threshold, or beside that by the sensitivity: the silence loses an epsilon at most.

    Control: with a hundredth of the segments' noise the loss grows with the number of steps.
    """
    rules = ContinualOutput(EPSILON, 1 << levels, sensitivity=1.0, changes=4, variation=0.1)
    gaps = [rules.threshold + offset for offset in (-20.0, 0.0, 10.0)]
    losses = [abs(log_quiet(rules, gap) - log_quiet(rules, gap + 1)) for gap in gaps]
    assert 0.1 < max(losses) <= EPSILON
    bare = abs(log_quiet(rules, gaps[1], segment=0.01) - log_quiet(rules, gaps[1] + 1, segment=0.01))
    assert bare > (1 << levels) * 0.03
    assert levels < 9 or bare > 3 * EPSILON


# ---------------------------------------------------------------------- one look into the memory


def log_quiet_seen(rules: ContinualOutput, gap: float, seen: Sequence[float]) -> float:
    """Return ln of the chance of silence over the whole horizon, given the noises of the segments that a look finds.

    Parameters
    ----------
    seen
        Noises of the segments that hold the first two steps, the longest first: those in memory after the first step.
    """
    scale = rules.segment_noise.scale
    reach = 25 * scale + 3 * rules.answer_noise.scale + max(map(abs, np.cumsum(seen)))
    x = np.linspace(-reach, reach, 1201)
    noise = stats.laplace(scale=rules.answer_noise.scale)
    room = rules.threshold + x
    chance = np.where(room > 0, noise.cdf(room - gap) - noise.cdf(-room - gap), 0.0)
    kernel = np.exp(-np.abs(x[:, None] - x[None, :]) / scale)
    kernel /= kernel.sum(axis=1, keepdims=True)
    above = [0.0, *np.cumsum(seen)]
    total = 0.0
    for level in range(rules.levels):
        segment = kernel @ chance  # of 2^level steps, by the noises above it, its own being unknown
        at = log(float(np.interp(above[rules.levels - 1 - level], x, segment)))
        total += at if level else 2 * at  # the first step has lost its own noise, as has the second not drawn it
        chance = segment**2
    return total


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("levels", [6, 9])
def test_a_look_into_the_memory_costs_no_more_than_the_proof_says(levels: int) -> None:
    """Silence, and the noises in force after the first step: epsilon for the segments that are not seen, and an eighth
    or less for the comparison of that step. Control: a memory that erases no noise, in which every step is seen."""
    rules = ContinualOutput(EPSILON, 1 << levels, sensitivity=1.0, changes=4, variation=0.1)
    scale = rules.segment_noise.scale
    losses = []
    for each in (-3 * scale, -scale / 4, 0.0, scale):
        seen = [each] * (levels - 1)
        for gap in (rules.threshold - 20, rules.threshold, rules.threshold + 10):
            losses.append(abs(log_quiet_seen(rules, gap, seen) - log_quiet_seen(rules, gap + 1, seen)))
    assert 0.5 < max(losses) <= EPSILON * (1 + 1 / (2 * (rules.changes + 1)))
    at, noise = rules.threshold, stats.laplace(scale=rules.answer_noise.scale)
    step = [log(float(noise.cdf(at - gap) - noise.cdf(-at - gap))) for gap in (at, at + 1)]
    assert (1 << levels) * (step[0] - step[1]) > 3 * EPSILON


def test_a_look_finds_the_noises_in_force_and_no_others() -> None:
    """After step t those of the segments that hold both t and the step after it; none that hides one step only."""

    class Given:
        def step(self, x: float) -> None:
            self.value = x

        def answer(self) -> float:
            return self.value

    rules = ContinualOutput(EPSILON, 16, sensitivity=1.0, changes=4, variation=0.1)
    run = rules.start(Given(), np.random.default_rng(3))
    for t in range(1, 16):
        run.step(0.0)
        state = run.state()
        assert set(state) == {"step", "output", "changes", "noise", "inner"}
        assert len(state["noise"]) == sum((t - 1) >> level == t >> level for level in range(rules.levels))
