"""Static mechanisms: one release of the answers to all queries of a family, on a fixed data set.

>>> import numpy as np
>>> mechanism = static_mechanism("laplace", epsilon=1.0, queries="points", domain=3)
>>> mechanism.release(np.array([5.0, 0.0, 2.0]), np.random.default_rng(0)).shape
(3,)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names
from disttrack.mechanisms.checks import one_of

if TYPE_CHECKING:
    from disttrack.privacy.mechanisms.static.base import StaticMechanism as StaticMechanism

    "Data that changes"
    from disttrack.privacy.mechanisms.static.base import GaussianQueries as GaussianQueries
    from disttrack.privacy.mechanisms.static.base import LaplaceQueries as LaplaceQueries
    from disttrack.privacy.mechanisms.static.multiplicative_weights import (
        MultiplicativeWeights as MultiplicativeWeights,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

STATIC: Final[Kinds[StaticMechanism]] = Kinds.of(
    __name__, GaussianQueries="gaussian", LaplaceQueries="laplace", MultiplicativeWeights="pmw"
)
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
