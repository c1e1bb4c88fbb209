"""Online learners of point functions, private and not, with their exact privacy and errors."""

from __future__ import annotations

from disttrack.mechanisms.prediction.base import ZERO as ZERO
from disttrack.mechanisms.prediction.base import Learner as Learner
from disttrack.mechanisms.prediction.base import LearnerRun as LearnerRun
from disttrack.mechanisms.prediction.baselines import Guessing as Guessing
from disttrack.mechanisms.prediction.baselines import Plain as Plain
from disttrack.mechanisms.prediction.experts import ExpertsPrivate as ExpertsPrivate
from disttrack.mechanisms.prediction.exponential import Exponential as Exponential
from disttrack.mechanisms.prediction.insertion import halving as halving
from disttrack.mechanisms.prediction.insertion import insertion as insertion
from disttrack.mechanisms.prediction.mirror import JdpMirror as JdpMirror
from disttrack.mechanisms.prediction.predictor import PointPredictor as PointPredictor
from disttrack.mechanisms.prediction.proper import PrivateProper as PrivateProper

LEARNERS: dict[str, type[Learner]] = {
    entry.kind: entry for entry in (Plain, Guessing, PrivateProper, ExpertsPrivate, Exponential, PointPredictor)
}
"""Every learner of point functions by its name."""
