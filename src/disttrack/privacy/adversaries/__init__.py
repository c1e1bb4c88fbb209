"""Adversaries of the games of privacy: streams of bits, updates, analysts, attackers of sketches, of learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.base import Opponent as Opponent
    from disttrack.privacy.adversaries.streams import Challenge as Challenge

    "Tracking"
    from disttrack.privacy.adversaries.streams import Scattered as Scattered

    "Adaptive data analysis"
    from disttrack.privacy.adversaries.analysts import *  # noqa: F403

    "Private counters"
    from disttrack.privacy.adversaries.streams import Intruder as Intruder

    "Threshold monitors"
    from disttrack.privacy.adversaries.streams import HardInstance as HardInstance
    from disttrack.privacy.adversaries.streams import LastMoment as LastMoment

    "Experts"
    from disttrack.privacy.adversaries.streams import Biased as Biased

    "Data that changes"
    from disttrack.privacy.adversaries.updates import *  # noqa: F403

    "Sketches under attack"
    from disttrack.privacy.adversaries.sketching import *  # noqa: F403

    "Online prediction"
    from disttrack.privacy.adversaries.prediction import *  # noqa: F403
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

ADVERSARIES: Final[Kinds[Opponent]] = Kinds.of(__name__, GradientAnalyst="gradient")
"""Every adversary of this package by its name."""
