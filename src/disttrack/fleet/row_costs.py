"""A quota as the rows of a trace meet it: in their own time, with their own costs."""

from __future__ import annotations

from functools import lru_cache

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.quantities import duration
from disttrack.adversaries.rows import COST, LABEL, Rows
from disttrack.adversaries.trace import Trace
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.costs import RowCosts


def of_trace(protocol: Quota, adversary: Adversary, sites: int) -> Quota:
    """Return a quota for an adversary: as it is, unless this is a trace with a time or with costs of its own.

    Raises
    ------
    ValueError
        It has no form with several requests a step, or the costs do not fit it.
    """
    if not isinstance(adversary, Trace) or (adversary.step is None and adversary.cost is None):
        _ = protocol.longer  # windows that are lengths of time are refused
        return protocol
    costs = None
    if adversary.cost is not None:
        costs = _costs(adversary.stream().rows, sites, adversary.deal is not None)
    return protocol.of_trace(adversary.pace, costs, duration(adversary.step))


@lru_cache(maxsize=2)
def _costs(rows: Rows, sites: int, dealt: bool) -> RowCosts:
    """Return the costs of rows by site; 16 bytes a row."""
    labels = rows.column(LABEL)
    return RowCosts(labels % sites if dealt else labels, rows.column(COST), sites)
