"""Static mechanisms: one release of the answers to all queries of a family, on a fixed data set.

>>> import numpy as np
>>> mechanism = static_mechanism("laplace", epsilon=1.0, queries="points", domain=3)
>>> mechanism.release(np.array([5.0, 0.0, 2.0]), np.random.default_rng(0)).shape
(3,)
"""

from __future__ import annotations

from typing import Final

from disttrack.mechanisms.checks import one_of
from disttrack.privacy.mechanisms.static.base import GaussianQueries, LaplaceQueries, StaticMechanism
from disttrack.privacy.mechanisms.static.multiplicative_weights import MultiplicativeWeights

STATIC: Final[dict[str, type[StaticMechanism]]] = {
    one.kind: one for one in (GaussianQueries, LaplaceQueries, MultiplicativeWeights)
}
"""Every static mechanism by its name in scenario files."""


def static_mechanism(
    kind: str, epsilon: float, delta: float = 0.0, queries: str = "count", domain: int = 1
) -> StaticMechanism:
    """Return the parameters of the static mechanism called `kind`.

    Raises
    ------
    ValueError
        If there is no such mechanism, or a parameter is refused.
    """
    one_of("static", kind, STATIC)
    return STATIC[kind](epsilon, delta, queries, domain)
