"""Answers to statistical queries on small samples, by hand: what is added, from which part, and the bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import Empirical, Holdout, LaplaceAnswers, NoisyArgmax, Splitting, ThresholdOut
from disttrack.privacy.mechanisms.statistical.base import (
    Cells,
    Coins,
    FeatureMean,
    Members,
    Residual,
    Spelled,
    SpellOut,
    Vote,
    sampling_error,
)
from disttrack.privacy.mechanisms.statistical.noisy import noisy_argmax

DATA = np.array([[1, 1, 1, -1, 1, -1, 1, -1], [-1, -1, 1, -1, -1, -1, -1, 1]], dtype=np.int8)
"""Means 5/8 and 2/8; 3/4 and 1/4 in the first half, 1/2 and 1/4 in the second."""


def test_means_and_parts() -> None:
    run = Empirical().start(DATA, 2, np.random.default_rng(0))
    assert [run.answer(FeatureMean(0)), run.answer(FeatureMean(1))] == [5 / 8, 2 / 8]
    parts = Splitting().start(DATA, 3, np.random.default_rng(0))  # parts of 2; two points are left over
    assert [parts.answer(FeatureMean(0)) for _ in range(3)] == [1.0, 0.5, 0.5]
    whole = Splitting().start(DATA, 8, np.random.default_rng(0))
    assert [whole.answer(FeatureMean(1)) for _ in range(8)] == [0, 0, 1, 0, 0, 0, 0, 1]
    with pytest.raises(ValueError, match=r"^samples must be at least queries, 9, to be split; got 8$"):
        Splitting().start(DATA, 9, np.random.default_rng(0))
    assert Splitting().bound(100, 7, 0.1) == pytest.approx(sqrt(log(140) / 28))
    assert Splitting().bound(6, 7, 0.1) is None
    assert Splitting().bound(7, 7, 0.1) == pytest.approx(sqrt(log(140) / 2))
    assert sampling_error(50, 3, 0.2) == pytest.approx(sqrt(log(30) / 100))
    assert Splitting().coin_errors(6, 7, 3, np.random.default_rng(0)).tolist() == [0.5] * 3


def test_the_bound_of_theorem_5() -> None:
    rules, samples, queries = LaplaceAnswers(0.1, delta=1e-4), 5000, 7
    left = 0.05 - queries * 1e-4 / 0.1
    exact = rules.noise(samples, queries).scale * log(queries / left) + 1.0
    assert rules.bound(samples, queries, 0.05) == pytest.approx(exact)
    assert rules.bound(samples, queries, 6.99e-3) is None  # nothing is left for the noise
    assert rules.bound(samples, queries, 7.001e-3) is not None
    least = math.ceil(log(1e4) / 0.01)
    assert rules.bound(least - 1, queries, 0.05) is None
    assert rules.bound(least, queries, 0.05) is not None


def test_the_noisy_argmax_by_hand() -> None:
    rules = NoisyArgmax(0.5)
    assert rules.noise(8).scale == 0.5
    source: Any = ScriptedNoise([0.0, 0.0, -1.0, 0.0, -0.7, 0.0])
    run = rules.start(DATA, 5, source)
    asked = [FeatureMean(0), FeatureMean(1)]
    assert [run.select(asked) for _ in range(3)] == [0, 1, 0]
    with pytest.raises(ValueError, match=r"^noisy-argmax names the largest of several queries and answers none$"):
        run.answer(FeatureMean(0))
    assert noisy_argmax(np.array([0.0, 3.0, 2.9]), rules.noise(8), ScriptedNoise([0.0, 0.0, 1.0])) == 2  # type: ignore[arg-type]


def test_the_reusable_holdout_by_hand() -> None:
    """Noises in the order of their draws: threshold, test, then answer and the next threshold."""
    rules = ThresholdOut(threshold=0.2, noise=0.01, budget=2)
    source: Any = ScriptedNoise([0.0, 3.0, 1.0, -1.0, 2.0, 0.0, -9.0, 0.5])
    run = rules.start(DATA, 5, source)
    # 0.25 apart; the first test lets 0.2 + 0.04 · 3 pass
    assert run.answer(FeatureMean(0)) == 0.75
    # 0.2 + 0.04: the holdout answers with the third draw behind the new threshold's
    assert run.answer(FeatureMean(0)) == pytest.approx(0.5 + 0.01 * 2.0)
    assert run.paid == 1
    assert run.answer(FeatureMean(1)) == 0.25  # no difference at all
    assert run.answer(FeatureMean(0)) == pytest.approx(0.5)  # 0.18 - 0.36
    assert [batch.scale for batch in source.batches] == [0.02, 0.04, 0.04, 0.02, 0.01, 0.04, 0.04, 0.02, 0.01]
    assert run.paid == 2
    assert [run.answer(FeatureMean(0)) for _ in range(3)] == [0.75] * 3  # the budget is used up
    assert source.taken == 9
    with pytest.raises(ValueError, match=r"^samples must be at least 2, to be halved; got 1$"):
        ThresholdOut().start(DATA[:, :1], 1, np.random.default_rng(0))


def test_the_plain_holdout_is_the_second_half() -> None:
    run = Holdout().start(DATA, 2, np.random.default_rng(0))
    assert [run.answer(FeatureMean(0)), run.answer(FeatureMean(1))] == [1 / 2, 1 / 4]
    assert Holdout().start(DATA[:, :3], 2, np.random.default_rng(0)).answer(FeatureMean(1)) == 0.5  # of two points
    with pytest.raises(ValueError, match=r"^samples must be at least 2, to be halved; got 1$"):
        Holdout().start(DATA[:, :1], 1, np.random.default_rng(0))


def test_queries_by_hand() -> None:
    assert FeatureMean(1).values(DATA).tolist() == [0, 0, 1, 0, 0, 0, 0, 1]
    vote = Vote((0, 1), np.array([1.0, 1.0]))
    assert vote.values(DATA).tolist() == [0.5, 0.5, 1.0, 0.0, 0.5, 0.0, 0.5, 0.5]
    assert Vote((1, 0), np.array([-1.0, 2.0])).values(DATA).tolist() == [1, 1, 1, 0, 1, 0, 1, 0]
    assert vote.mean(DATA) == pytest.approx(3.5 / 8)
    weights = np.array([0.5, 3.0])
    scores = np.clip(weights @ DATA, -1, 1)
    expected = [(2 + x * (1 - score)) / 4 for x, score in zip(DATA[0].tolist(), scores.tolist(), strict=True)]
    assert Residual(0, weights).values(DATA).tolist() == pytest.approx(expected)
    assert Residual(1, weights).values(DATA).tolist() == pytest.approx(
        [(2 + x * (1 - score)) / 4 for x, score in zip(DATA[1].tolist(), scores.tolist(), strict=True)]
    )
    inside = Members(np.array([True, False, True, True]))
    assert inside.values(np.array([0, 1, 1, 2])).tolist() == [1, 0, 0, 1]
    assert inside.true == 0.75
    assert Members(inside.inside, 2).true == 0.5


@pytest.mark.parametrize("cells", [1, 2, 3, 4, 5, 9])
def test_a_spelled_answer_is_the_mean_to_every_digit(cells: int) -> None:
    """With Python's fractions of any size."""
    data = np.array([0, cells - 1, cells // 2, 0, cells - 1])
    query = SpellOut(cells)
    answer = query.mean(data)
    exact = sum(Fraction(1, 2 ** (16 * (cell + 1))) for cell in data.tolist()) / 5
    assert Fraction(answer.numerator, answer.points * 2 ** (16 * answer.cells)) == exact
    assert (answer.points, answer.cells) == (5, cells)
    assert float(answer) == pytest.approx(float(exact), rel=1e-12)
    assert query.values(data).tolist() == [2.0 ** (-16 * (cell + 1)) for cell in data.tolist()]
    assert query.true == pytest.approx(
        float(sum(Fraction(1, 2 ** (16 * (c + 1))) for c in range(cells)) / cells), rel=1e-15
    )
    assert float(Spelled(3, 4, 1)) == 3 / 4 / 2**16
    with pytest.raises(
        ValueError, match=r"^samples must be below 65,536 for a query that spells them out; got 65,536$"
    ):
        query.mean(np.zeros(1 << 16, dtype=np.int64))
    assert query.mean(np.zeros((1 << 16) - 1, dtype=np.int64)).points == 65_535


def test_what_points_are_drawn_from() -> None:
    class Source:
        def bytes(self, number: int) -> bytes:
            assert number == 2
            return bytes([0b10110001, 0b01000000])

        def integers(self, low: int, high: int, size: int) -> np.ndarray:
            return np.array([low, high, size])

    source: Any = Source()
    assert Coins(3).draw(3, source).tolist() == [[1, -1, 1], [1, -1, -1], [-1, 1, -1]]
    assert Cells(7).draw(4, source).tolist() == [0, 7, 4]
    assert Cells(7, filled=3).draw(4, source).tolist() == [0, 3, 4]
