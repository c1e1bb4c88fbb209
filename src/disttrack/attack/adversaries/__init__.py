"""Adversaries that compute what they believe, that search made, or that were learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.adversaries.base import Opponent as Opponent

    "Tracking"
    from disttrack.attack.adversaries.believing import Bisect as Bisect
    from disttrack.attack.adversaries.believing import Eavesdrop as Eavesdrop
    from disttrack.attack.adversaries.believing import Posterior as Posterior
    from disttrack.attack.adversaries.believing import WhiteBox as WhiteBox
    from disttrack.attack.adversaries.learned import Learned as Learned
    from disttrack.attack.adversaries.tabular import Tabular as Tabular
    from disttrack.attack.adversaries.trial import Trial as Trial
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

ADVERSARIES: Final[Kinds[Opponent]] = Kinds.of(__name__, Tabular="table")
"""Every adversary of this package by its name."""
