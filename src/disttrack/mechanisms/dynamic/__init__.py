"""Dynamic mechanisms: private answers on a data set that grows, or that grows and shrinks.

>>> import numpy as np
>>> run = FullyDynamic(epsilon=1.0, queries="count").start(np.random.default_rng(0))
>>> news = [run.step(1) for _ in range(4)]  # the item of value 0, four times
>>> news, run.answers.shape
([False, True, False, True], (1,))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.mechanisms.base import kinds_of
from disttrack.mechanisms.dynamic.base import DynamicMechanism as DynamicMechanism
from disttrack.mechanisms.dynamic.base import DynamicRun as DynamicRun
from disttrack.mechanisms.dynamic.factorised_difference import FactorisedDifference as FactorisedDifference
from disttrack.mechanisms.dynamic.fully_dynamic import FullyDynamic as FullyDynamic
from disttrack.mechanisms.dynamic.growing import GrowingFinite as GrowingFinite
from disttrack.mechanisms.dynamic.growing import GrowingInfinite as GrowingInfinite
from disttrack.mechanisms.dynamic.growing import GrowingSparse as GrowingSparse
from disttrack.mechanisms.dynamic.growing import GrowingSparseInfinite as GrowingSparseInfinite
from disttrack.mechanisms.dynamic.inserted_minus_deleted import InsertedMinusDeleted as InsertedMinusDeleted
from disttrack.mechanisms.dynamic.interval_tree import OnlineIntervalTree as OnlineIntervalTree

DYNAMIC: Final[dict[str, type[DynamicMechanism]]] = kinds_of(vars(), DynamicMechanism)
"""Every dynamic mechanism by its name in scenario files."""

if not TYPE_CHECKING:  # type checkers read the imports above
    _EXPORTED = (DYNAMIC, DynamicMechanism, DynamicRun, *DYNAMIC.values())
    __all__ = [name for name, each in vars().items() if each in _EXPORTED]
