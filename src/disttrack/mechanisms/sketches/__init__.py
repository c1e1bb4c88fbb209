"""Sketches of streams: second moments, distinct items, frequencies, sums; robust forms; those of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

SKETCHES: Final[Kinds[Sketch]] = Kinds.of(__name__, "second-moment", """
    estimator-corrector ams-difference hyperloglog=HyperLogLog kmv count-min count-sketch
    datasketches-count-min=LibraryCountMin datasketches-hll=LibraryHll datasketches-theta=LibraryTheta
    private-median private-sample reset-sample computation-paths rounded salted ams ams-median switched
""")  # fmt: skip
"""Every sketch by its name."""
