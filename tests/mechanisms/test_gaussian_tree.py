"""The Gaussian tree: whichever steps are skipped, the rest has the joint distribution of the binary tree's noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import GaussianTree
from disttrack.mechanisms.counters.gaussian_tree import GaussianTreeRun, TreeWalk
from disttrack.mechanisms.noise import Draws, RealGaussian
from disttrack.mechanisms.scripted_noise import ScriptedNoise


def shared(one: int, other: int) -> int:
    """Return the number of dyadic intervals that the estimates of two steps both add up, from their definition."""

    def intervals(t: int) -> set[tuple[int, int]]:
        found, begin = set(), 0
        for bit in reversed(range(t.bit_length())):
            if t >> bit & 1:
                found.add((begin, begin + (1 << bit)))
                begin += 1 << bit
        return found

    return len(intervals(one) & intervals(other))


def response(counter: GaussianTree, steps: list[int], draws: int) -> np.ndarray:
    """Return the released noise as a matrix of the draws, in units of their standard deviation."""
    columns = []
    for draw in range(draws):
        run = counter.start(ScriptedNoise({draw: 1.0}))  # type: ignore[arg-type]
        columns.append([(run.skip(step - run.t - 1) if step > run.t + 1 else None, run.step(0))[1] for step in steps])
    return np.array(columns).T / counter.std


@pytest.mark.parametrize("seed", range(6))
def test_the_covariance_is_that_of_the_binary_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    horizon = [7, 64, 1000, 2**40, 10**12, 2**61][seed]
    top = min(horizon, 1 << 20) if seed < 3 else horizon
    steps = sorted({int(step) for step in rng.integers(1, top, 12)} | {1, 2, top})
    counter = GaussianTree(1.0, horizon)
    matrix = response(counter, steps, 2 * len(steps))
    expected = np.array([[shared(one, other) for other in steps] for one in steps])
    np.testing.assert_allclose(matrix @ matrix.T, expected, atol=1e-9)
    assert [counter.variance(step) for step in steps] == pytest.approx(np.diag(expected) * counter.std**2)


def test_a_release_costs_two_draws_at_most_however_many_steps_are_skipped() -> None:
    counter, count = GaussianTree(1.0, 2**61), 0

    class Counted(ScriptedNoise):
        def normal(self, mean: float, std: float, size: int | None = None) -> Any:
            nonlocal count
            count += size or 1
            return super().normal(mean, std, size)

    run = GaussianTreeRun(counter, TreeWalk(Draws(RealGaussian(counter.std), Counted(), batch=1)))  # type: ignore[arg-type]
    skipped = 1
    for number in range(1, 400):
        run.step(0)
        assert count <= 2 * number
        run.skip(skipped)
        skipped = 1 + skipped * 7 % 1_000_003
    assert count > 400


class Walk(TreeWalk):
    """Counts the steps that are asked for one by one."""

    single = 0

    def one(self) -> float:
        self.single += 1
        return super().one()


@pytest.mark.parametrize("seed", range(4))
def test_a_release_after_skips_is_a_loop_over_its_entries(seed: int) -> None:
    """Whether all steps on the path are known, as after a skip of one, or some of them are still to be drawn."""
    rng = np.random.default_rng(seed)
    many, loop = (Walk(Draws(RealGaussian(1.0), np.random.default_rng(seed))) for _ in range(2))
    for _ in range(30):
        size = int(rng.integers(1, 300))
        assert many.many(size).tolist() == [loop.one() for _ in range(size)]
        if rng.random() < 0.2:
            left_out = 1 if seed % 2 else 1 << 12
            many.now += left_out
            loop.now += left_out
    assert 0 < many.single < loop.single


def test_skips_are_refused_past_the_horizon_and_for_no_steps() -> None:
    run = GaussianTree(1.0, 10).start(np.random.default_rng(0))
    run.skip(9)
    with pytest.raises(ValueError, match=r"^step 11 is past the horizon of this gaussian-tree counter, 10$"):
        run.skip(2)
    for wrong in (0, -1, 1.5):
        with pytest.raises(ValueError, match=r"^steps must be a whole number of at least 1"):
            run.skip(wrong)  # type: ignore[arg-type]
