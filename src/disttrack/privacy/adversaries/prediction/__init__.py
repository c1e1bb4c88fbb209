"""Adversaries that give examples, points with labels, to online learners; in other games they feed sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.adversaries.prediction.adversaries import Examiner as Examiner

    "Online prediction"
    from disttrack.privacy.adversaries.prediction.adversaries import Contrary as Contrary
    from disttrack.privacy.adversaries.prediction.adversaries import Halving as Halving
    from disttrack.privacy.adversaries.prediction.adversaries import Insertion as Insertion
    from disttrack.privacy.adversaries.prediction.adversaries import PointStream as PointStream
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
