"""The bounds that protocols state on their costs, and users' protocols whose games cost more."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, log
from typing import Final

import pandas as pd

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import class_of
from disttrack.simulator.experiments.results.formats import number, span
from disttrack.simulator.experiments.results.read import GAME, Tables
from disttrack.simulator.experiments.scenario.networks import setting_in_words
from disttrack.simulator.experiments.scenario.settings import Row, flat
from disttrack.simulator.kinds.registry import make

ENOUGH: Final = log(1e6)
"""Evidence from which on a bound is said to be exceeded: that of a right one has it once in a million classes."""


def cost_bound(point: Row, items: int, own: Mapping[str, object]) -> float | None:
    """Return the words that a game is expected to need at most, None if no bound is known.

    None is of items with weights, nor on a network that delays or loses messages.

    Parameters
    ----------
    point
        The point of a scenario as its manifest has it: protocol, with all parameters, sites and start.
    items
        Number of items really sent.
    own
        The users' classes that the result was made with.
    """
    network = {name: value for name, value in flat(point.get("network") or {}).items() if name != "warm_up"}
    if setting_in_words(network) or (point.get("adversary") or {}).get("heaviest", 1) > 1:
        return None
    arguments = dict(point.get("protocol") or {})
    kind = arguments.pop("kind", None)
    try:
        protocol = make("protocol", class_of("protocol", str(kind), own), arguments)
        bound = protocol.cost_bound(int(point["sites"]), items, int(point.get("start") or 0))
    except (ScenarioError, KeyError, AttributeError, TypeError, ValueError, ArithmeticError):
        return None  # a user's class that was not given, or one without a bound, as a sketch: no line
    return float(bound) if isfinite(bound) and bound > 0 else None


def exceeded(tables: Tables) -> list[str]:
    """Return which users' protocols cost more than their `cost_bound`, in a sentence each.

    The bound is one of the mean, so a point counts only if each of its games costs more. Of a right bound b, a game
    costs more in half of the games at most, as in the conformance suite, and more than c b in one of c.
    """
    said = []
    for name, games in tables.trials.groupby("protocol", sort=False) if tables.own else ():
        points, bounds, evidence = 0, [], 0.0
        for _, mine in games.groupby(["result", "point"]):
            points += 1
            least, bound = _least(mine, tables)
            if bound is not None and least > bound:
                bounds.append(bound)
                evidence += len(mine) * log(max(2.0, least / bound))
        if evidence >= ENOUGH:
            text = f"Measured costs of {name} exceed its cost bound {span(bounds)} at {number(len(bounds))} of "
            said.append(f"{text}{number(points)} points.")
    return said


def _least(games: pd.DataFrame, tables: Tables) -> tuple[float, float | None]:
    """Return the least cost of the games of a point, and its bound; None for one that is not the user's."""
    point = tables.points[games["result"].iloc[0]][games["point"].iloc[0]]
    try:
        maker = class_of("protocol", str(point["protocol"]["kind"]), tables.own)
    except ScenarioError:
        return 0.0, None
    known = games["_sent"].nunique() == 1 and not tables.rested.intersection(games[list(GAME)].itertuples(index=False))
    if not known or maker not in tables.own.values():
        return 0.0, None
    counted = games["words" if getattr(maker, "plays", ()) else "messages"].astype(float)  # trackers of items: words
    return float(counted.min()), cost_bound(point, int(games["_sent"].iloc[0]), tables.own)
