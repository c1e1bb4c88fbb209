"""Statistical queries: their true values over all points, and the one that spells a sample out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from disttrack.adversaries.analysts.speller import read
from disttrack.mechanisms.statistical.queries import Cells, Coins, FeatureMean, Members, Residual, SpellOut, Vote

ALL_POINTS = np.array(list(product((-1, 1), repeat=4)), dtype=np.int8).T


@pytest.mark.parametrize(
    "query",
    [FeatureMean(2), Vote((0, 1, 2), np.array([1.0, -1.0, 1.0])), Vote((0, 3), np.ones(2)), Vote((1,), np.zeros(1))],
    ids=lambda query: type(query).__name__,
)
def test_true_values_are_means_over_all_points(query: FeatureMean | Vote) -> None:
    assert query.mean(ALL_POINTS) == query.true == 0.5


def test_values_lie_between_0_and_1() -> None:
    query = Residual(0, np.array([0.5, -2.0, 0.0, 3.0]))
    values = query.values(ALL_POINTS)
    assert query.true is None
    assert values.min() >= 0
    assert values.max() <= 1


@pytest.mark.false_alarm(4e-8)
def test_distributions() -> None:
    """A thousand points of twenty features: each mean within 6 deviations of 0 (false alarm 4e-8)."""
    data = Coins(20).draw(1000, np.random.default_rng(0))
    assert data.shape == (20, 1000)
    assert set(np.unique(data).tolist()) == {-1, 1}
    assert np.abs(data.mean(axis=1)).max() < 6 / np.sqrt(1000)
    cells = Cells(7).draw(1000, np.random.default_rng(0))
    assert set(cells.tolist()) == set(range(7))


def test_an_exact_answer_spells_the_sample_out_and_a_float_does_not() -> None:
    data = Cells(2000).draw(300, np.random.default_rng(1))
    counts = np.bincount(data, minlength=2000)
    answer = SpellOut(2000).mean(data)
    assert (read(answer, 300, 2000) == counts).all()
    assert float(answer) == pytest.approx(float(SpellOut(2000).values(data).mean()))
    assert read(float(answer), 300, 2000)[8:].sum() == 0  # a float has room for three cells
    assert SpellOut(2000).true == pytest.approx(float(np.mean(2.0 ** (-16 * (np.arange(60) + 1)))) * 60 / 2000)
    members = Members(counts > 0)
    assert members.mean(data) == 1
    assert members.true == np.mean(counts > 0)
    with pytest.raises(ValueError, match="samples must be below 65,536"):
        SpellOut(3).mean(np.zeros(1 << 16, dtype=np.int64))
