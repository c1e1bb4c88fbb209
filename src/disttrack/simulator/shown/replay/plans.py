"""Plans of an adversary in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from disttrack.adversaries.schedules import Burst, Rest, Rotation, Schedule

Plan = Mapping[str, Any]
"""``{"site": 7}``, ``{"rest": true}``, ``{"rotation": [sites, first]}`` or ``{"runs": [sites, lengths]}``; in a list of
runs the site -1 is a skip."""

SKIP: Final = -1


def written(plan: Schedule, taken: int) -> Plan:
    """Return the first steps of a schedule in plain values.

    >>> written(Burst(7), 100), written(Rotation(4, 1), 9)
    ({'site': 7}, {'rotation': [4, 1]})
    """
    if type(plan) is Burst:
        return {"site": plan.site}
    if type(plan) is Rest:
        return {"rest": True}
    if type(plan) is Rotation:
        return {"rotation": [plan.sites, plan.first]}
    steps = np.arange(1, taken + 1)
    fed = np.array([SKIP if site is None else site for site in map(plan.at, steps)]) if plan.skips else plan.at(steps)
    starts = np.flatnonzero(np.concatenate(([True], fed[1:] != fed[:-1])))
    if len(starts) == 1:
        return {"site": int(fed[0])} if fed[0] != SKIP else {"rest": True}
    return {"runs": [fed[starts].tolist(), np.diff(np.append(starts, taken)).tolist()]}
