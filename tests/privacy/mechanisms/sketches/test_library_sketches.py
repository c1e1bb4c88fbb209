"""Sketches of the library datasketches: sizes, exact answers on few items, and a line where it is missing."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from disttrack.privacy.mechanisms.sketches import LibraryCountMin, LibraryHll, LibraryTheta


@pytest.mark.skipif(not find_spec("datasketches"), reason="the extra sketches is not installed")
def test_sketches_of_the_library() -> None:
    hll, theta, rows = LibraryHll(21), LibraryTheta(6), LibraryCountMin(8, 3)
    assert (hll.goal, hll.words, hll.total_rows) == ("distinct", 2**18, 2**21)
    assert (LibraryHll(7).words, LibraryHll().lg_k) == (16, 10)
    assert (theta.goal, theta.words, theta.total_rows) == ("distinct", 64, 64)
    assert LibraryTheta(26).words == 2**26
    assert (rows.goal, rows.words, rows.total_rows) == ("frequency", 24, 24)
    run = rows.start(np.random.default_rng(0))
    run.update(0, 5)
    run.update(0, 2)
    assert run.estimate() == 7.0
    for sketch in (LibraryHll(12), LibraryTheta(12)):
        distinct, twin = (sketch.start(np.random.default_rng(4)) for _ in range(2))
        for item in range(40):
            distinct.update(item, 1)
            distinct.update(item, 3)
            twin.update(item, 2)
        assert distinct.estimate() == pytest.approx(40, abs=0.01)
        assert distinct.estimate() == twin.estimate()
        with pytest.raises(ValueError, match="takes changes of at least 1; got 0"):
            distinct.update(3, 0)
        distinct.reset()
        assert distinct.estimate() == 0.0


def test_a_missing_library_is_said_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketches", None)
    for make in (LibraryHll, LibraryTheta, lambda: LibraryCountMin(width=16)):
        with pytest.raises(ValueError, match=r"datasketches is not installed.*pip install disttrack\[sketches\]"):
            make()
