"""The binary mechanism: noisy sums of dyadic intervals, one interval per set bit of t.

It has no rule for a single step: it states its nodes (`dyadic_nodes` follows the lines of the algorithm), from which
the noise of one step and of many is computed, so that the two cannot differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from disttrack.mechanisms.checks import at_most, whole
from disttrack.mechanisms.counters.linear import NodeCounter, Nodes, dyadic_nodes


@dataclass(frozen=True)
class Binary(NodeCounter):
    """Binary mechanism: the estimate of step t adds up the noisy sums of popcount(t) dyadic intervals.

    Each entry lies in at most `levels` intervals, and each interval has noise Lap(levels / epsilon). So
    Var_t = 2 popcount(t) (levels / epsilon)^2. Entries may be any real numbers; neighbours differ by 1 in
    total.

    Parameters
    ----------
    epsilon
        Privacy loss of all estimates together.
    horizon
        Number of steps at most.
    literal
        True uses the published log2(horizon) as the number of levels. It is up to one level short, so
        the privacy loss is then more than `epsilon`; only for comparison with published variances, with one
        participation.

    Raises
    ------
    ValueError
        If `epsilon` is not above 0, or `horizon` not a whole number of at least 1 (2 where `literal`).

    Source
    ------
    Chan, Shi, Song 2011; Xiong, Zhu, Huang 2023, Algorithm 3.
    floor(log2 horizon) + 1 levels are derived.

    Examples
    --------
    >>> Binary(epsilon=1.0, horizon=1024).levels
    11
    >>> Binary(epsilon=1.0, horizon=4).variance(3)
    36.0
    """

    kind = "binary"
    error = "sqrt(2 popcount(t)) levels / epsilon, levels = floor(log2 horizon) + 1"
    memory = "O(log t)"

    literal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.literal:
            whole("horizon", self.horizon, least=2)
            at_most(1)("participations", self.participations)

    @property
    def levels(self) -> float:
        """Largest number of intervals with an entry: log2 of the horizon if `literal`, as in Algorithm 3, l. 1."""
        return math.log2(self.steps) if self.literal else self.steps.bit_length()

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(self.scale, t.bit_count())]

    def nodes(self, before: int, upto: int) -> Nodes:
        return dyadic_nodes(before, upto)
