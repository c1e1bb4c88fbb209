"""The arithmetic of trackers, which is public: sites, server and adversaries all use it.

A rule is a function or a frozen object, for numbers or for arrays. It keeps no state
and draws nothing; a rule with coins takes them as an argument (`Tosses`). Sites and servers, their array forms,
adversaries' beliefs and the tasks that measure them use the same rule, so that they cannot
disagree. The module is below protocols and adversaries, which do not import each other.
"""

from disttrack.mechanisms.rules.blocks import BlockLayout as BlockLayout
from disttrack.mechanisms.rules.blocks import BlockSizes as BlockSizes
from disttrack.mechanisms.rules.blocks import doubled as doubled
from disttrack.mechanisms.rules.blocks import full_blocks as full_blocks
from disttrack.mechanisms.rules.blocks import next_double as next_double
from disttrack.mechanisms.rules.blocks import size_within as size_within
from disttrack.mechanisms.rules.sampling import SamplingRule as SamplingRule
from disttrack.mechanisms.rules.sampling import Tosses as Tosses
from disttrack.mechanisms.rules.sampling import estimate as estimate
from disttrack.mechanisms.rules.sampling import gap_of as gap_of
from disttrack.mechanisms.rules.sampling import gap_scale as gap_scale
from disttrack.mechanisms.rules.sampling import redrawn as redrawn
from disttrack.mechanisms.rules.sampling import sum_of_estimates as sum_of_estimates
