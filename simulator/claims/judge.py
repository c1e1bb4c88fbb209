"""Claims: whether the results bear out what a scenario says they will.

A claim passes if the measured value meets all of its bounds. The confidence interval is shown beside it
and plays no part in the verdict: a claim of at least 0.95 of 100 games passes with 95 of them. A claim
that no game speaks to fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simulator.claims.claim import Claim, Share
from simulator.claims.expressions import Columns, ExpressionError, measure, rows


@dataclass(frozen=True)
class Finding:
    """What came of a claim.

    Attributes
    ----------
    name, where, measure
        The claim's own.
    group
        The group that `each` made, as a condition; empty without it.
    value, low, high
        Measured value and its 95 % confidence interval; None where there is none.
    bound
        What the value had to meet, in words.
    games
        Number of games that it was measured on.
    verdict
        ``PASS`` or ``FAIL``.
    note
        Why nothing could be measured; empty otherwise.
    """

    name: str
    where: str
    group: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    bound: str
    games: int
    verdict: str
    note: str = ""

    @property
    def holds(self) -> bool:
        """Tell whether the claim passed."""
        return self.verdict == "PASS"

    def row(self) -> dict[str, Any]:
        """Return its row of ``claims.csv``."""
        return asdict(self)


def judge(claims: Iterable[Claim], table: Columns) -> list[Finding]:
    """Return the findings of claims over the table of games."""
    return [finding for claim in claims for finding in _findings(claim, table)]


def bound(claim: Claim) -> str:
    """Return what a claim asks for, in a few characters.

    Examples
    --------
    >>> bound(Claim(name="n", measure="fraction(ok)", at_least=0.95))
    '>= 0.95'
    >>> bound(Claim(name="n", measure="slope(words, sites)", equals=1, within=0.05))
    '1 ± 0.05'
    """
    parts = []
    if claim.at_least is not None:
        parts.append(f">= {claim.at_least:g}")
    if claim.at_most is not None:
        parts.append(f"<= {claim.at_most:g}")
    if claim.equals is not None:
        within = claim.within
        tolerance = f"{within.share:.3g}×" if isinstance(within, Share) else f"{within:g}" if within else ""
        if isinstance(within, Share):
            tolerance = f"{100 * within.share:g} %"
        parts.append(f"{claim.equals:g} ± {tolerance}" if tolerance else f"= {claim.equals:g}")
    return ", ".join(parts)


def meets(claim: Claim, value: float) -> bool:
    """Tell whether a value meets all bounds of a claim."""
    if np.isnan(value):
        return False
    if claim.at_least is not None and value < claim.at_least:
        return False
    if claim.at_most is not None and value > claim.at_most:
        return False
    if claim.equals is not None:
        within = claim.within
        room = within.share * abs(claim.equals) if isinstance(within, Share) else within or 0.0
        return abs(value - claim.equals) <= room * (1 + 1e-12)
    return True


def _findings(claim: Claim, table: Columns) -> list[Finding]:
    try:
        chosen = _select(table, rows(claim.where, table) if claim.where else None)
        if not _length(chosen):
            return [_failed(claim, "", "no game meets the condition")]
        groups = _groups(claim.columns, chosen)
    except ExpressionError as error:
        return [_failed(claim, "", str(error))]
    return [_finding(claim, group, games) for group, games in groups]


def _finding(claim: Claim, group: str, table: Columns) -> Finding:
    try:
        estimate = measure(claim.measure, table)
    except ExpressionError as error:
        return _failed(claim, group, str(error), _length(table))
    verdict = "PASS" if meets(claim, estimate.value) else "FAIL"
    return Finding(
        claim.name, claim.where, group, claim.measure, estimate.value, estimate.low, estimate.high, bound(claim),
        _length(table), verdict,
    )  # fmt: skip


def _failed(claim: Claim, group: str, note: str, games: int = 0) -> Finding:
    nothing = (None, None, None)
    return Finding(claim.name, claim.where, group, claim.measure, *nothing, bound(claim), games, "FAIL", note)


def _groups(names: Sequence[str], table: Columns) -> list[tuple[str, Columns]]:
    """Return the groups of equal values in these columns, each with its condition, in order of appearance."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for name in names:
        if name not in table:
            raise ExpressionError(f"there is no column {name!r} for each")
    for number, values in enumerate(zip(*(table[name] for name in names), strict=True)):
        places.setdefault(tuple(value.item() if hasattr(value, "item") else value for value in values), []).append(
            number
        )
    if not names:
        return [("", table)]
    return [
        (" and ".join(f"{name} == {value!r}" for name, value in zip(names, values, strict=True)),
         _select(table, np.array(numbers)))
        for values, numbers in places.items()
    ]  # fmt: skip


def _select(table: Columns, chosen: np.ndarray[Any, Any] | None) -> Columns:
    if chosen is None:
        return table
    if chosen.dtype.kind not in "bi":
        raise ExpressionError("where must be a condition, true or false of each game")
    return {name: column[chosen] for name, column in table.items()}


def _length(table: Columns) -> int:
    return len(next(iter(table.values()), ()))
