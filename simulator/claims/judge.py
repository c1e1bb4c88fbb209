"""Claims: whether the results bear out what a scenario says they will.

A claim passes if the measured value meets all of its bounds. The confidence interval is shown beside it
and plays no part in the verdict: a claim of at least 0.95 of 100 games passes with 95 of them. A claim
that no game speaks to fails.

A claim that also passes in its control, where what it is about is broken, says nothing: it is vacuous, and counts as
failed.

Games that an error ended are left out of all measures. A claim that has lost one of its games, or of those of its
control, is undecided whatever the others show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from simulator.claims.claim import Claim
from simulator.claims.expressions import Columns, condition, measure
from simulator.claims.false_alarm import false_alarm
from simulator.claims.finding import UNDECIDED, VACUOUS, Finding, bound, failed
from simulator.claims.grammar import ExpressionError
from simulator.claims.groups import groups, length, once, select
from simulator.claims.lost import lost_of
from simulator.claims.power import power

__all__ = ["UNDECIDED", "VACUOUS", "ControlTable", "Finding", "bound", "judge", "meets"]

_BROKEN: Final = "broken "
"""Which games are broken: a column that no expression can name."""


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
        What was known beforehand of the broken ones that an error ended: these show nothing of what is broken.
    """

    table: Columns
    intact: int
    lost: Columns = field(default_factory=dict)


def judge(
    claims: Sequence[Claim],
    table: Columns,
    controls: Mapping[int, ControlTable] | None = None,
    lost: Columns | None = None,
) -> list[Finding]:
    """Return the findings of claims over the table of games.

    Parameters
    ----------
    controls
        By number of the claim, the games of its control.
    lost
        What was known beforehand of the games that an error ended; these are not in the table.
    """
    found: list[Finding] = []
    for number, claim in enumerate(claims):
        findings = _without_lost(_findings(claim, table), claim, lost or {})
        control = (controls or {}).get(number)
        if control is not None:
            findings = _beside(findings, claim, control)
        elif claim.no_control is not None:
            findings = [replace(finding, broken=f"no control: {claim.no_control}") for finding in findings]
        found += findings
    return found


def _without_lost(findings: list[Finding], claim: Claim, lost: Columns) -> list[Finding]:
    """Return findings with those undecided that have lost games, and those of groups that have lost all of theirs."""
    missing = lost_of(claim, lost)
    if not missing:
        return findings
    if claim.columns:  # lost games may be all of their group: it has a row of its own then
        findings = [finding for finding in findings if finding.group]
    found = []
    for finding in findings:
        mine = sum(games for group, games in missing.items() if _within(finding.group, group))
        undecided = replace(finding, verdict=UNDECIDED, note=_lost_games(mine, finding.played))
        found.append(undecided if mine else finding)
    gone = {
        group: games for group, games in missing.items() if not any(_within(other.group, group) for other in findings)
    }
    return found + [
        replace(failed(claim, group, _lost_games(games, 0)), verdict=UNDECIDED) for group, games in gone.items()
    ]


def _within(group: str, other: str) -> bool:
    """Tell whether a group of games is another one, or a part of it: lost games may lack what groups are made by."""
    return set(other.split(" and ")) - {""} <= set(group.split(" and "))


def _lost_games(games: int, left: int) -> str:
    """Return in words how many games of a claim an error has ended."""
    return f"{games:,} of its {games + left:,} games ended in an error"


def _beside(findings: Sequence[Finding], claim: Claim, control: ControlTable) -> list[Finding]:
    """Return findings with what their control gives: a group with no broken game in it has none."""
    lost = sum(lost_of(claim, control.lost).values())
    if lost:
        note = f"{lost:,} games of its control ended in an error"
        return [replace(one, verdict=UNDECIDED, note=note) if one.holds else one for one in findings]
    rows_there = length(control.table)
    marked = {**control.table, _BROKEN: np.arange(rows_there) >= control.intact}
    try:
        chosen = select(marked, condition(claim.where, control.table) if claim.where else None)
        broken = {group: games for group, games in groups(claim.columns, chosen) if games[_BROKEN].any()}
    except ExpressionError as error:
        return [replace(finding, verdict=_vacuous(finding), note=f"control: {error}") for finding in findings]
    if not broken:
        return [replace(finding, verdict=_vacuous(finding), note="control: no game in it") for finding in findings]
    return [
        _against(finding, claim, once(broken[finding.group])) if finding.group in broken else finding
        for finding in findings
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
    chosen = select(table, condition(claim.where, table) if claim.where and length(table) else None)
    return groups(claim.columns, chosen) if length(chosen) else []


def _findings(claim: Claim, table: Columns) -> list[Finding]:
    try:
        found = groups_of(claim, table)
    except ExpressionError as error:
        return [failed(claim, "", str(error))]
    if not found:
        return [failed(claim, "", "no game meets the condition")]
    return [_finding(claim, group, games) for group, games in found]


def _finding(claim: Claim, group: str, games: Columns) -> Finding:
    """Return the finding of a group of games, each of which is counted once."""
    played, table = length(games), once(games)
    different = length(table)
    try:
        estimate = measure(claim.measure, table)
    except ExpressionError as error:
        return replace(failed(claim, group, str(error), different), played=played)
    verdict = "PASS" if meets(claim, estimate.value) else "FAIL"
    note, rate, found = "", None, None
    try:
        rate = false_alarm(claim, table)
        found = power(claim, table, estimate.value)
    except ExpressionError as error:
        note = f"false alarm: {error}"
    return Finding(
        claim.name, claim.where, group, claim.measure, estimate.value, estimate.low, estimate.high, bound(claim),
        different, verdict, note, false_alarm=rate,
        power=found.value if found else None, of_goal=found.of_goal if found else None, played=played,
    )  # fmt: skip
