"""Building blocks of differential privacy for protocols, without sites and servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names
from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.counters import COUNTERS as COUNTERS

if TYPE_CHECKING:
    from disttrack.mechanisms.counters.linear import LinearCounter as LinearCounter
    from disttrack.mechanisms.counters.linear import NoisePath as NoisePath
    from disttrack.mechanisms.laplace_sums import laplace_sum_quantile as laplace_sum_quantile
    from disttrack.mechanisms.noise import Draws as Draws
    from disttrack.mechanisms.noise import Gaussian as Gaussian
    from disttrack.mechanisms.noise import Laplace as Laplace

    "Private counters"
    from disttrack.mechanisms.counters import *  # noqa: F403

    "Audits of privacy"
    from disttrack.mechanisms.above_threshold import AboveThreshold as AboveThreshold
    from disttrack.mechanisms.partition import PrivatePartition as PrivatePartition
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

MECHANISMS: Final[Kinds[Mechanism]] = Kinds.of(__name__)
"""Every mechanism that trackers are made of, by its name: a dataclass of parameters with attributes `kind`, `source`
and `error`."""
