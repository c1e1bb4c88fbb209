"""Quota protocols: a limit per window, and sites that admit or reject each request by what they know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from disttrack.lazy import Kinds, lazy_names

if TYPE_CHECKING:
    from disttrack.fleet.quotas.base import Quota as Quota

    "Quotas"
    from disttrack.fleet.quotas.leases import Central as Central
    from disttrack.fleet.quotas.leases import FairLease as FairLease
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
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

QUOTAS: Final[Kinds[Quota]] = Kinds.of(__name__, PeriodicQuota="periodic")
"""Every quota by its name."""
