"""The factorised difference: exact without noise, its exact sensitivity to every neighbour, and its stated error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack import play_duel
from disttrack.mechanisms import SmoothBinary
from disttrack.mechanisms.noise import Silence
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.adversaries import Churn
from disttrack.privacy.mechanisms import FactorisedDifference
from disttrack.privacy.mechanisms.dynamic.factorised_difference import (
    LaplaceNoise,
    NormalNoise,
    largest_pair,
    tree_noise,
)
from disttrack.privacy.mechanisms.queries import family
from disttrack.privacy.tasks.audit import exact_loss
from disttrack.privacy.tasks.audit.exact_losses import linear_loss, linear_map

NOISES = [("laplace", 0.0), ("gaussian", 1e-4)]
SHAPES = [(None, 1), (None, 3), (1, 1), (4, 3), (40, 1)]
"""Lifetime and steps between answers."""


def updates(rng: np.random.Generator, steps: int, domain: int) -> list[int]:
    """Return a stream of insertions, pauses and deletions, among these of items that are gone."""
    codes: list[int] = []
    for step in range(1, steps + 1):
        draw = rng.random()
        if draw < 0.5 or step == 1:
            codes.append(int(rng.integers(domain)) + 1)
        else:
            codes.append(-int(rng.integers(1, step)) if draw < 0.9 else 0)
    return codes


def counted(codes: list[int], answer: int, every: int, longest: int, domain: int) -> np.ndarray:
    """Return the counts that an answer is about, item by item from the definition."""
    counts = np.zeros(domain)
    for place, code in enumerate(codes[: answer * every], start=1):
        gone = [other for other, later in enumerate(codes, start=1) if later == -place and other > place]
        alive = not gone or gone[0] > answer * every
        if code > 0 and alive and answer < -(-place // every) + longest:
            counts[code - 1] += 1
    return counts


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize(("lifetime", "every"), SHAPES)
@pytest.mark.parametrize(
    ("queries", "strategy"),
    [("count", "best"), ("points", "points"), ("intervals", "hierarchy:2"), ("axes:2", "answers"), ("rows:2", "best"),
     ("marginals:2", "spectral"), ("halves:5", "points"), ("intervals:4", "hierarchy:16")],
)  # fmt: skip
def test_without_noise_the_answers_are_those_of_the_live_items(
    queries: str, strategy: str, lifetime: int | None, every: int
) -> None:
    rng = np.random.default_rng(5)
    codes, of = updates(rng, 40, 8), family(queries, 8)
    mechanism = FactorisedDifference(1.0, 1e-4, queries, 8, "gaussian", 40, 0.05, every, lifetime, strategy)
    run = mechanism.start(Silence())  # type: ignore[arg-type]
    longest = min(40 // every, -(-(lifetime or 40) // every))
    for step, code in enumerate(codes, start=1):
        assert run.step(code) == (step % every == 0)
        expected = of.evaluate(counted(codes, step // every, every, longest, 8))
        np.testing.assert_allclose(run.answers, expected, atol=1e-9)
    assert run.ignored > 0


def watch_of(mechanism: FactorisedDifference) -> Any:
    def watch(codes: Any, rng: Any) -> list[float]:
        run, seen = mechanism.start(rng), []
        for code in codes:
            if run.step(code):
                seen += run.published()
        return seen

    return watch


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(("lifetime", "every"), SHAPES)
@pytest.mark.parametrize(("static", "delta"), NOISES)
def test_no_missing_update_of_any_stream_loses_more_than_epsilon(
    static: str, delta: float, lifetime: int | None, every: int
) -> None:
    """Streams whose deletions also name items that are gone, with each update missing; the worst stream loses it."""
    mechanism = FactorisedDifference(0.7, delta, "intervals", 2, static, 10, 0.05, every, lifetime)
    rng = np.random.default_rng(11)
    for _ in range(2):
        codes = updates(rng, 10, 2)
        without = [[*codes[:place], 0, *codes[place + 1 :]] for place, code in enumerate(codes) if code]
        loss = linear_loss(watch_of(mechanism), [codes, *without], delta)
        assert loss is not None
        assert loss <= 0.7 + 1e-7
    if every == 1:
        worst = exact_loss(FactorisedDifference(0.7, delta, "count", 1, static, 10, 0.05, every, lifetime))
        assert worst is not None
        assert worst.loss == pytest.approx(0.7, abs=1e-6)


def test_the_sensitivity_of_a_counter_is_too_small_for_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: calibrated to one entry of the differences, an item that comes and goes loses more."""
    module = "disttrack.privacy.mechanisms.dynamic.factorised_difference"
    monkeypatch.setattr(f"{module}.largest_pair", lambda column, longest: float((column**2).sum()))
    exact = exact_loss(FactorisedDifference(1.0, 1e-4, "count", 1, "gaussian", 12))
    assert exact is not None
    assert exact.loss > 1.05


