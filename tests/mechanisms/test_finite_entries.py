"""Counters and tests refuse entries that are no finite numbers: no noise hides them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold, PrivatePartition
from disttrack.mechanisms.counters import COUNTERS

BAD = (float("nan"), float("inf"), -float("inf"))


@pytest.mark.parametrize(
    "bad", [*BAD, 10**400, "1", b"1", None, 1j, [1], {}, Decimal("0.5")], ids=lambda bad: str(bad)[:8]
)
@pytest.mark.parametrize("kind", COUNTERS)
def test_a_refused_entry_leaves_a_counter_as_it_was(kind: str, bad: Any) -> None:
    cls: Any = COUNTERS[kind]
    counter = cls(epsilon=1.0, horizon=64)
    runs = [counter.start(np.random.default_rng(1)) for _ in range(3)]
    for act in (lambda: runs[0].step(bad), lambda: runs[1].release([1.0, bad])):
        with pytest.raises(ValueError, match=r"finite|real|0 or 1|shape"):
            act()
    later = [[run.step(x) for x in (1, 0, 0.0, True)] for run in runs]
    assert later[0] == later[1] == later[2]
    assert [run.t for run in runs] == [4, 4, 4]


@pytest.mark.parametrize("kind", COUNTERS)
def test_a_masked_entry_is_none(kind: str) -> None:
    cls: Any = COUNTERS[kind]
    run = cls(epsilon=1.0, horizon=64).start(np.random.default_rng(1))
    with pytest.raises(ValueError, match="must have no masked entry"):
        run.release(np.ma.array([1.0, 1.0], mask=[False, True]))


@pytest.mark.parametrize("bad", ["1", None, 1j, float("nan")])
def test_a_refused_query_leaves_a_test_as_it_was(bad: Any) -> None:
    tests = [AboveThreshold(1.0, 50.0).start(np.random.default_rng(1)) for _ in range(3)]
    for act in (lambda: tests[0].step(bad), lambda: tests[1].first([0.0, bad])):
        with pytest.raises(ValueError, match="numbers that get noise must be"):
            act()
    with pytest.raises(ValueError, match="numbers that get noise must be"):
        PrivatePartition(1.0).start(np.random.default_rng(1)).step(bad)
    assert [[test.step(0.0) for _ in range(9)] for test in tests] == [[False] * 9] * 3
    assert [test.t for test in tests] == [9, 9, 9]
