"""Sketches of streams: second moments, distinct items, frequencies; robust forms; and those of a deployed library."""

from __future__ import annotations

from disttrack.mechanisms.sketches.base import RESET, TARGET, Goal, Move, Sketch, SketchRun
from disttrack.mechanisms.sketches.difference import AmsDifference
from disttrack.mechanisms.sketches.distinct import HyperLogLog, Kmv
from disttrack.mechanisms.sketches.frequencies import CountMin, CountSketch
from disttrack.mechanisms.sketches.library import LibraryCountMin, LibraryHll, LibraryTheta
from disttrack.mechanisms.sketches.private_median import PrivateMedian
from disttrack.mechanisms.sketches.rounding import ComputationPaths, Rounded
from disttrack.mechanisms.sketches.salted import Salted
from disttrack.mechanisms.sketches.second_moment import Ams, AmsMedian
from disttrack.mechanisms.sketches.switching import Switched

_ALL: tuple[type[Sketch], ...] = (
    Ams, AmsMedian, Switched, PrivateMedian, AmsDifference, Rounded, ComputationPaths,
    Kmv, HyperLogLog, Salted, CountSketch, CountMin, LibraryHll, LibraryTheta, LibraryCountMin,
)  # fmt: skip

SKETCHES: dict[str, type[Sketch]] = {sketch.kind: sketch for sketch in _ALL}
"""Every sketch by its name."""

__all__ = [
    "RESET",
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
    "Move",
    "PrivateMedian",
    "Rounded",
    "Salted",
    "Sketch",
    "SketchRun",
    "Switched",
]