@pytest.mark.parametrize("longest", [1, 2, 5, 11, 12, 30])
def test_the_largest_pair_is_that_of_all_pairs(longest: int) -> None:
    column = np.random.default_rng(2).normal(size=12)
    matrix = np.array([[column[i - j] if i >= j else 0.0 for j in range(12)] for i in range(12)])
    pairs = [matrix[:, s] - matrix[:, u] for s in range(12) for u in range(s + 1, min(12, s + longest + 1))]
    pairs += [matrix[:, s] for s in range(12) if s + longest >= 12]
    assert largest_pair(column, longest) == pytest.approx(max(float(pair @ pair) for pair in pairs))


@pytest.mark.parametrize("noise", [LaplaceNoise, NormalNoise])
@pytest.mark.parametrize(("answers", "lifetime"), [(1, 1), (9, 9), (20, 1), (20, 2), (20, 6), (40, 7)])
def test_the_variance_is_that_of_the_noise(noise: Any, answers: int, lifetime: int) -> None:
    made = noise(1.0, 1e-4, 1.5, answers, lifetime)

    def watch(_: Any, rng: Any) -> list[float]:
        path = made.start(rng, 1)
        return [float(path()[0]) for _ in range(answers)]

    linear = linear_map(watch, [0])
    assert linear is not None
    largest = float((linear[0] ** 2).sum(axis=1).max()) * (2 if noise is LaplaceNoise else 1)
    assert largest == pytest.approx(made.variance, rel=1e-9)


@pytest.mark.parametrize("steps", [1, 2, 7, 600])
def test_several_trees_at_once_have_the_noise_of_one_each(steps: int) -> None:
    tree = SmoothBinary(1.0, steps)
    script = np.random.default_rng(4).normal(size=20_000)
    alone = tree.noise(ScriptedNoise(script)).many(steps)  # type: ignore[arg-type]
    both = np.array(list(tree_noise(tree, ScriptedNoise(np.repeat(script, 2)), 2)))
    assert both.shape == (steps, 2)
    np.testing.assert_allclose(both, np.stack((alone, alone), axis=1), atol=1e-9)


def test_items_past_their_lifetime_and_late_answers_are_in_the_stated_error() -> None:
    """Ten items that stay, a lifetime of 4: after that all of them are missing; answers come at each third step."""
    run = FactorisedDifference(1.0, horizon=30, every=3, lifetime=4).start(Silence())  # type: ignore[arg-type]
    assert run.error_bound(0, 0.05) == 2
    for _ in range(10):
        run.step(1)
    noise = run.error_bound(0, 0.05)
    for _ in range(20):
        run.step(0)
    assert run.answers.tolist() == [0.0]
    assert (
        run.error_bound(0, 0.05) - noise >= 4
    )  # items of steps 1 to 6 were missing before: those of 7 to 10 came to it
    game = play_duel(FactorisedDifference(1e6, horizon=400, lifetime=10), Churn(peak=50), steps=400, seed=1)
    assert game.max_abs_error > 30
    assert game.ok
