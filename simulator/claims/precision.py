"""Trials by precision: games are played until what the claims measure is known closely enough.

The interval is a confidence sequence (`simulator.claims.sequences`), which holds at all numbers of trials together, so
that it may be looked at after each. Trials are what is independent: the games of one trial share their seed, so that a
trial counts as one value, the average over its games.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from typing import Annotated, Final

import numpy as np
from pydantic import BeforeValidator, Field

from simulator.claims.claim import Claim, Strict
from simulator.claims.control import LARGEST, not_bool
from simulator.claims.expressions import Columns, arguments, columns_of, outermost
from simulator.claims.sequences import mean_interval, quantile_interval

MEASURES: Final = ("fraction", "median", "quantile")
"""What a confidence sequence is known for. The others are unbounded, or not of one game."""
LEAST: Final = 10


class Precision(Strict):
    """How long to play: until the interval of each claim's measure is this narrow."""

    precision: Annotated[float, Field(gt=0, lt=1), BeforeValidator(not_bool)] = Field(
        description="Half the width of a claim's interval: of fraction as it is, of median and quantile over the value."
    )
    at_most: Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(not_bool)] = Field(
        description="Trials after which it ends in any case."
    )
    at_least: Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(not_bool)] = Field(
        LEAST, description="Trials before which it does not end, unless at_most is less."
    )

    @property
    def first(self) -> int:
        """Return the number of trials at which it may end first."""
        return min(self.at_least, self.at_most)


def unsuited(claim: Claim, known: Collection[str]) -> tuple[str, str] | None:
    """Return which key of a claim no confidence sequence is known for, and why; nothing if there is one.

    Parameters
    ----------
    known
        Columns that are the same in every trial: those of the points.
    """
    name = outermost(claim.measure)
    if name not in MEASURES:
        what = f"{name}(…)" if name else "a measure made of several"
        return "measure", f"trials by precision take {', '.join(MEASURES)}; no sequence of intervals is known of {what}"
    if "where=" in claim.measure.replace(" ", ""):
        return (
            "measure",
            "trials by precision take no where= inside of a measure; the claim's own where says which games",
        )
    later = sorted((columns_of(claim.where) if claim.where else set()) - set(known))
    if later:
        return (
            "where",
            f"trials by precision need the same games in every trial, and {later[0]} is known after a game only",
        )
    later = sorted(set(claim.columns) - set(known))
    if later:
        return (
            "each",
            f"trials by precision need the same groups in every trial, and {later[0]} is known after a game only",
        )
    return None


def sequence_of(claim: Claim, games: Columns) -> tuple[float, float]:
    """Return the interval of a claim's measure, at 95 % for all numbers of trials together."""
    name = outermost(claim.measure)
    _, (column, *rest) = arguments(claim.measure, games)
    _, place, sizes = np.unique(games["trial"], return_inverse=True, return_counts=True)
    weights = 1.0 / sizes[place]
    values = np.asarray(column, dtype=float)
    if name == "fraction":
        return mean_interval(float((weights * values).sum()), len(sizes))
    share = float(rest[0][0] if np.ndim(rest[0]) else rest[0]) if rest else 0.5
    if not 0 < share < 1 or np.isnan(values).any():
        return -inf, inf
    return quantile_interval(values, weights, share, len(sizes))


def half_width(claim: Claim, value: float, interval: tuple[float, float]) -> float:
    """Return half the width of an interval, in the unit in which a precision is asked for."""
    low, high = interval
    half = (high - low) / 2
    if outermost(claim.measure) == "fraction" or half == 0:
        return half
    return half / abs(value) if value and np.isfinite(value) else inf
