"""Tables of one result as they stand among those of others: with its name, own measures marked, controls as games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from disttrack.simulator.claims.columns import TRIALS
from disttrack.simulator.points.swept import flat
from disttrack.simulator.results.folder import Results

_CONTROLS_FROM: Final = 1_000_000
"""Points of controls have numbers from here on."""


def controls_of(results: Results) -> pd.DataFrame:
    """Return the games of a result's controls; their points have numbers that no point of the scenario has."""
    games = results.controls
    if games.empty:
        return pd.DataFrame(columns=list(TRIALS))
    named = [
        str(kind) if kind in broken else f"{kind}, {broken}"
        for kind, broken in zip(games["protocol"], games["broken"].astype(str), strict=True)
    ]
    places = games["point"].astype(int) + _CONTROLS_FROM * (1 + pd.factorize(games["claim"])[0])
    return games.assign(protocol=named, point=places).drop(columns=["claim", "broken"])


def of_result(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table with the result's name before it; a measure of that name is marked as `measured_marked` does."""
    named = table.rename(columns={"result": "_result"})
    named.insert(0, "result", name)
    return named


def together(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables one below the other; an empty one plays no part in what type a column has."""
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


def measured_marked(trials: pd.DataFrame, points: dict[int, dict[str, Any]]) -> pd.DataFrame:
    """Put an underscore before the columns of a task's own measures, which are no parameters of any point."""
    if not points:
        return trials
    known = {*TRIALS, "result", "start", "latency"}
    known |= {key for point in points.values() for key in flat(point.get("network") or {})}
    for role in ("protocol", "adversary"):
        names = {key for point in points.values() for key in point.get(role) or {}}
        known |= names | {f"{role}_{name}" for name in names}
    return trials.rename(
        columns={column: f"_{column}" for column in trials.columns if column[0] != "_" and column not in known}
    )
