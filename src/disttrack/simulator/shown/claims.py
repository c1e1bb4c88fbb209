"""The row of a claim in texts, as the terminal prints it and the page of a report shows it."""

from __future__ import annotations

from typing import Any, Final

from disttrack.simulator.experiments.claims.expressions import outermost
from disttrack.simulator.experiments.claims.findings import MEANINGS, UNDECIDED
from disttrack.simulator.experiments.claims.jackknife import EXTREMES
from disttrack.simulator.experiments.results.formats import cell, chance, games_of, interval, number
from disttrack.simulator.kinds.names import titled

HEADS: Final = ("verdict", "claim", "measured", "bound", *MEANINGS)
"""Headings of a table of claims."""


def cells_of(claim: Any) -> list[str]:
    """Return the cells of a `Finding`, or of a row of ``claims.csv``, in the order of `HEADS`."""
    return [
        claim.verdict,
        titled(claim.name, cell(claim.group)),
        (number(claim.value) if claim.verdict != UNDECIDED else "") or cell(claim.note),
        claim.bound,
        number(claim.control),
        interval(claim.low, claim.high),
        games_of(claim.games, claim.played),
        chance(claim.false_alarm, _bounds_dependence(claim.measure)),
        number(claim.power),
    ]


def _bounds_dependence(measure: str) -> bool:
    """Return whether the rate of a measure is of games of a seed that may depend on each other, and not measured.

    Examples
    --------
    >>> _bounds_dependence("fraction(ok)"), _bounds_dependence("max(words) / 2")
    (True, False)
    """
    return outermost(measure) in ("fraction", *EXTREMES)
