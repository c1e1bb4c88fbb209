"""Sensitivity by brute force: what each counter adds noise to, read off the running code.

An estimate is A x + R z. If R B = A, the counter is a function of B x + z, and neighbouring streams move
B x by at most what epsilon pays for. R is measured, and B is what the class says.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import linprog

from disttrack.mechanisms import COUNTERS, Binary, Counter, PanPrivate, TwoLevel
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.scripted_noise import ScriptedNoise, response

LINEAR = [kind for kind in COUNTERS if kind not in {"randomized-response", "sparse", "sparse-infinite"}]
"""Counters whose estimates are the truth plus a linear map of their noise."""
CASES = [
    *((kind, {}) for kind in LINEAR if kind != "pan-private"),
    ("k-ary", {"base": 3}),
    ("k-ary", {"base": 5}),
    ("two-level", {"block": 2}),
    ("blt", {"buffers": 1}),
    ("blt", {"buffers": 3}),
]


def largest_move(rules: Counter, steps: int) -> float:
    """Return how far any two neighbouring streams are apart in what gets noise, in units of noise."""
    encoder = rules.encoder(steps)
    assert encoder is not None
    measured = response(rules, steps, len(encoder))
    assert measured @ encoder == pytest.approx(np.tri(steps), abs=1e-9)
    assert response(rules, steps, len(encoder), whole=True) == pytest.approx(measured, abs=1e-9)
    order = 2 if rules.privacy == "approximate" else 1
    return float(np.linalg.norm(encoder, ord=order, axis=0).max())  # all is linear: the move of an entry is its column


@pytest.mark.quick_cases(36)
@pytest.mark.parametrize("steps", range(1, 13))
@pytest.mark.parametrize(("kind", "more"), CASES)
def test_neighbours_are_as_far_apart_as_claimed(kind: str, more: dict[str, int], steps: int) -> None:
    rules = counter(kind, 0.8, steps, **more)
    claim = 1 / rules.sigma if rules.privacy == "approximate" else rules.epsilon  # type: ignore[attr-defined]
    move = largest_move(rules, steps)
    assert move <= claim * (1 + 1e-9)
    if kind == "unbounded":  # its noise is for any number of steps
        assert move == pytest.approx(claim * math.sqrt(rules.column_norm(steps)) * rules.sigma / rules.std)  # type: ignore[attr-defined]
    elif kind != "hybrid" or steps >= 4:  # before that no item is in a tree and in an epoch's release
        assert move >= claim * (1 - 1e-9)


@pytest.mark.quick_cases(15)
@pytest.mark.parametrize("steps", [1, 2, 5, 8, 12, 33])
@pytest.mark.parametrize("kind", LINEAR)
def test_variance_is_that_of_the_noise_in_the_estimate(kind: str, steps: int) -> None:
    rules = counter(kind, 0.8, steps)
    one = 1.0 if rules.privacy == "approximate" else 2.0  # variance of a draw in units of its scale squared
    measured = one * np.sum(response(rules, steps, 2 * steps + 70) ** 2, axis=1)
    assert measured.tolist() == pytest.approx([rules.variance(t) for t in range(1, steps + 1)], rel=1e-9)


def test_a_counter_with_too_little_noise_is_caught() -> None:
    # one level short, as published: caught wherever it matters
    for steps in (2, 4, 8, 12):
        literal = Binary(epsilon=0.8, horizon=steps, literal=True)
        assert largest_move(literal, steps) > 0.8 * 1.05

    @dataclass(frozen=True)
    class HalfNoise(TwoLevel):
        """Forgets that an item lies in two releases, as a published library's map does for its tree."""

        encoder = TwoLevel.encoder

        @property
        def scale(self) -> float:
            return 1 / self.epsilon

    assert largest_move(HalfNoise(epsilon=0.8, horizon=9), 9) == pytest.approx(1.6)


def least_shift(observed: np.ndarray, moved: np.ndarray) -> float:
    """Return the least L1 shift of the noise that hides the move from whoever observes; infinity if none does."""
    draws = observed.shape[1]
    found = linprog(np.ones(2 * draws), A_eq=np.hstack((observed, -observed)), b_eq=moved)
    return float(found.fun) if found.success else float("inf")


def intruders_view(rules: Counter, steps: int, draws: int, after: int) -> np.ndarray:
    """Return what an observer of all estimates who looks at the state once, after step `after`, gets to see."""
    columns = []
    for unit in np.eye(draws):
        run = rules.start(ScriptedNoise(unit))  # type: ignore[arg-type]
        seen = []
        for step in range(steps + 1):
            if step:
                seen.append(run.step(0))
            if step == after:
                state = run.state()  # type: ignore[attr-defined]
                looked_at = [state["count"], *state["noise"]]
        columns.append(seen + looked_at)
    return np.array(columns).T


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("steps", [1, 2, 3, 4, 7, 8, 11])
def test_pan_private_counter_keeps_its_claim_under_one_intrusion(steps: int) -> None:
    rules = PanPrivate(epsilon=0.8, horizon=steps)
    draws = 1 + sum(-(-steps >> level) for level in range(rules.levels))
    worst = 0.0
    for after, changed in itertools.product(range(steps + 1), range(1, steps + 1)):
        view = intruders_view(rules, steps, draws, after)
        in_count = float(changed <= after)
        hidden = len(view) - steps - 1
        moved = np.array([*(np.arange(1, steps + 1) >= changed), in_count, *np.zeros(hidden)], dtype=np.float64)
        worst = max(worst, least_shift(view, moved))
    # the draws are in units of their scale, so a shift by s in all changes their density by exp(s) at most
    assert worst <= rules.epsilon * (1 + 1e-9)
    if steps in (2, 4, 8):
        assert worst >= rules.epsilon * (1 - 1e-9)


def test_one_look_at_a_binary_counter_tells_all() -> None:
    # its memory holds the exact sum: no shift of the noise hides a change of that
    run = Binary(epsilon=1.0, horizon=8).start(np.random.default_rng(0))
    run.release([1, 0, 1])
    assert run.state()["count"] == 2.0
    view = np.vstack((response(Binary(epsilon=1.0, horizon=8), 8, 8), np.zeros(8)))  # the sum has no noise
    moved = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1], dtype=np.float64)
    assert least_shift(view, moved) == float("inf")


def test_pan_private_noise_is_not_in_memory_before_or_after_its_time() -> None:
    class Watched:
        """Counts the draws asked for."""

        def __init__(self) -> None:
            self.rng, self.drawn = np.random.default_rng(4), 0

        def laplace(self, loc: float, scale: float, size: int) -> np.ndarray:
            self.drawn += size
            return self.rng.laplace(loc, scale, size)

    watched = Watched()
    rules = PanPrivate(epsilon=1.0, horizon=16)
    run = rules.start(watched)  # type: ignore[arg-type]
    for t in range(1, 17):
        run.step(1)
        begun = 1 + sum(-(-t >> level) for level in range(4))
        assert watched.drawn == begun  # the count's own noise, and one a segment that has begun
        in_force = [level for level in range(4) if t % (1 << level)]
        assert len(run.state()["noise"]) == len(in_force)  # type: ignore[arg-type]
