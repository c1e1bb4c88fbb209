"""Private counters under continual observation, one interface for all of them.

>>> import numpy as np
>>> run = make("binary", epsilon=1.0, horizon=8, rng=np.random.default_rng(0), silent=True)
>>> run.step(1), run.step(1)
(1.0, 2.0)
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np

from mechanisms.counters.base import Counter, Run
from mechanisms.counters.binary import Binary
from mechanisms.counters.blt import Blt
from mechanisms.counters.hybrid import Hybrid
from mechanisms.counters.k_ary import KAry
from mechanisms.counters.pan_private import PanPrivate
from mechanisms.counters.randomized_response import RandomizedResponse
from mechanisms.counters.simple import Fresh, PerItem
from mechanisms.counters.sparse import Sparse, SparseInfinite
from mechanisms.counters.square_root import SquareRoot
from mechanisms.counters.two_level import TwoLevel
from mechanisms.counters.variance_reduced import TreeVarianceReduced

KINDS: dict[str, type[Counter]] = {
    counter.kind: counter
    for counter in (
        Fresh,
        PerItem,
        TwoLevel,
        Binary,
        Hybrid,
        TreeVarianceReduced,
        KAry,
        SquareRoot,
        Blt,
        PanPrivate,
        RandomizedResponse,
        Sparse,
        SparseInfinite,
    )
}
"""Every counter by its name in scenario files."""


def counter(kind: str, epsilon: float, horizon: int | None = None, **more: Any) -> Counter:
    """Return the parameters of the counter called `kind`.

    Raises
    ------
    ValueError
        If there is no such counter, or a parameter is refused.
    """
    if kind not in KINDS:
        near = get_close_matches(kind, KINDS, 1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(f"counter must be one of {', '.join(KINDS)}; got {kind!r}{hint}")
    return KINDS[kind](epsilon=epsilon, horizon=horizon, **more)


def make(
    kind: str,
    epsilon: float,
    horizon: int | None,
    rng: np.random.Generator,
    *,
    silent: bool = False,
    **more: Any,
) -> Run:
    """Return a fresh run of the counter called `kind`.

    Parameters
    ----------
    kind
        A name in `KINDS`.
    epsilon
        Privacy loss of all its estimates together.
    horizon
        Number of steps at most; None only where the counter needs none.
    rng
        Generator of its noise.
    silent
        True turns the noise off, for tests.
    more
        Further parameters of that counter.
    """
    return counter(kind, epsilon, horizon, **more).start(rng, silent=silent)


__all__ = [
    "KINDS",
    "Binary",
    "Blt",
    "Counter",
    "Fresh",
    "Hybrid",
    "KAry",
    "PanPrivate",
    "PerItem",
    "RandomizedResponse",
    "Run",
    "Sparse",
    "SparseInfinite",
    "SquareRoot",
    "TreeVarianceReduced",
    "TwoLevel",
    "counter",
    "make",
]
