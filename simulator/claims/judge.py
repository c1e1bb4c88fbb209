"""Claims: whether the results bear out what a scenario says they will.

A claim passes if the measured value meets all of its bounds. The confidence interval is shown beside it
and plays no part in the verdict: a claim of at least 0.95 of 100 games passes with 95 of them. A claim
that no game speaks to fails.

A claim that also passes in its control, where what it is about is broken, says nothing: it is vacuous, and counts as
failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from simulator.claims.claim import Claim, Share
from simulator.claims.expressions import Columns, measure, rows
from simulator.claims.false_alarm import false_alarm
from simulator.claims.grammar import ExpressionError
from simulator.claims.precision import Precision, half_width, sequence_of

VACUOUS: Final = "VACUOUS"
_BROKEN: Final = "broken "
"""Which games are broken: a column that no expression can name."""


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
        ``PASS``, ``FAIL``, or ``VACUOUS`` if it passes in its control too.
    note
        Why nothing could be measured; empty otherwise.
    control
        What was measured in the control; None without one.
    broken
        What is broken there, or why there can be no control.
    false_alarm
        Chance that a fresh run misses the bound, though the claim is true; None if the games do not tell.
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
    control: float | None = None
    broken: str = ""
    false_alarm: float | None = None

    @property
    def holds(self) -> bool:
        """Tell whether the claim passed."""
        return self.verdict == "PASS"

    def row(self) -> dict[str, Any]:
        """Return its row of ``claims.csv``."""
        return asdict(self)


@dataclass(frozen=True)
class ControlTable:
    """The games that a control is judged on.

    Parameters
    ----------
    table
        Intact games, then those of the broken points, in the columns of the points that they stand for.
    intact
        The number of intact ones.
    lost
        How many of the broken ones were lost to errors: these show nothing of what is broken.
    """

    table: Columns
    intact: int
    lost: int = 0


def judge(
    claims: Sequence[Claim],
    table: Columns,
    controls: Mapping[int, ControlTable] | None = None,
    precision: Precision | None = None,
) -> list[Finding]:
    """Return the findings of claims over the table of games.

    Parameters
    ----------
    controls
        By number of the claim, the games of its control.
    precision
        What decided how many trials there are, if something did: then the intervals are those of confidence sequences.
    """
    found: list[Finding] = []
    for number, claim in enumerate(claims):
        findings = _findings(claim, table, precision)
        control = (controls or {}).get(number)
        if control is not None:
            findings = _beside(findings, claim, control)
        elif claim.no_control is not None:
            findings = [replace(finding, broken=f"no control: {claim.no_control}") for finding in findings]
        found += findings
    return found


def _beside(findings: Sequence[Finding], claim: Claim, control: ControlTable) -> list[Finding]:
    """Return findings with what their control gives: a group with no broken game in it has none."""
    if control.lost:
        note = f"control: {control.lost} of its games were lost to errors"
        return [replace(finding, verdict=_vacuous(finding), note=note) for finding in findings]
    length = _length(control.table)
    marked = {**control.table, _BROKEN: np.arange(length) >= control.intact}
    try:
        chosen = _select(marked, rows(claim.where, control.table) if claim.where else None)
        groups = {group: games for group, games in _groups(claim.columns, chosen) if games[_BROKEN].any()}
    except ExpressionError as error:
        return [replace(finding, verdict=_vacuous(finding), note=f"control: {error}") for finding in findings]
    if not groups:
        return [replace(finding, verdict=_vacuous(finding), note="control: no game in it") for finding in findings]
    return [
        _against(finding, claim, groups[finding.group]) if finding.group in groups else finding for finding in findings
    ]


def _against(finding: Finding, claim: Claim, games: Columns) -> Finding:
    """Return a finding beside the broken games of its group."""
    said = claim.control.says if claim.control is not None else ""
    try:
        value = measure(claim.measure, games).value
    except ExpressionError as error:
        return replace(finding, verdict=_vacuous(finding), broken=said, note=f"control: {error}")
    fails = not meets(claim, value) and not np.isnan(value)
    return replace(finding, verdict=finding.verdict if fails else _vacuous(finding), control=value, broken=said)


def _vacuous(finding: Finding) -> str:
    """Return the verdict of a claim whose control does not fail: one that fails anyway has failed."""
    return VACUOUS if finding.holds else finding.verdict


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
    low, high = claim.accepts
    return low <= value <= high  # not-a-number does not


def groups_of(claim: Claim, table: Columns) -> list[tuple[str, Columns]]:
    """Return the games that a claim speaks of, by the groups of `each`; none if no game meets its condition.

    Raises
    ------
    ExpressionError
        They cannot be told.
    """
    chosen = _select(table, rows(claim.where, table) if claim.where else None)
    return _groups(claim.columns, chosen) if _length(chosen) else []


def precise(claim: Claim, table: Columns, precision: Precision) -> bool:
    """Tell whether the intervals of a claim's measure are narrow enough, in all of its groups."""
    try:
        groups = groups_of(claim, table)
        return bool(groups) and all(
            half_width(claim, measure(claim.measure, games).value, sequence_of(claim, games)) <= precision.precision
            for _, games in groups
        )
    except ExpressionError:
        return False


def _findings(claim: Claim, table: Columns, precision: Precision | None) -> list[Finding]:
    try:
        groups = groups_of(claim, table)
    except ExpressionError as error:
        return [_failed(claim, "", str(error))]
    if not groups:
        return [_failed(claim, "", "no game meets the condition")]
    return [_finding(claim, group, games, precision) for group, games in groups]


def _finding(claim: Claim, group: str, table: Columns, precision: Precision | None) -> Finding:
    try:
        estimate = measure(claim.measure, table)
    except ExpressionError as error:
        return _failed(claim, group, str(error), _length(table))
    low, high = estimate.low, estimate.high
    if precision is not None:
        interval = sequence_of(claim, table)
        low, high = (end if np.isfinite(end) else None for end in interval)
    verdict = "PASS" if meets(claim, estimate.value) else "FAIL"
    note, rate = "", None
    try:
        rate = false_alarm(claim, table)
    except ExpressionError as error:
        note = f"false alarm: {error}"
    if precision is not None and half_width(claim, estimate.value, interval) > precision.precision:
        note = note or "less precise than asked for: at_most came first"
    return Finding(
        claim.name, claim.where, group, claim.measure, estimate.value, low, high, bound(claim),
        _length(table), verdict, note, false_alarm=rate,
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
        places.setdefault(tuple(map(_plain, values)), []).append(number)
    if not names:
        return [("", table)]
    return [
        (" and ".join(f"{name} == {value!r}" for name, value in zip(names, values, strict=True)),
         _select(table, np.array(numbers)))
        for values, numbers in places.items()
    ]  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a value as Python's own; nothing for not-a-number, which equals no other and would be a group a game."""
    plain = value.item() if hasattr(value, "item") else value
    return None if plain != plain else plain


def _select(table: Columns, chosen: np.ndarray[Any, Any] | None) -> Columns:
    if chosen is None:
        return table
    if chosen.dtype.kind not in "bi":
        raise ExpressionError("where must be a condition, true or false of each game")
    return {name: column[chosen] for name, column in table.items()}


def _length(table: Columns) -> int:
    return len(next(iter(table.values()), ()))
