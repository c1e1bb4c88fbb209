"""Whole lines of refusals that are no matter of one number's range; and kinds of numbers in what is returned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import ExpertsPrivate, Guessing, JdpMirror, LearnerRun, Plain, PointPredictor, PrivateProper
from disttrack.mechanisms.sketches import (
    Ams,
    AmsMedian,
    ComputationPaths,
    CountSketch,
    HyperLogLog,
    LibraryCountMin,
    LibraryHll,
    LibraryTheta,
    PrivateMedian,
    Rounded,
    Salted,
)  # fmt: skip
from disttrack.mechanisms.sketches.linear import LinearRun
from disttrack.mechanisms.sketches.signs import DenseSigns, HashedSigns, signs_of

SAID: list[tuple[Callable[..., Any], str]] = [
    (partial(CountSketch, 8, depth=4), "depth must be an odd number; got 4"),
    (partial(AmsMedian, 4, 8), "groups must be an odd number; got 4"),
    (partial(Ams, 8, signs="wide"), "signs must be 'dense' or 'hashed'; got 'wide'"),
    (partial(AmsMedian, 3, 8, signs="wide"), "signs must be 'dense' or 'hashed'; got 'wide'"),
    (partial(HyperLogLog, 192), "registers must be a power of two; got 192"),
    (partial(Rounded, 8, "count-sketch"), "sketch must estimate what is never negative; count-sketch does not"),
    (partial(Salted, 8, "ams"), "sketch must count distinct items; ams does not"),
    (partial(ComputationPaths, 3, 2), "changes must be at most updates, 2; got 3"),
    (partial(JdpMirror, 1.0, literal="all"), "literal must be one of nothing, start, probabilities; got 'all'"),
    (partial(PointPredictor, 1.0, delay=5, window=6), "window must be at most the delay of 5; got 6"),
    (partial(Guessing, 3, 1.5), "rate must be a number between 0 and 1, both excluded; got 1.5"),
    *(
        (partial(PointPredictor, 1.0, **{name: 0}), f"{name} must be a whole number of at least 1; got 0")
        for name in ("count", "delay", "window", "half")
    ),
    *(
        (partial(PrivateProper, 1.0, 9, **{name: 1}), f"{name} must be a number between 0 and 1, both excluded; got 1")
        for name in ("delta", "share", "false_alarm")
    ),
    *(
        (partial(PrivateMedian, **{"changes": 2, name: 0}), f"{name} must be a whole number of at least 1; got 0")
        for name in ("changes", "copies", "rows")
    ),
]
if find_spec("datasketches"):
    SAID += [
        (partial(LibraryHll, 22), "lg_k must be at most 21; got 22"),
        (partial(LibraryTheta, 27), "lg_k must be at most 26; got 27"),
    ]


@pytest.mark.parametrize(("make", "said"), SAID, ids=[said for _, said in SAID])
def test_the_whole_line(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError) as found:  # noqa: PT011 - the whole line is compared
        make()
    assert str(found.value) == said


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


def test_hypotheses_are_whole_numbers() -> None:
    points, labels = np.array([1, 2]), np.array([True, False])
    for learner in (Plain(), Guessing(3), ExpertsPrivate(1.0, 3, 9), PrivateProper(1.0, 9)):
        run = learner.start(np.random.default_rng(0))
        assert run.release(points[:0], labels[:0]).dtype == np.int64
        assert run.release(points, labels).dtype == np.int64
        assert LearnerRun.release(run, points, labels).dtype == np.int64
        assert run.play(points, labels).dtype == np.bool_


def test_signs_and_counters_of_linear_sketches() -> None:
    assert isinstance(signs_of("dense", 3, np.random.default_rng(0)), DenseSigns)
    hashed = signs_of("hashed", 3, np.random.default_rng(0))
    assert isinstance(hashed, HashedSigns)
    assert (hashed.words, DenseSigns(3, np.random.default_rng(0)).words) == (12, 0)
    items = np.array([0, 1, 10**6, 2**31 - 2])
    prime = 2**31 - 1
    rows = [[int(one) for one in row] for row in hashed._coefficients.T.tolist()]
    for place, item in enumerate(items.tolist()):
        expected = [1 - 2 * ((((a * item + b) * item + c) * item + d) % prime % 2) for a, b, c, d in rows]
        assert hashed.column(item).tolist() == expected
        assert hashed.columns(items)[place].tolist() == expected
    hashed._coefficients = np.array([[0], [0], [0], [prime]], dtype=np.uint64)  # the prime itself stands for 0
    assert hashed.column(5).tolist() == [1.0]
    dense = DenseSigns(1000, np.random.default_rng(1))
    far = np.array([0, 200, 131, 132, 5])
    assert dense.columns(far).dtype == dense.column(3).dtype == np.float32
    assert [dense.column(item).tolist() for item in far.tolist()] == dense.columns(far).tolist()
    run = LinearRun(1, 64, "dense", np.random.default_rng(0))
    assert run._counters.dtype == np.float32
    run.update(1, 2**18)
    assert run._counters.dtype == np.float32  # 64 · 2^18 is exact
    run.update(1, 1)
    assert run._counters.dtype == np.float64
    assert run.estimate() == (2**18 + 1) ** 2
    run.reset()
    assert run._counters.dtype == np.float32
    groups = LinearRun(3, 5, "dense", np.random.default_rng(0))
    twin = groups.twin()
    for item in range(9):
        groups.update(item, item + 1)
        twin.absorb({item: item + 1})
    assert groups.means().tolist() == pytest.approx((groups.squares / 5).tolist())
    assert groups.estimate() == sorted(groups.means().tolist())[1]
    assert groups.product(twin) == pytest.approx(float((groups._counters**2).mean()))
    assert twin.estimate() == groups.estimate()
    several = LinearRun(301, 40, "dense", np.random.default_rng(0))
    for item in range(60):
        several.update(item, 1 + item % 4)
        assert several.estimate() == sorted(several.means().tolist())[150]
