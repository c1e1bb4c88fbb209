"""Answers to statistical queries of a sample that analysts choose adaptively."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.mechanisms.statistical.base import QueryMechanism as QueryMechanism
    from disttrack.privacy.mechanisms.statistical.base import QueryRun as QueryRun

    "Adaptive data analysis"
    from disttrack.privacy.mechanisms.statistical.corrected import LazyGradient as LazyGradient
    from disttrack.privacy.mechanisms.statistical.corrected import OnlineWeights as OnlineWeights
    from disttrack.privacy.mechanisms.statistical.corrected import ThresholdOut as ThresholdOut
    from disttrack.privacy.mechanisms.statistical.noisy import Empirical as Empirical
    from disttrack.privacy.mechanisms.statistical.noisy import GaussianAnswers as GaussianAnswers
    from disttrack.privacy.mechanisms.statistical.noisy import Holdout as Holdout
    from disttrack.privacy.mechanisms.statistical.noisy import LaplaceAnswers as LaplaceAnswers
    from disttrack.privacy.mechanisms.statistical.noisy import NoisyArgmax as NoisyArgmax
    from disttrack.privacy.mechanisms.statistical.noisy import Splitting as Splitting
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

CURATORS: Final[Kinds[QueryMechanism]] = Kinds.of(__name__, OnlineWeights="online-pmw")
"""Every mechanism that answers statistical queries, by its name."""
