"""Private counters under continual observation, one interface for all of them.

>>> import numpy as np
>>> run = counter("binary", epsilon=1.0, horizon=8).start(np.random.default_rng(0), silent=True)
>>> run.step(1), run.step(1)
(1.0, 2.0)
"""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names
from disttrack.mechanisms.checks import one_of

if TYPE_CHECKING:
    from disttrack.mechanisms.counters.base import Counter as Counter
    from disttrack.mechanisms.counters.base import Run as Run

    "Private counters"
    from disttrack.mechanisms.counters.binary import Binary as Binary
    from disttrack.mechanisms.counters.binary import KAry as KAry
    from disttrack.mechanisms.counters.binary import SmoothBinary as SmoothBinary
    from disttrack.mechanisms.counters.binary import TreeVarianceReduced as TreeVarianceReduced
    from disttrack.mechanisms.counters.blt import Blt as Blt
    from disttrack.mechanisms.counters.gaussian_tree import GaussianTree as GaussianTree
    from disttrack.mechanisms.counters.hybrid import Hybrid as Hybrid
    from disttrack.mechanisms.counters.pan_private import PanPrivate as PanPrivate
    from disttrack.mechanisms.counters.pan_private import RandomizedResponse as RandomizedResponse
    from disttrack.mechanisms.counters.simple import Fresh as Fresh
    from disttrack.mechanisms.counters.simple import PerItem as PerItem
    from disttrack.mechanisms.counters.simple import TwoLevel as TwoLevel
    from disttrack.mechanisms.counters.sparse import Sparse as Sparse
    from disttrack.mechanisms.counters.sparse import SparseInfinite as SparseInfinite
    from disttrack.mechanisms.counters.toeplitz import SquareRoot as SquareRoot
    from disttrack.mechanisms.counters.toeplitz import Unbounded as Unbounded
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

COUNTERS: Final[Kinds[Counter]] = Kinds.of(__name__)
"""Every counter of this package by its name in scenario files."""

GROUP = "disttrack.protocols"
"""Entry points by which installed packages register what answers, counters among it."""


def counter_class(kind: str) -> type[Counter]:
    """Return the counter called `kind`: one of `COUNTERS`, or one that an installed package registers.

    Raises
    ------
    ValueError
        If there is no such counter.
    """
    if kind not in COUNTERS:
        from disttrack.mechanisms.counters import base

        for point in entry_points(group=GROUP, name=kind):
            loaded = point.load()
            if inspect.isclass(loaded) and issubclass(loaded, base.Counter):
                return loaded
    one_of("counter", kind, COUNTERS)
    return COUNTERS[kind]


def counter(kind: str, epsilon: float, horizon: int | None = None, **more: object) -> Counter:
    """Return the parameters of the counter called `kind`.

    Raises
    ------
    ValueError
        If there is no such counter, or a parameter is refused.
    """
    return counter_class(kind)(epsilon=epsilon, horizon=horizon, **more)
