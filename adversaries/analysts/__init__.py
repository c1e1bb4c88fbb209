"""Analysts, which choose statistical queries of a sample and see the answers."""

from disttrack.adversaries.analysts.analysts import (
    BestOfMany,
    FixedQueries,
    GradientAnalyst,
    LeaderboardClimber,
    SignCorrelation,
    Speller,
)
from disttrack.adversaries.analysts.base import Analyst, AnalystView

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
