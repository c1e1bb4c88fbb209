"""Differential-privacy building blocks that protocols are made of. Knows nothing of sites and servers."""

from mechanisms.counters import KINDS as COUNTERS
from mechanisms.counters import Binary, Counter, Run
from mechanisms.laplace_sums import laplace_sum_quantile
from mechanisms.noise import Draws, Gaussian, Laplace, Silent

__all__ = [
    "COUNTERS",
    "Binary",
    "Counter",
    "Draws",
    "Gaussian",
    "Laplace",
    "Run",
    "Silent",
    "laplace_sum_quantile",
]
