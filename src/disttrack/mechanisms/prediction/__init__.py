"""Online learners of point functions, private and not, with their exact privacy and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.mechanisms.prediction.base import ZERO as ZERO
    from disttrack.mechanisms.prediction.base import Learner as Learner
    from disttrack.mechanisms.prediction.base import LearnerRun as LearnerRun
    from disttrack.mechanisms.prediction.baselines import Guessing as Guessing
    from disttrack.mechanisms.prediction.baselines import Plain as Plain
    from disttrack.mechanisms.prediction.experts import ExpertsPrivate as ExpertsPrivate
    from disttrack.mechanisms.prediction.exponential import Exponential as Exponential
    from disttrack.mechanisms.prediction.mirror import JdpMirror as JdpMirror
    from disttrack.mechanisms.prediction.predictor import PointPredictor as PointPredictor
    from disttrack.mechanisms.prediction.proper import PrivateProper as PrivateProper
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

LEARNERS: Final[Kinds[Learner]] = Kinds.of(__name__, "prediction", """
    experts-private exponential guessing plain point-predictor private-proper
""")  # fmt: skip
"""Every learner of point functions by its name."""
