"""Quota protocols: a limit per window, and sites that admit or reject each request by what they know."""

import typing

from disttrack.fleet.quotas.base import Quota as Quota
from disttrack.fleet.quotas.leases import Central as Central
from disttrack.fleet.quotas.leases import HybridQuota as HybridQuota
from disttrack.fleet.quotas.leases import Lease as Lease
from disttrack.fleet.quotas.periodic import Gossip as Gossip
from disttrack.fleet.quotas.periodic import PeriodicQuota as PeriodicQuota
from disttrack.fleet.quotas.reports import BatchQuota as BatchQuota
from disttrack.fleet.quotas.reports import CountdownQuota as CountdownQuota
from disttrack.fleet.quotas.shares import Split as Split
from disttrack.fleet.quotas.shares import WeightedSplit as WeightedSplit
from disttrack.fleet.quotas.tokens import BucketLease as BucketLease
from disttrack.fleet.quotas.tokens import SlidingLease as SlidingLease

if not typing.TYPE_CHECKING:  # type checkers read the imports above
    __all__ = [name for name in vars() if name[0].isupper()]
