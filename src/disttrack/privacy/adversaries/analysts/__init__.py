"""Analysts, which choose statistical queries of a sample and see the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.adversaries.analysts.analysts import Analyst as Analyst
    from disttrack.privacy.adversaries.analysts.analysts import AnalystView as AnalystView

    "Adaptive data analysis"
    from disttrack.privacy.adversaries.analysts.analysts import BestOfMany as BestOfMany
    from disttrack.privacy.adversaries.analysts.analysts import FixedQueries as FixedQueries
    from disttrack.privacy.adversaries.analysts.analysts import GradientAnalyst as GradientAnalyst
    from disttrack.privacy.adversaries.analysts.analysts import LeaderboardClimber as LeaderboardClimber
    from disttrack.privacy.adversaries.analysts.analysts import RandomSets as RandomSets
    from disttrack.privacy.adversaries.analysts.analysts import SignCorrelation as SignCorrelation
    from disttrack.privacy.adversaries.analysts.analysts import Speller as Speller
    from disttrack.privacy.adversaries.analysts.analysts import VariableSelection as VariableSelection
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
