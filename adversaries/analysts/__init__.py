"""Analysts, which choose statistical queries of a sample and see the answers."""

from disttrack.adversaries.analysts.base import Analyst, AnalystView
from disttrack.adversaries.analysts.feature_analysts import (
    BestOfMany,
    FixedQueries,
    GradientAnalyst,
    LeaderboardClimber,
    SignCorrelation,
)
from disttrack.adversaries.analysts.speller import Speller

__all__ = [
    "Analyst",
    "AnalystView",
    "BestOfMany",
    "FixedQueries",
    "GradientAnalyst",
    "LeaderboardClimber",
    "SignCorrelation",
    "Speller",
]
