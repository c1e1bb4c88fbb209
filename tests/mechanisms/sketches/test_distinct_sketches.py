"""Sketches of distinct items against plain lists of hash values, and those of the library."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from disttrack.mechanisms.sketches import HyperLogLog, Kmv, LibraryCountMin, LibraryHll, LibraryTheta, Sketch
from disttrack.mechanisms.sketches.base import key_of
from disttrack.mechanisms.sketches.mixing import mixed

ITEMS = [3, 9, 3, 12, *range(100, 900), 12, 700]


def test_kmv_keeps_the_least_hash_values() -> None:
    run = Kmv(size=20).start(np.random.default_rng(6))
    key = key_of(np.random.default_rng(6))
    for number, item in enumerate(ITEMS, start=1):
        run.update(item, 1)
        hashes = sorted({mixed(one, key) for one in ITEMS[:number]})
        wanted = len(hashes) if len(hashes) < 20 else 19 * 2**64 / (hashes[19] + 1)
        assert run.estimate() == pytest.approx(wanted, rel=1e-12)


def test_hyperloglog_keeps_the_largest_ranks() -> None:
    run = HyperLogLog(registers=128).start(np.random.default_rng(6))
    key = key_of(np.random.default_rng(6))
    ranks = [0] * 128
    for item in ITEMS:
        run.update(item, 1)
        bits = f"{mixed(item, key):064b}"
        register, rank = int(bits[:7], 2), len(bits[7:]) - len(bits[7:].lstrip("0")) + 1
        ranks[register] = max(ranks[register], rank)
        raw = 0.7213 / (1 + 1.079 / 128) * 128**2 / sum(2.0**-rank for rank in ranks)
        empty = ranks.count(0)
        assert run.estimate() == pytest.approx(128 * np.log(128 / empty) if raw <= 320 and empty else raw)


SKETCHES = [Kmv(size=256), HyperLogLog(registers=256), LibraryHll(lg_k=8), LibraryTheta(lg_k=8)]


@pytest.mark.parametrize("sketch", SKETCHES, ids=lambda sketch: sketch.kind)
@pytest.mark.false_alarm(1e-8)
def test_the_stated_error_over_many_seeds(sketch: Sketch) -> None:
    """60 runs on 5,000 items: a mean within 6 deviations of 1 (false alarm 1e-8); 10 % off would be found."""
    ratios = []
    for seed in range(60):
        run = sketch.start(np.random.default_rng(seed))
        run.absorb(dict.fromkeys(range(5000), 1))
        ratios.append(run.estimate() / 5000)
    deviation = 0.075 / np.sqrt(60)
    assert abs(np.mean(ratios) - 1) < 6 * deviation < 0.1
    assert 0.02 < np.std(ratios) < 0.15


@pytest.mark.parametrize("sketch", SKETCHES, ids=lambda sketch: sketch.kind)
def test_repetitions_change_nothing_and_deletions_are_refused(sketch: Sketch) -> None:
    run = sketch.start(np.random.default_rng(0))
    for item in ITEMS:
        run.update(item, 1)
    before = run.estimate()
    for item in ITEMS:
        run.update(item, 2)
    assert run.estimate() == before
    with pytest.raises(ValueError, match="takes changes of at least 1"):
        run.update(3, -1)
    run.reset()
    assert run.estimate() == 0


def test_absorbing_is_updating() -> None:
    for sketch in SKETCHES[:2]:
        one, other = sketch.start(np.random.default_rng(1)), sketch.start(np.random.default_rng(1))
        one.absorb(dict.fromkeys(ITEMS, 1))
        one.absorb({5: 1})
        for item in [*ITEMS, 5]:
            other.update(item, 1)
        assert one.estimate() == other.estimate()


def test_a_missing_library_is_said_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketches", None)
    for make in (LibraryHll, LibraryTheta, lambda: LibraryCountMin(width=16)):
        with pytest.raises(ValueError, match=r"datasketches is not installed.*pip install disttrack\[sketches\]"):
            make()
