"""Counters and tests refuse entries that are no finite numbers: no noise hides them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold, PrivatePartition
from disttrack.mechanisms.counters import COUNTERS

BAD = (float("nan"), float("inf"), -float("inf"))


@pytest.mark.parametrize("kind", COUNTERS)
def test_counters_refuse_entries_that_no_noise_hides(kind: str) -> None:
    cls: Any = COUNTERS[kind]
    counter = cls(epsilon=1.0, horizon=64)
    for bad in (*BAD, 10**400):
        run = counter.start(np.random.default_rng(1))
        with pytest.raises(ValueError, match=r"finite|0 or 1"):
            run.step(bad)
    for bad in BAD:
        run = counter.start(np.random.default_rng(1))
        with pytest.raises(ValueError, match=r"finite|0 or 1"):
            run.release([1.0, bad])


def test_tests_refuse_numbers_that_no_noise_hides() -> None:
    rng = np.random.default_rng(1)
    for bad in BAD:
        for act in (
            lambda bad: AboveThreshold(1.0, 5.0).start(rng).step(bad),
            lambda bad: AboveThreshold(1.0, 5.0).start(rng).first([0.0, bad]),
            lambda bad: PrivatePartition(1.0).start(rng).step(bad),
        ):
            with pytest.raises(ValueError, match="must be finite"):
                act(bad)
