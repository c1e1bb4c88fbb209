"""Answers to statistical queries of a sample that analysts choose adaptively."""

from __future__ import annotations

from disttrack.mechanisms.statistical.base import QueryMechanism as QueryMechanism
from disttrack.mechanisms.statistical.base import QueryRun as QueryRun
from disttrack.mechanisms.statistical.noisy import GaussianAnswers as GaussianAnswers
from disttrack.mechanisms.statistical.noisy import LaplaceAnswers as LaplaceAnswers
from disttrack.mechanisms.statistical.noisy import NoisyArgmax as NoisyArgmax
from disttrack.mechanisms.statistical.plain import Empirical as Empirical
from disttrack.mechanisms.statistical.plain import Holdout as Holdout
from disttrack.mechanisms.statistical.plain import Splitting as Splitting
from disttrack.mechanisms.statistical.sketched import LazyGradient as LazyGradient
from disttrack.mechanisms.statistical.sketched import OnlineWeights as OnlineWeights
from disttrack.mechanisms.statistical.threshold_out import ThresholdOut as ThresholdOut

CURATORS: dict[str, type[QueryMechanism]] = {
    one.kind: one for one in vars().values() if isinstance(one, type) and issubclass(one, QueryMechanism) and one.kind
}
"""Every mechanism that answers statistical queries, by its name."""

__all__ = [name for name in vars() if name[0].isupper() and name != "CURATORS"]
