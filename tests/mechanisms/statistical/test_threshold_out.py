"""The reusable holdout: which half answers, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.mechanisms.statistical import ThresholdOut
from disttrack.mechanisms.statistical.queries import FeatureMean

QUIET = 1e-9


def halves(train: float, holdout: float) -> np.ndarray:
    """Return 2,000 points with one feature that is +1 for these shares of the two halves."""
    column = [np.where(np.arange(1000) < 1000 * share, 1, -1) for share in (train, holdout)]
    return np.concatenate(column).astype(np.int8)[None]


def test_the_training_half_answers_while_the_halves_agree() -> None:
    run = ThresholdOut(threshold=0.05, noise=QUIET).start(halves(0.52, 0.50), 10, np.random.default_rng(0))
    assert float(run.answer(FeatureMean(0))) == 0.52
    assert run.paid == 0


def test_the_holdout_answers_where_they_do_not_and_its_budget_ends() -> None:
    rules = ThresholdOut(threshold=0.05, noise=QUIET, budget=2)
    run = rules.start(halves(0.6, 0.50), 10, np.random.default_rng(0))
    assert [float(run.answer(FeatureMean(0))) for _ in range(3)] == pytest.approx([0.5, 0.5, 0.6], abs=1e-6)
    assert run.paid == 2


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="samples must be at least 2"):
        ThresholdOut().start(halves(0.5, 0.5)[:, :1], 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="budget must be a whole number"):
        ThresholdOut(budget=0)
