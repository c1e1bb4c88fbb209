"""How large sketches are, from the formulas of the papers, and those of the library datasketches."""

from __future__ import annotations

import sys
from math import ceil, comb, exp, log

import pytest

from disttrack.privacy import mechanisms as by
from disttrack.privacy.mechanisms.sketches.second_moment import rows_for_tail


@pytest.mark.parametrize(
    ("sketch", "goal", "words", "total", "active", "built"),
    [
        (by.Ams(rows=7), "second-moment", 7, 7, 7, None),
        (by.Ams(rows=7, signs="hashed"), "second-moment", 35, 7, 7, None),
        (by.AmsMedian(groups=3, rows=7), "second-moment", 21, 21, 21, None),
        (by.AmsMedian(groups=3, rows=7, signs="hashed"), "second-moment", 105, 21, 21, None),
        (by.Kmv(size=7), "distinct", 7, 7, 7, None),
        (by.HyperLogLog(registers=256), "distinct", 24, 256, 256, None),
        (by.CountSketch(width=7, depth=5), "frequency", 35, 35, 35, None),
        (by.CountMin(width=7, depth=5), "frequency", 35, 35, 35, None),
        (by.Switched(copies=4, size=7), "second-moment", 29, 28, 7, 4),
        (by.Switched(copies=4, size=7, sketch="count-min"), "frequency", 4 * 28 + 1, 4 * 28, 28, 4),
        (by.Rounded(size=7), "second-moment", 8, 7, 7, None),
        (by.Rounded(size=7, sketch="kmv"), "distinct", 8, 7, 7, None),
        (by.Salted(size=256), "distinct", 25, 256, 256, None),
        (by.PrivateMedian(changes=9, copies=5, rows=7), "second-moment", 36, 35, 35, 9),
        (by.ResetSample(size=7), "sum", 14, 7, 7, None),
        (by.EstimatorCorrector(updates=90, blocks=5, rows=7), "second-moment", 52, 49, 21, 90),
        # levels 3: rounds of 8 finest blocks of 30 rows, 2 of 60 and 1 of 120, and a strong estimate of 30
        (by.AmsDifference(rounds=2, rows=30), "second-moment", 2 * (30 + 240 + 120 + 120) + 5, 1020, 30, 2),
        (by.AmsDifference(rounds=1, rows=9, alpha=0.9), "second-moment", None, None, 17, 1),
    ],
    ids=repr,
)  # fmt: skip
def test_sizes(
    sketch: by.Sketch, goal: str, words: int | None, total: int | None, active: int, built: int | None
) -> None:
    assert (sketch.goal, sketch.active_rows, sketch.built_for) == (goal, active, built)
    if words is not None:
        assert (sketch.words, sketch.total_rows) == (words, total)


@pytest.mark.parametrize(
    ("changes", "updates", "largest", "alpha", "delta"), [(1, 2, 4, 0.5, 0.05), (7, 50, 900, 0.2, 0.01)]
)
def test_computation_paths(changes: int, updates: int, largest: int, alpha: float, delta: float) -> None:
    sketch = by.ComputationPaths(changes=changes, updates=updates, largest=largest, alpha=alpha, delta=delta)
    grid = ceil(log(largest) / log(1 + alpha / 4)) + 2
    paths = comb(updates, changes) * grid**changes
    assert exp(sketch.paths) == pytest.approx(paths, rel=1e-9)
    share = (1 + alpha) / (1 + alpha / 4) - 1
    rows = log(2 * paths * updates / delta) / log(40) * rows_for_tail(share, 0.05)
    assert sketch.total_rows == sketch.inner.rows == ceil(rows)
    assert (sketch.words, sketch.built_for, sketch.goal) == (ceil(rows) + 1, changes, "second-moment")
    assert sketch.inner == by.Ams(rows=ceil(rows), alpha=alpha)


def test_a_missing_library_is_said_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketches", None)
    for make in (by.LibraryHll, by.LibraryTheta, lambda: by.LibraryCountMin(width=16)):
        with pytest.raises(ValueError, match=r"datasketches is not installed.*pip install disttrack\[sketches\]"):
            make()
