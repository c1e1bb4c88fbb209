"""The arithmetic of trackers, which is public: sites, server and adversaries all use it.

A rule is a function or a frozen object, for numbers or for arrays. It keeps no state
and draws nothing; a rule with coins takes them as an argument (`Tosses`). Sites and servers, their array forms,
adversaries' beliefs and the tasks that measure them use the same rule, so that they cannot
disagree. The module is below protocols and adversaries, which do not import each other.
"""

from disttrack.mechanisms.rules.blocks import BlockLayout, BlockSizes, size_within
from disttrack.mechanisms.rules.doubling import next_double
from disttrack.mechanisms.rules.sampling import SamplingRule, estimate, redrawn, sum_of_estimates
from disttrack.mechanisms.rules.tosses import Tosses, gap_scale

__all__ = [
    "BlockLayout",
    "BlockSizes",
    "SamplingRule",
    "Tosses",
    "estimate",
    "gap_scale",
    "next_double",
    "redrawn",
    "size_within",
    "sum_of_estimates",
]
