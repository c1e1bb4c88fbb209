"""Quota protocols: a limit per window, and sites that admit or reject each request by what they know."""

import typing

from disttrack.protocols.quotas.base import Quota as Quota
from disttrack.protocols.quotas.leases import Central as Central
from disttrack.protocols.quotas.leases import HybridQuota as HybridQuota
from disttrack.protocols.quotas.leases import Lease as Lease
from disttrack.protocols.quotas.periodic import Gossip as Gossip
from disttrack.protocols.quotas.periodic import PeriodicQuota as PeriodicQuota
from disttrack.protocols.quotas.reports import BatchQuota as BatchQuota
from disttrack.protocols.quotas.reports import CountdownQuota as CountdownQuota
from disttrack.protocols.quotas.shares import Split as Split
from disttrack.protocols.quotas.shares import WeightedSplit as WeightedSplit

if not typing.TYPE_CHECKING:  # type checkers read the imports above
    __all__ = [name for name in vars() if name[0].isupper()]
