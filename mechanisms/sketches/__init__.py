"""Sketches of streams: second moments, distinct items, frequencies; robust forms; and those of a deployed library."""

from __future__ import annotations

from mechanisms.sketches.base import TARGET, Goal, Sketch, SketchRun
from mechanisms.sketches.difference import AmsDifference
from mechanisms.sketches.distinct import HyperLogLog, Kmv
from mechanisms.sketches.frequencies import CountMin, CountSketch
from mechanisms.sketches.library import LibraryCountMin, LibraryHll, LibraryTheta
from mechanisms.sketches.private_median import PrivateMedian
from mechanisms.sketches.rounding import ComputationPaths, Rounded
from mechanisms.sketches.salted import Salted
from mechanisms.sketches.second_moment import Ams, AmsMedian
from mechanisms.sketches.switching import Switched

_ALL: tuple[type[Sketch], ...] = (
    Ams, AmsMedian, Switched, PrivateMedian, AmsDifference, Rounded, ComputationPaths,
    Kmv, HyperLogLog, Salted, CountSketch, CountMin, LibraryHll, LibraryTheta, LibraryCountMin,
)  # fmt: skip

SKETCHES: dict[str, type[Sketch]] = {sketch.kind: sketch for sketch in _ALL}
"""Every sketch by its name."""

__all__ = [
    "SKETCHES",
    "TARGET",
    "Ams",
    "AmsDifference",
    "AmsMedian",
    "ComputationPaths",
    "CountMin",
    "CountSketch",
    "Goal",
    "HyperLogLog",
    "Kmv",
    "LibraryCountMin",
    "LibraryHll",
    "LibraryTheta",
    "PrivateMedian",
    "Rounded",
    "Salted",
    "Sketch",
    "SketchRun",
    "Switched",
]
