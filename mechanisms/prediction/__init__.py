"""Online learners of point functions, private and not, with what their privacy and their errors are, exactly."""

from __future__ import annotations

from mechanisms.prediction.base import ZERO, Learner, LearnerRun
from mechanisms.prediction.baselines import Guessing, Plain
from mechanisms.prediction.experts import ExpertsPrivate
from mechanisms.prediction.exponential import Exponential
from mechanisms.prediction.insertion import halving, insertion
from mechanisms.prediction.mirror import JdpMirror
from mechanisms.prediction.predictor import PointPredictor
from mechanisms.prediction.proper import PrivateProper

LEARNERS: dict[str, type[Learner]] = {
    Plain.kind: Plain,
    Guessing.kind: Guessing,
    PrivateProper.kind: PrivateProper,
    ExpertsPrivate.kind: ExpertsPrivate,
    Exponential.kind: Exponential,
    PointPredictor.kind: PointPredictor,
}
"""Every learner of point functions by its name."""

__all__ = [
    "LEARNERS",
    "ZERO",
    "ExpertsPrivate",
    "Exponential",
    "Guessing",
    "JdpMirror",
    "Learner",
    "LearnerRun",
    "Plain",
    "PointPredictor",
    "PrivateProper",
    "halving",
    "insertion",
]
