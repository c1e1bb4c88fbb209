"""Columns of trials.csv that figures show by name: which one is meant, and what its axis is called."""

from __future__ import annotations

from typing import Final

import pandas as pd

from disttrack.simulator.claims.columns import label as column_label

_LABELS: Final = {
    "max_abs_error": "largest absolute error",
    "rms_error": "root mean square error",
    "late_error": "largest error in the second half",
    "touched": "different items",
    "samples_needed": "points needed",
    "gap": "gap of the last query",
    "regret": "regret, in units of loss",
    "deviation": "largest deviation, in items",
    "mistakes": "mistakes",
    "loss": "privacy loss",
    "epsilon_low": "loss that the runs prove",
    "halved": "loss of a copy with half of the noise",
    "exact_delta": "delta",
    "worst_gap": "gap of the worst query",
    "chosen_gap": "gap of the chosen query",
    "loss_over_epsilon": "largest loss over the claimed epsilon",
    "last_ratio": "estimate over truth at the last update",
    "items_at_halt": "items at the halt",
    "final_error": "error of the last answer",
    "guessed": "share of guesses that are right",
    "flag1_at": "round in which flag 1 is set",
    "flag2_at": "flag 2",
    "flag3_at": "flag 3",
    "threshold": "threshold k",
}
"""Labels of columns that tasks add."""


def measured_label(column: str) -> str:
    """Return the label of an axis that shows a column of trials.csv."""
    return _LABELS.get(column) or column_label(column)


def column_of(trials: pd.DataFrame, key: str, name: str) -> str:
    """Return the column of numbers that a key of the figure names; a task's own have an underscore before them."""
    column = name if name in trials else f"_{name}"
    if column not in trials or not pd.api.types.is_numeric_dtype(trials[column]):
        known = [each.lstrip("_") for each in trials.columns if pd.api.types.is_numeric_dtype(trials[each])]
        raise ValueError(f"{key} must be a column of numbers of trials.csv ({', '.join(known)}); got {name!r}")
    return column
