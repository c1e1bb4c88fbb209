"""Analysts: who chooses statistical queries of a sample and sees the answers."""

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
