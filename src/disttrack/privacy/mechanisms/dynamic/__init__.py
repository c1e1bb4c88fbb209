"""Dynamic mechanisms: private answers on a data set that grows, or that grows and shrinks.

>>> import numpy as np
>>> from disttrack.privacy.mechanisms import FullyDynamic
>>> run = FullyDynamic(epsilon=1.0, queries="count").start(np.random.default_rng(0))
>>> news = [run.step(1) for _ in range(4)]  # the item of value 0, four times
>>> news, run.answers.shape
([False, True, False, True], (1,))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism as DynamicMechanism
    from disttrack.privacy.mechanisms.dynamic.base import DynamicRun as DynamicRun

    "Data that changes"
    from disttrack.privacy.mechanisms.dynamic.factorised_difference import FactorisedDifference as FactorisedDifference
    from disttrack.privacy.mechanisms.dynamic.fully_dynamic import FullyDynamic as FullyDynamic
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingFinite as GrowingFinite
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingInfinite as GrowingInfinite
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingSparse as GrowingSparse
    from disttrack.privacy.mechanisms.dynamic.growing import GrowingSparseInfinite as GrowingSparseInfinite
    from disttrack.privacy.mechanisms.dynamic.growing import InsertedMinusDeleted as InsertedMinusDeleted
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

DYNAMIC: Final[Kinds[DynamicMechanism]] = Kinds.of(__name__)
"""Every dynamic mechanism by its name in scenario files."""
