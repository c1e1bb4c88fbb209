"""Answers to statistical queries of a sample that analysts choose adaptively."""

from __future__ import annotations

from disttrack.mechanisms.statistical.base import QueryMechanism, QueryRun
from disttrack.mechanisms.statistical.noisy import GaussianAnswers, LaplaceAnswers, NoisyArgmax
from disttrack.mechanisms.statistical.plain import Empirical, Splitting
from disttrack.mechanisms.statistical.threshold_out import ThresholdOut

_ALL: tuple[type[QueryMechanism], ...] = (
    Empirical, Splitting, LaplaceAnswers, GaussianAnswers, NoisyArgmax, ThresholdOut,
)  # fmt: skip

CURATORS: dict[str, type[QueryMechanism]] = {mechanism.kind: mechanism for mechanism in _ALL}
"""Every mechanism that answers statistical queries, by its name."""

__all__ = [
    "CURATORS",
    "Empirical",
    "GaussianAnswers",
    "LaplaceAnswers",
    "NoisyArgmax",
    "QueryMechanism",
    "QueryRun",
    "Splitting",
    "ThresholdOut",
]
