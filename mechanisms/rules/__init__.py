"""The arithmetic of trackers, known to everybody: to the sites, to the server, and to whoever attacks them.

A rule is a function or a frozen object: a number in, a number out, or an array in and an array out. It keeps no state
and draws nothing; where a coin falls, the coins are handed in (`Tosses`). Sites and servers, their forms as arrays,
what an adversary believes of them and the tasks that measure them ask the same rule, so that none of them can be
of another opinion. It stands below protocols and adversaries, which do not know each other.
"""

from disttrack.mechanisms.rules.blocks import BlockLayout, BlockSizes, size_within
from disttrack.mechanisms.rules.doubling import at_double
from disttrack.mechanisms.rules.sampling import SamplingRule, estimate, redrawn, sum_of_estimates
from disttrack.mechanisms.rules.tosses import Tosses, gap_scale

__all__ = [
    "BlockLayout",
    "BlockSizes",
    "SamplingRule",
    "Tosses",
    "at_double",
    "estimate",
    "gap_scale",
    "redrawn",
    "size_within",
    "sum_of_estimates",
]
