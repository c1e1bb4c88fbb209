"""The verdicts on claims: whether the results confirm what a scenario claims.

A claim passes if the measured value meets all of its bounds. The confidence interval is shown beside it
and plays no part in the verdict: a claim of at least 0.95 of 100 games passes with 95 of them. A claim
that is about no game fails.

A claim that also passes in its control, where what it is about is broken, is vacuous, and counts as failed.

Games that an error ended are left out of all measures. A claim that has lost one of its games, or of those of its
control, is undecided whatever the others show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np

from disttrack.simulator.claims.claim import Claim
from disttrack.simulator.claims.expressions import Columns, condition, length, measure, select
from disttrack.simulator.claims.false_alarm import false_alarm
from disttrack.simulator.claims.grammar import ExpressionError
from disttrack.simulator.claims.groups import distinct_games, groups, lost_games
from disttrack.simulator.claims.jackknife import observe
from disttrack.simulator.claims.power import power

VACUOUS: Final = "VACUOUS"
UNDECIDED: Final = "UNDECIDED"
_BROKEN: Final = "broken "
"""Which games are broken: a column that no expression can name."""


@dataclass(frozen=True)
class Finding:
    """The outcome of a claim for one group of games.

    Attributes
    ----------
    name, where, measure
        The claim's own.
    group
        The group that `each` made, as a condition; empty without it.
    bound
        What the value had to meet, in words.
    value, low, high
        Measured value and its 95 % confidence interval; None where there is none.
    games
        Number of different games that it was measured on.
    verdict
        ``PASS``, ``FAIL``, ``VACUOUS`` if it passes in its control too, or ``UNDECIDED`` if errors have ended games.
    note
        Why nothing could be measured, or is decided; empty otherwise.
    control
        What was measured in the control; None without one.
    broken
        What is broken there, or why there can be no control.
    false_alarm
        Chance that a fresh run misses the bound, though the claim is true; None if it cannot be estimated.
    power
        Value of the measure beyond the bound, nearest to it, with which a run fails with probability 95 %; None if it
        cannot be estimated.
    of_goal
        The violation that `power` is, over that of the goal: at most 1 if the goal is reached.
    played
        Number of games with those that repeat another one: no coin is drawn in them, or their points are equal.
    """

    name: str
    where: str
    group: str
    measure: str
    bound: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    games: int = 0
    verdict: str = "FAIL"
    note: str = ""
    control: float | None = None
    broken: str = ""
    false_alarm: float | None = None
    power: float | None = None
    of_goal: float | None = None
    played: int = 0

    @property
    def holds(self) -> bool:
        """Return whether the claim passed."""
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
        Intact games, then those of the broken points, in the columns of the points that they replace.
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
    outcomes: list[Finding] = []
    for number, claim in enumerate(claims):
        findings = _findings(claim, table)
        if ended := lost_games(claim, lost or {}):
            findings = _undecided(findings, ended)
        control = (controls or {}).get(number)
        if control is not None:
            findings = _beside(findings, claim, control)
        elif claim.no_control is not None:
            findings = [replace(finding, broken=f"no control: {claim.no_control}") for finding in findings]
        outcomes += findings
    return outcomes


def meets(claim: Claim, value: float) -> bool:
    """Return whether a value meets all bounds of a claim."""
    low, high = claim.accepts
    return low <= value <= high  # not-a-number does not


def bound(claim: Claim) -> str:
    """Return the bound of a claim in a few characters.

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
    if isinstance(claim.within, str):
        parts.append(f"{claim.equals:g} ± {float(claim.within.rstrip(' %')):g} %")
    elif claim.equals is not None:
        parts.append(f"{claim.equals:g} ± {claim.within:g}" if claim.within else f"= {claim.equals:g}")
    return ", ".join(parts)


def _finding_of(claim: Claim, group: str, **values: Any) -> Finding:
    """Return the finding of a claim for a group; without a verdict it has failed."""
    return Finding(claim.name, claim.where, group, claim.measure, bound(claim), **values)


def _groups(claim: Claim, table: Columns) -> list[tuple[str, Columns]]:
    """Return the games that a claim is about, by the groups of `each`; none if no game meets its condition."""
    if claim.where and length(table):
        table = select(table, condition(claim.where, table))
    return groups(claim.columns, table) if length(table) else []


def _findings(claim: Claim, table: Columns) -> list[Finding]:
    try:
        findings = [_finding(claim, group, games) for group, games in _groups(claim, table)]
    except ExpressionError as error:
        return [_finding_of(claim, "", note=str(error))]
    return findings or [_finding_of(claim, "", note="no game meets the condition")]


def _finding(claim: Claim, group: str, games: Columns) -> Finding:
    """Return the finding of a group of games, each of which is counted once."""
    table = distinct_games(games)
    finding = _finding_of(claim, group, games=length(table), played=length(games))
    try:
        estimate = measure(claim.measure, table)
    except ExpressionError as error:
        return replace(finding, note=str(error))
    verdict = "PASS" if meets(claim, estimate.value) else "FAIL"
    finding = replace(finding, value=estimate.value, low=estimate.low, high=estimate.high, verdict=verdict)
    try:
        observed = observe(claim.measure, table)
        rate, strength = false_alarm(claim, observed), power(claim, observed, estimate.value)
    except ExpressionError as error:
        return replace(finding, note=f"false alarm: {error}")
    if strength is not None:
        finding = replace(finding, power=strength.value, of_goal=strength.of_goal)
    return replace(finding, false_alarm=rate)


def _undecided(findings: Sequence[Finding], lost: int) -> list[Finding]:
    """Return the findings of a claim that has lost games."""
    note = f"{lost:,} of its {lost + sum(one.played for one in findings):,} games ended in an error"
    return [replace(one, verdict=UNDECIDED, note=note) for one in findings]


def _beside(findings: Sequence[Finding], claim: Claim, control: ControlTable) -> list[Finding]:
    """Return findings with the outcome of their control: a group with no broken game in it has none."""
    ended = lost_games(claim, control.lost)
    if ended:
        note = f"{ended:,} games of its control ended in an error"
        return [replace(one, verdict=UNDECIDED, note=note) if one.holds else one for one in findings]
    marked = {**control.table, _BROKEN: np.arange(length(control.table)) >= control.intact}
    note, broken = "no game in it", {}
    try:
        broken = {group: distinct_games(games) for group, games in _groups(claim, marked) if games[_BROKEN].any()}
    except ExpressionError as error:
        note = str(error)
    if not broken:
        return [_passing(finding, note=f"control: {note}") for finding in findings]
    return [_against(one, claim, broken[one.group]) if one.group in broken else one for one in findings]


def _against(finding: Finding, claim: Claim, games: Columns) -> Finding:
    """Return a finding beside the broken games of its group."""
    finding = replace(finding, broken=claim.control.says if claim.control is not None else "")
    try:
        value = measure(claim.measure, games).value
    except ExpressionError as error:
        return _passing(finding, note=f"control: {error}")
    finding = replace(finding, control=value)
    return _passing(finding) if meets(claim, value) or np.isnan(value) else finding


def _passing(finding: Finding, note: str = "") -> Finding:
    """Return a finding whose control does not fail: one that fails anyway has failed."""
    return replace(finding, verdict=VACUOUS if finding.holds else finding.verdict, note=note or finding.note)
