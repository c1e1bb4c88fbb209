"""Plans of an adversary in plain values: written from a schedule, read back as the stretches that they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from disttrack.adversaries.schedules import Burst, Rest, Rotation, Schedule

Plan = Mapping[str, Any]
"""``{"site": 7}``, ``{"rest": true}``, ``{"rotation": [sites, first]}`` or ``{"runs": [sites, lengths]}``; in a list of
runs the site -1 is a skip."""

SKIP: Final = -1
CHUNK: Final = 2**20
"""Steps of a schedule that are asked for at a time."""


def written(plan: Schedule | None, taken: int) -> Plan | None:
    """Return the first steps of a schedule in plain values.

    >>> written(Burst(7), 100), written(Rotation(4, 1), 9)
    ({'site': 7}, {'rotation': [4, 1]})
    """
    if plan is None:
        return None
    if type(plan) is Burst:
        return {"site": plan.site}
    if type(plan) is Rest:
        return {"rest": True}
    if type(plan) is Rotation:
        return {"rotation": [plan.sites, plan.first]}
    sites, lengths = _runs(plan, taken)
    if len(sites) == 1:
        return {"site": int(sites[0])} if sites[0] != SKIP else {"rest": True}
    return {"runs": [sites.tolist(), lengths.tolist()]}


def read(plan: Any, taken: int, sites: int) -> Plan:
    """Return a plan that stood in a file.

    Raises
    ------
    ValueError
        It is none, or names a site that the game has not.
    """
    match plan:
        case {"site": int(site)} if 0 <= site < sites:
            return {"site": site}
        case {"rest": True}:
            return {"rest": True}
        case {"rotation": [int(of), int(first)]} if 0 < of <= sites and 0 <= first < of:
            return {"rotation": [of, first]}
        case {"runs": [[*fed], [*lengths]]} if len(fed) == len(lengths) and fed:
            numbers = all(type(number) is int for number in (*fed, *lengths))
            if numbers and SKIP <= min(fed) <= max(fed) < sites and min(lengths) > 0 and sum(lengths) == taken:
                return {"runs": [fed, lengths]}
    raise ValueError("no plan of this game")


def _runs(plan: Schedule, taken: int) -> tuple[Any, Any]:
    """Return who is fed in the first steps of a schedule, and for how long each time."""
    sites, lengths = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for begin in range(0, taken, CHUNK):
        steps = range(begin + 1, min(taken, begin + CHUNK) + 1)
        fed = _fed(plan, steps)
        starts = np.flatnonzero(np.concatenate(([True], fed[1:] != fed[:-1])))
        sites = np.concatenate((sites, fed[starts]))
        lengths = np.concatenate((lengths, np.diff(np.append(starts, len(fed)))))
    joined = np.flatnonzero(np.concatenate(([True], sites[1:] != sites[:-1])))  # a run may go on in the next chunk
    return sites[joined], np.add.reduceat(lengths, joined)


def _fed(plan: Schedule, steps: range) -> Any:
    """Return the site of each of these steps, -1 for a skip."""
    if not plan.skips:
        return np.asarray(plan.at(np.array(steps, dtype=np.int64)), dtype=np.int64)
    sites = (plan.at(step) for step in steps)  # a schedule that skips need not take arrays
    return np.array([SKIP if site is None else site for site in sites], dtype=np.int64)
