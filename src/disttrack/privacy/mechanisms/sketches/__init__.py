"""Sketches of streams: second moments, distinct items, frequencies, sums; robust forms; those of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.mechanisms.sketches.base import RESET as RESET
    from disttrack.privacy.mechanisms.sketches.base import TARGET as TARGET
    from disttrack.privacy.mechanisms.sketches.base import Goal as Goal
    from disttrack.privacy.mechanisms.sketches.base import Move as Move
    from disttrack.privacy.mechanisms.sketches.base import Sketch as Sketch
    from disttrack.privacy.mechanisms.sketches.base import SketchRun as SketchRun

    "Sketches under attack"
    from disttrack.privacy.mechanisms.sketches.difference import AmsDifference as AmsDifference
    from disttrack.privacy.mechanisms.sketches.difference import EstimatorCorrector as EstimatorCorrector
    from disttrack.privacy.mechanisms.sketches.items import CountMin as CountMin
    from disttrack.privacy.mechanisms.sketches.items import CountSketch as CountSketch
    from disttrack.privacy.mechanisms.sketches.items import HyperLogLog as HyperLogLog
    from disttrack.privacy.mechanisms.sketches.items import Kmv as Kmv
    from disttrack.privacy.mechanisms.sketches.library import LibraryCountMin as LibraryCountMin
    from disttrack.privacy.mechanisms.sketches.library import LibraryHll as LibraryHll
    from disttrack.privacy.mechanisms.sketches.library import LibraryTheta as LibraryTheta
    from disttrack.privacy.mechanisms.sketches.resettable import PrivateSample as PrivateSample
    from disttrack.privacy.mechanisms.sketches.resettable import ResetSample as ResetSample
    from disttrack.privacy.mechanisms.sketches.robust import ComputationPaths as ComputationPaths
    from disttrack.privacy.mechanisms.sketches.robust import PrivateMedian as PrivateMedian
    from disttrack.privacy.mechanisms.sketches.robust import Rounded as Rounded
    from disttrack.privacy.mechanisms.sketches.robust import Salted as Salted
    from disttrack.privacy.mechanisms.sketches.robust import Switched as Switched
    from disttrack.privacy.mechanisms.sketches.second_moment import Ams as Ams
    from disttrack.privacy.mechanisms.sketches.second_moment import AmsMedian as AmsMedian
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

SKETCHES: Final[Kinds[Sketch]] = Kinds.of(
    __name__,
    HyperLogLog="hyperloglog",
    LibraryCountMin="datasketches-count-min",
    LibraryHll="datasketches-hll",
    LibraryTheta="datasketches-theta",
)
"""Every sketch by its name."""
