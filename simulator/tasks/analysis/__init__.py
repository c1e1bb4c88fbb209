"""Games of adaptive data analysis: queries to a sample by an analyst that reacts, sample sizes, and the worst of many.

From Python: `play_analysis`.
"""

from __future__ import annotations

from disttrack.simulator.tasks.analysis.game import AnalysisGame, play_analysis

__all__ = ["AnalysisGame", "play_analysis"]
