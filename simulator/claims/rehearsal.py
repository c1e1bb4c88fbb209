"""A claim tried on a made-up table, so that what cannot be evaluated is told before anything is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from simulator.claims.claim import Claim
from simulator.claims.columns import NETWORK_COLUMNS, TRIAL_COLUMNS, Holds
from simulator.claims.expressions import (
    check_condition,
    check_measure,
    check_rows,
    column_of,
    columns_of,
    measure,
    rows,
)
from simulator.claims.grammar import ExpressionError

_ROWS: Final = 12
"""Rows of the made-up table."""
_OF_TRIALS: Final[dict[str, Holds]] = {column.name: column.holds for column in (*TRIAL_COLUMNS, *NETWORK_COLUMNS)}
_BY_DTYPE: Final[dict[str, Holds]] = {"b": "truth", "f": "number", "U": "text"}


def held(names: Sequence[str], swept: Mapping[str, Sequence[Any]], called: Mapping[str, str]) -> dict[str, Holds]:
    """Return what each column of trials.csv holds.

    Parameters
    ----------
    names
        The columns.
    swept
        Swept parameters that are columns, with their values.
    called
        Columns that go by a second name, and that name.

    Examples
    --------
    >>> held(("ok", "words", "found", "spread"), {"spread": ["wide", "narrow"]}, {"words": "letters"})
    {'ok': 'truth', 'words': 'number', 'found': 'unknown', 'spread': 'text', 'letters': 'number'}
    """
    known: dict[str, Holds] = {name: _OF_TRIALS.get(name, "unknown") for name in names}
    for name, values in swept.items():
        known[name] = _BY_DTYPE.get(column_of(values).dtype.kind, "unknown")
    return {**known, **{second: known[name] for name, second in called.items() if name in known}}


def ill_typed(claim: Claim, known: Mapping[str, Holds]) -> tuple[str, str] | None:
    """Return which key of a claim cannot be evaluated on columns of these types, and why; None if all can.

    A claim that speaks of unknown columns is tried as far as the known ones go.
    """
    for key, text, check in (
        ("where", claim.where, check_condition),
        ("measure", claim.measure, check_measure),
        ("margin", claim.margin, check_rows),
    ):
        if not text:
            continue
        try:
            check(text, known)
        except ExpressionError as error:
            return key, str(error)
        names = columns_of(text)
        if any(known.get(name, "number") == "unknown" for name in names):
            continue
        table = {name: _made_up(known.get(name, "number")) for name in names} or {"ok": _made_up("truth")}
        try:
            measure(text, table) if key == "measure" else rows(text, table)
        except ExpressionError:
            continue  # of these values, not of their types: no value above 0, no two places
        except Exception as error:
            return key, f"{text!r} cannot be evaluated: {' '.join(str(error).split()) or type(error).__name__}"
    return None


def _made_up(holds: Holds) -> np.ndarray[Any, Any]:
    places = np.arange(_ROWS)
    if holds == "truth":
        return np.equal(places % 2, 0)
    return np.array([f"t{place % 3}" for place in places]) if holds == "text" else np.add(places, 1.0)
