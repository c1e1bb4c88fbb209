"""Dynamic mechanisms: private answers on a data set that grows, or that grows and shrinks.

>>> import numpy as np
>>> run = FullyDynamic(epsilon=1.0, queries="count").start(np.random.default_rng(0))
>>> news = [run.step(1) for _ in range(4)]  # the item of value 0, four times
>>> news, run.answers.shape
([False, True, False, True], (1,))
"""

from __future__ import annotations

from typing import Final

from disttrack.mechanisms.dynamic.base import DynamicMechanism, DynamicRun
from disttrack.mechanisms.dynamic.fully_dynamic import FullyDynamic
from disttrack.mechanisms.dynamic.growing import GrowingFinite, GrowingInfinite, GrowingSparse, GrowingSparseInfinite
from disttrack.mechanisms.dynamic.inserted_minus_deleted import InsertedMinusDeleted
from disttrack.mechanisms.dynamic.interval_tree import OnlineIntervalTree

DYNAMIC: Final[dict[str, type[DynamicMechanism]]] = {
    entry.kind: entry
    for entry in (
        GrowingFinite,
        GrowingInfinite,
        GrowingSparse,
        GrowingSparseInfinite,
        FullyDynamic,
        InsertedMinusDeleted,
    )
}
"""Every dynamic mechanism by its name in scenario files."""

__all__ = [
    "DYNAMIC",
    "DynamicMechanism",
    "DynamicRun",
    "FullyDynamic",
    "GrowingFinite",
    "GrowingInfinite",
    "GrowingSparse",
    "GrowingSparseInfinite",
    "InsertedMinusDeleted",
    "OnlineIntervalTree",
]
