"""Rates of a claim on a table of games, and small claims and tables to try them on."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.simulator.experiments.claims import false_alarm as alarms
from disttrack.simulator.experiments.claims import power as powers
from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expressions import Columns, measure
from disttrack.simulator.experiments.claims.jackknife import observe
from disttrack.simulator.game.columns import COINLESS


def claim(text: str = "fraction(ok)", **keys: Any) -> Claim:
    return Claim(name="c", measure=text, **keys)


def games(points: int = 1, trials: int = 10, **columns: Any) -> dict[str, Any]:
    """Return a table with the same number of trials at each point."""
    return table([*np.repeat(np.arange(points), trials)], [*np.tile(np.arange(trials), points)], **columns)


def table(points: list[int], trials: list[int], **columns: Any) -> dict[str, Any]:
    """Return a table; `same` are the games without coins."""
    columns = {COINLESS if name == "same" else name: values for name, values in columns.items()}
    return {name: np.asarray(values) for name, values in {"point": points, "trial": trials, **columns}.items()}


def false_alarm(asked: Claim, of: Columns) -> float | None:
    return alarms.false_alarm(asked, observe(asked.measure, of))


def power(asked: Claim, of: Columns) -> powers.Power | None:
    return powers.power(asked, observe(asked.measure, of), measure(asked.measure, of).value)
