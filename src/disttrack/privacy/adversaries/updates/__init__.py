"""Adversaries of games on data sets: insertions, deletions, and the live items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.adversaries.updates.base import UpdateStream as UpdateStream
    from disttrack.privacy.adversaries.updates.base import UpdateView as UpdateView

    "Data that changes"
    from disttrack.privacy.adversaries.updates.streams import Churn as Churn
    from disttrack.privacy.adversaries.updates.streams import Grow as Grow
    from disttrack.privacy.adversaries.updates.streams import GrowAndDelete as GrowAndDelete
    from disttrack.privacy.adversaries.updates.streams import InTheAir as InTheAir
    from disttrack.privacy.adversaries.updates.streams import Overcount as Overcount
    from disttrack.privacy.adversaries.updates.streams import Sliding as Sliding
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
