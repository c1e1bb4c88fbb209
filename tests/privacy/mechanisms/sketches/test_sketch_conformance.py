"""Conformance tries sketches from one item to a million: faults that grow with the items are found.

They were listed before the checks were written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pytest
from uncompiled import as_written

from disttrack.mechanisms.compiler import available
from disttrack.privacy import mechanisms as by
from disttrack.privacy.mechanisms.sketches.hashes import mixed
from disttrack.privacy.tasks.sketching import conformance
from disttrack.simulator.workshop.conformance import ConformanceError, all_faults, games_of

SHIPPED = (
    by.Kmv(size=64), by.HyperLogLog(registers=128), by.CountMin(width=64, depth=5), by.CountSketch(width=64, depth=5),
    by.Ams(rows=64), by.AmsMedian(groups=3, rows=32), by.Switched(copies=20, size=64, sketch="kmv"),
    by.Rounded(size=64), by.Salted(size=256), by.PrivateMedian(changes=20, copies=40, rows=64), by.ResetSample(size=64),
    by.EstimatorCorrector(updates=90, blocks=5, rows=30), by.AmsDifference(rounds=2, rows=30),
)  # fmt: skip


class Fault:
    """Stands before a run."""

    def __init__(self, run: Any) -> None:
        self.run = run

    def __getattr__(self, name: str) -> Any:
        return getattr(self.run, name)


def hashes_of(vector: Mapping[int, int]) -> Any:
    return mixed(np.fromiter(vector, dtype=np.uint64), 7)


class TwentyBits(Fault):
    """Hash values have 20 bits."""

    def absorb(self, vector: Mapping[int, int]) -> None:
        for bits in np.sort(hashes_of(vector) >> np.uint64(44))[:999].tolist():  # 64 are kept
            self.run.take(bits << 44)


class SmallRanks(Fault):
    """Ranks stop at 12."""

    def absorb(self, vector: Mapping[int, int]) -> None:
        hashes = np.sort(hashes_of(vector))
        _, least = np.unique(hashes >> np.uint64(64 - 7), return_index=True)  # of each register: its largest rank
        for bits in hashes[least].tolist():
            self.run.take(bits | 1 << (64 - 7 - 12))


class SixteenBits(Fault):
    """Counters have 16 bits."""

    def estimate(self) -> float:
        return min(self.run.estimate(), 65_535)


class FewSigns(Fault):
    """The signs of an item are those of the item modulo 2^12."""

    def absorb(self, vector: Mapping[int, int]) -> None:
        folded: Counter[int] = Counter()
        for item, change in vector.items():
            folded[item % 4096] += change
        self.run.absorb(folded)


class Uncorrected(Fault):
    """Estimates small numbers as large ones: of 128 registers nearly all of which are empty, 0.72 times 128."""

    def estimate(self) -> float:
        return max(self.run.estimate(), 0.72 * 128)


class SmallItems(Fault):
    """Its compiled form takes items modulo 2^16."""

    def form(self) -> Any:
        form = self.run.form()
        release = form.release
        form.release = lambda by, moves: release(by, np.ascontiguousarray(moves % [65_536, 1 << 40]))
        return form


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "fault", "says"),
    [
        (by.Kmv(size=64), TwentyBits, r"errs by more than alpha.*\(1,048,576 different"),
        (by.HyperLogLog(registers=128), SmallRanks, r"errs by more than alpha.*\(1,048,576 different"),
        (by.HyperLogLog(registers=128), Uncorrected, r"errs by more than alpha.*\(1 different"),
        (by.CountMin(width=64, depth=5), SixteenBits, r"errs by more than alpha.*\(1,048,576 different"),
        (by.Ams(rows=64), FewSigns, r"errs by more than alpha.*\((32,768|1,048,576) different"),
        (by.CountSketch(width=64, depth=5), SmallItems, r"compiled form gives other estimates \(70,000"),
    ],
)
def test_a_fault_that_grows_is_found(right: Any, fault: type[Fault], says: str) -> None:
    if fault is SmallItems and not available():
        pytest.skip("needs numba")

    @dataclass(frozen=True)
    class Faulty(type(right)):  # type: ignore[misc]
        """Has a fault."""

        def start(self, rng: Any) -> Any:
            return fault(super().start(rng))

    faulty = Faulty(**right.as_mapping())
    checks = chain(*(conformance.CHECKS[name](faulty, (), 0) for name in ("all ways agree", conformance.ERRORS)))
    with pytest.raises(ConformanceError, match=says):
        list(checks)


@pytest.mark.drawn(4)
@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("sketch", SHIPPED, ids=lambda one: one.kind)
def test_shipped_sketches_have_no_fault(
    sketch: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow ones by more than 2^16 updates, and compiled, and with up to 2^20 items in place of 2^15."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr(conformance, "UPDATES", 3_000)
        monkeypatch.setattr(conformance, "SIZES", conformance.SIZES[:-1])
        monkeypatch.setattr(conformance, "compiled", as_written)
    with np.errstate(over="ignore"):  # products are meant to overflow
        checks, found = all_faults(sketch)
    assert checks == ["states its facts", "all ways agree", "keeps its error"]
    assert found == []
    assert "32,768 different items" in games_of(sketch)["keeps its error"].replace(", 1,048,576", "")
