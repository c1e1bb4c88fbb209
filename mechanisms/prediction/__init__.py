"""Online learners of point functions, private and not, with their exact privacy and errors."""

from __future__ import annotations

from disttrack.mechanisms.prediction.base import ZERO, Learner, LearnerRun
from disttrack.mechanisms.prediction.baselines import Guessing, Plain
from disttrack.mechanisms.prediction.experts import ExpertsPrivate
from disttrack.mechanisms.prediction.exponential import Exponential
from disttrack.mechanisms.prediction.insertion import halving, insertion
from disttrack.mechanisms.prediction.mirror import JdpMirror
from disttrack.mechanisms.prediction.predictor import PointPredictor
from disttrack.mechanisms.prediction.proper import PrivateProper

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
