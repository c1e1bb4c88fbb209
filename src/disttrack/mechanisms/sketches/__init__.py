"""Sketches of streams: second moments, distinct items, frequencies, sums; robust forms; those of a library."""

from __future__ import annotations

from disttrack.mechanisms.base import kinds_of
from disttrack.mechanisms.sketches.base import RESET as RESET
from disttrack.mechanisms.sketches.base import TARGET as TARGET
from disttrack.mechanisms.sketches.base import Goal as Goal
from disttrack.mechanisms.sketches.base import Move as Move
from disttrack.mechanisms.sketches.base import Sketch as Sketch
from disttrack.mechanisms.sketches.base import SketchRun as SketchRun
from disttrack.mechanisms.sketches.corrector import EstimatorCorrector as EstimatorCorrector
from disttrack.mechanisms.sketches.difference import AmsDifference as AmsDifference
from disttrack.mechanisms.sketches.distinct import HyperLogLog as HyperLogLog
from disttrack.mechanisms.sketches.distinct import Kmv as Kmv
from disttrack.mechanisms.sketches.frequencies import CountMin as CountMin
from disttrack.mechanisms.sketches.frequencies import CountSketch as CountSketch
from disttrack.mechanisms.sketches.library import LibraryCountMin as LibraryCountMin
from disttrack.mechanisms.sketches.library import LibraryHll as LibraryHll
from disttrack.mechanisms.sketches.library import LibraryTheta as LibraryTheta
from disttrack.mechanisms.sketches.private_median import PrivateMedian as PrivateMedian
from disttrack.mechanisms.sketches.resettable import PrivateSample as PrivateSample
from disttrack.mechanisms.sketches.resettable import ResetSample as ResetSample
from disttrack.mechanisms.sketches.rounding import ComputationPaths as ComputationPaths
from disttrack.mechanisms.sketches.rounding import Rounded as Rounded
from disttrack.mechanisms.sketches.salted import Salted as Salted
from disttrack.mechanisms.sketches.second_moment import Ams as Ams
from disttrack.mechanisms.sketches.second_moment import AmsMedian as AmsMedian
from disttrack.mechanisms.sketches.switching import Switched as Switched

SKETCHES: dict[str, type[Sketch]] = kinds_of(vars(), Sketch)
"""Every sketch by its name."""

__all__ = [name for name in vars() if name[0].isupper() and name != "SKETCHES"]
