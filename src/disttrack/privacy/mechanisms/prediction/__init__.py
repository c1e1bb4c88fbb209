"""Online learners of point functions, private and not, with their exact privacy and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.mechanisms.prediction.base import Learner as Learner
    from disttrack.privacy.mechanisms.prediction.base import LearnerRun as LearnerRun
    from disttrack.privacy.mechanisms.prediction.mirror import JdpMirror as JdpMirror

    "Online prediction"
    from disttrack.privacy.mechanisms.prediction.base import Guessing as Guessing
    from disttrack.privacy.mechanisms.prediction.base import Plain as Plain
    from disttrack.privacy.mechanisms.prediction.experts import ExpertsPrivate as ExpertsPrivate
    from disttrack.privacy.mechanisms.prediction.experts import Exponential as Exponential
    from disttrack.privacy.mechanisms.prediction.predictor import PointPredictor as PointPredictor
    from disttrack.privacy.mechanisms.prediction.proper import PrivateProper as PrivateProper
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

LEARNERS: Final[Kinds[Learner]] = Kinds.of(__name__)
"""Every learner of point functions by its name."""
