"""The verdicts on claims: whether the results confirm what a scenario claims.

A claim passes if the measured value meets all of its bounds. The confidence interval is shown beside it
and plays no part in the verdict: a claim of at least 0.95 of 100 games passes with 95 of them. A claim
that is about no game fails.

A claim that also passes in its control, where what it is about is broken, is vacuous, and counts as failed.

A game in which chance had no part is the same for every seed, and points that are equal have the same games: however
often such a game was played, it is one observation, and is counted once. Where that would change the value, because
some games were played more often than others, the value is that of all rows of ``trials.csv``, and its interval, false
alarm and power take the games without coins as known. A control, which has few games, counts each once.

A game that an error ended, or in which no step was judged, shows nothing of its protocol: it is left out of all
measures. A claim, or a group of its games, that has lost one of them or of those of its control is undecided whatever
the others show. So is one that reads the verdict of games without one, because nothing is promised: they are not ok,
and have not failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import isclose
from typing import Final, NamedTuple

import numpy as np

from disttrack.simulator.errors import MEANT
from disttrack.simulator.experiments.claims.claim import Claim
from disttrack.simulator.experiments.claims.expression_checks import possible_rows
from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    ExpressionError,
    columns_of,
    condition,
    games_read,
    length,
    measure,
    select,
)
from disttrack.simulator.experiments.claims.false_alarm import ALLOWED, false_alarm, surely_missed
from disttrack.simulator.experiments.claims.jackknife import observe
from disttrack.simulator.experiments.claims.power import power
from disttrack.simulator.experiments.claims.statistics import NoCrossing
from disttrack.simulator.game.columns import COINLESS, COSTS, GAME, UNJUDGED, UNSENT, VERDICT

VACUOUS: Final = "VACUOUS"
UNDECIDED: Final = "UNDECIDED"
SKIPPED: Final = "SKIPPED"
"""Verdict of a claim that an edited scenario leaves without games, or with too few: it has neither held nor failed."""
_BROKEN: Final = "broken "
"""Which games are broken: a column that no expression can name."""
NO_CONTROL_FAILS: Final = "VACUOUS: the control meets the bound"
MEANINGS: Final = {
    "control": "a part broken: the claim must fail",
    "95 % interval": "as if games were independent",
    "games": "of the claim; a measure may choose fewer",
    "false alarm": "chance to fail although true; ≤: of dependent games",
    "power": "value refuted with probability 95 %",
}
"""The columns of a table of claims that do not speak for themselves."""


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
        Number of different games that meet its condition; a `where` within the measure may choose fewer.
    verdict
        ``PASS``, ``FAIL``, ``VACUOUS`` if it passes in its control too, ``UNDECIDED`` if errors have ended games,
        games have no verdict, it misspells a name or no game has its column, or ``SKIPPED`` if the scenario leaves it
        without games.
    note
        Why nothing could be measured, or is decided; empty otherwise.
    control
        What was measured in the control; None without one.
    broken
        What is broken there, or why there can be no control.
    false_alarm
        Chance that a fresh run misses the bound, though the claim is true; None if it cannot be estimated, as
        from games that miss it.
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

    @property
    def fails(self) -> bool:
        """Return whether it neither passed nor was skipped."""
        return self.verdict not in ("PASS", SKIPPED)

    def row(self) -> dict[str, object]:
        """Return its row of ``claims.csv``."""
        return asdict(self)


class ControlTable(NamedTuple):
    """The games that a control is judged on.

    Parameters
    ----------
    table
        Intact games, then those of the broken points, in the columns of the points that they replace.
    intact
        The number of intact ones.
    lost
        What was known beforehand of the broken ones that show nothing of what is broken.
    """

    table: Columns
    intact: int
    lost: Columns | None = None


def findings_of(
    claims: Sequence[Claim],
    table: Columns,
    controls: Mapping[int, ControlTable] | None = None,
    lost: Columns | None = None,
    skipped: Mapping[int, str] | None = None,
    too_few: str = "",
) -> list[Finding]:
    """Return the findings of claims over the table of games.

    Parameters
    ----------
    controls
        By number of the claim, the games of its control.
    lost
        What was known beforehand of the games that an error ended or that were not judged; the table leaves them out.
    skipped
        By number, why a claim is left without games; if it seems to misspell a name, it is undecided.
    too_few
        Why claims may have too few games: those whose false-alarm rate is then above `ALLOWED`, or not known, are
        skipped, unless more games would not change the outcome.
    """
    outcomes: list[Finding] = []
    for number, claim in enumerate(claims):
        none = Finding(claim.name, claim.where, "", claim.measure, claim.bound, note="no game meets the condition")
        if reason := (skipped or {}).get(number):
            outcomes.append(replace(none, verdict=without_games(reason), note=reason))
            continue
        played: dict[str, Columns] = {}
        try:
            played = dict(groups(claim, table))
        except ExpressionError as error:
            none = replace(none, verdict=_unmeasured(claim, table), note=str(error))
        findings = [_of_whole_games(_finding(claim, group, games), claim, games) for group, games in played.items()]
        findings = findings or [none]
        findings = _without_lost(findings, claim, lost) if lost else findings
        if control := (controls or {}).get(number):
            findings = _beside(findings, claim, control)
        elif claim.no_control is not None:
            findings = [replace(finding, broken=f"no control: {claim.no_control}") for finding in findings]
        for one in findings:
            stands = not too_few or _stands(one, claim, played.get(one.group))
            outcomes.append(one if stands else replace(one, verdict=SKIPPED, note=too_few))
    return outcomes


def without_games(reason: str) -> str:
    """Return the verdict on a claim without games: undecided if it seems to misspell a name."""
    return UNDECIDED if MEANT in reason else SKIPPED


def _of_whole_games(finding: Finding, claim: Claim, games: Columns) -> Finding:
    """Return a finding, undecided if it is about the cost of games some of which the adversary ended early."""
    try:
        if UNSENT not in games or not COSTS & columns_of(claim.measure):
            return finding
        games = games_read(claim.measure, games)
    except ExpressionError:  # the finding has the reason
        return finding
    ended = int((games[UNSENT] > 0).sum())
    note = f"games ended early: {ended:,} of {length(games):,}"
    return replace(finding, verdict=UNDECIDED, note=note) if ended else finding


def _stands(finding: Finding, claim: Claim, games: Columns | None) -> bool:
    """Return whether a finding of fewer games than a claim needs is undecided, or that of all of them."""
    if finding.verdict == UNDECIDED:
        return True
    if finding.value is None or games is None:
        return False
    if finding.false_alarm is not None and finding.false_alarm <= ALLOWED:
        return True
    if COINLESS in games and games[COINLESS].all():
        return True
    if finding.verdict != "FAIL" or finding.false_alarm is not None:
        return False
    try:
        return surely_missed(claim, observe(claim.measure, games), finding.value)
    except ExpressionError:  # chance cannot be judged
        return False


def meets(claim: Claim, value: float) -> bool:
    """Return whether a value meets all bounds of a claim."""
    low, high = claim.accepts
    return low <= value <= high  # not-a-number does not


def groups(claim: Claim, table: Columns) -> list[tuple[str, Columns]]:
    """Return the games that a claim is about, by equal values in the columns of `each`, in order of appearance.

    A group is a condition and its games; there is none if no game meets the claim's own condition.
    """
    if claim.where and length(table):
        table = select(table, condition(claim.where, table))
    if not length(table):
        return []
    for name in claim.columns:
        if name not in table:
            raise ExpressionError(f"each: no column {name!r}")
    if not claim.columns:
        return [("", table)]
    places: dict[tuple[object, ...], list[int]] = {}
    for number, values in enumerate(zip(*(table[name].tolist() for name in claim.columns), strict=True)):
        # not-a-number equals no other, and would be a group per game
        places.setdefault(tuple(None if value != value else value for value in values), []).append(number)
    conditions = (" and ".join(map("{} == {!r}".format, claim.columns, values)) for values in places)
    return list(zip(conditions, (select(table, np.array(numbers)) for numbers in places.values()), strict=True))


def distinct_games(table: Columns) -> Columns:
    """Return the first of all rows that are the same game; the table as it is if that is not known."""
    if GAME not in table:
        return table
    _, first = np.unique(table[GAME], return_index=True)
    return table if len(first) == length(table) else select(table, np.sort(first))


def lost_games(claim: Claim, lost: Columns) -> int:
    """Return how many of the games that are left out a claim may be about."""
    with suppress(ExpressionError):  # the finding of the claim has the reason
        return int(possible_rows(claim.where, lost).sum())
    return length(lost)


def _lost_by_group(claim: Claim, lost: Columns, known: Sequence[str]) -> dict[str, int]:
    """Return how many games each group may have lost: all of them in each of `known`, where it cannot be told."""
    if {*claim.columns} <= {*lost}:
        there = select(lost, possible_rows(claim.where, lost))
        return {group: length(games) for group, games in groups(claim.model_copy(update={"where": ""}), there)}
    return dict.fromkeys(known, lost_games(claim, lost))


def _without_lost(findings: Sequence[Finding], claim: Claim, lost: Columns) -> list[Finding]:
    """Return findings, undecided where games of their group are lost; a group without other games has its own."""
    left = _lost_by_group(claim, lost, [one.group for one in findings])
    made = []
    for one in findings:
        if number := left.pop(one.group, 0):
            one = replace(one, verdict=UNDECIDED, note=f"{_lost(lost)}: {number:,} of {number + one.played:,}")
        made.append(one)
    if left and claim.columns:  # a finding without a group stands for those that have no game
        made = [one for one in made if one.group]
    for group, number in left.items():
        only = Finding(claim.name, claim.where, group, claim.measure, claim.bound, verdict=UNDECIDED)
        made.append(replace(only, note=f"{_lost(lost)}: {number:,} of {number:,}"))
    return made


def _lost(lost: Columns) -> str:
    """Return which games are left out."""
    unjudged = lost.get(UNJUDGED, np.zeros(1, dtype=bool))
    endings = ["an error"] * (not unjudged.all()) + ["no judged step"] * bool(unjudged.any())
    return f"games with {' or '.join(endings)}"


def without_verdict(claim: Claim, games: Columns) -> str:
    """Return how many games have no verdict, if the claim's measure reads it and does not ask for them."""
    names = columns_of(claim.measure)
    if VERDICT not in games or not ("ok" in names or (VERDICT in names and UNDECIDED.lower() not in claim.measure)):
        return ""
    number = int((games[VERDICT] == UNDECIDED.lower()).sum())
    return f"games without a verdict: {number:,} of {length(games):,}" if number else ""


def _finding(claim: Claim, group: str, games: Columns) -> Finding:
    """Return the finding of a group of games, each of which is counted once if that leaves the value as it is."""
    table, once = games, distinct_games(games)
    finding = Finding(claim.name, claim.where, group, claim.measure, claim.bound)
    finding = replace(finding, games=length(once), played=length(games))
    try:
        estimate = measure(claim.measure, games)
    except ExpressionError as error:
        return replace(finding, verdict=_unmeasured(claim, games), note=_why(error, claim))
    with suppress(ExpressionError):  # the first of equal games may meet none of the measure's own conditions
        counted_once = measure(claim.measure, once)
        if isclose(counted_once.value, estimate.value, rel_tol=1e-9, abs_tol=1e-300):
            table, estimate = once, counted_once
    note = without_verdict(claim, once)
    verdict = UNDECIDED if note else "PASS" if meets(claim, estimate.value) else "FAIL"
    note = note or "not a number" * bool(np.isnan(estimate.value))
    finding = replace(finding, value=estimate.value, low=estimate.low, high=estimate.high, verdict=verdict, note=note)
    try:
        observed = observe(claim.measure, table)
        if table is not once:
            low, high = observed.interval
            finding = replace(finding, low=low, high=high)
        rate = false_alarm(claim, observed, missed=verdict == "FAIL")
        strength = power(claim, observed, estimate.value)
    except ExpressionError as error:
        return replace(finding, note=f"false alarm: {error}")
    if strength is not None:
        finding = replace(finding, power=strength.value, of_goal=strength.of_goal)
    return replace(finding, false_alarm=rate)


def _unmeasured(claim: Claim, table: Columns) -> str:
    """Return the verdict on a claim without a value: undecided if no game has a column that it names."""
    names = columns_of(claim.where or "True") | columns_of(claim.measure) | {*claim.columns}
    return "FAIL" if names <= {*table} else UNDECIDED


def _why(error: ExpressionError, claim: Claim) -> str:
    """Return why a measure has no value, without the measure: it is beside the note wherever that is shown."""
    return str(error).removeprefix(f"{claim.measure!r}: ")


def _beside(findings: Sequence[Finding], claim: Claim, control: ControlTable) -> list[Finding]:
    """Return findings with the outcome of their control, undecided where games of it are lost.

    A group with no broken game in it has no outcome.
    """
    lost = control.lost or {}
    left = _lost_by_group(claim, lost, [one.group for one in findings]) if lost else {}
    marked = {**control.table, _BROKEN: np.arange(length(control.table)) >= control.intact}
    note, broken = "no game in it", {}
    try:
        broken = {group: distinct_games(games) for group, games in groups(claim, marked) if games[_BROKEN].any()}
    except ExpressionError as error:
        note = str(error)
    made = []
    for one in findings:
        if number := left.get(one.group):
            undecided = replace(one, verdict=UNDECIDED, note=f"control: {_lost(lost)}: {number:,}")
            made.append(undecided if one.holds else one)
        elif not broken:
            made.append(_passing(one, note=f"control: {note}"))
        else:
            made.append(_against(one, claim, broken[one.group]) if one.group in broken else one)
    return made


def _against(finding: Finding, claim: Claim, games: Columns) -> Finding:
    """Return a finding beside the broken games of its group."""
    finding = replace(finding, broken=claim.control.says if claim.control is not None else "")
    try:
        value = measure(claim.measure, games).value
    except ExpressionError as error:
        note = f"control: {_why(error, claim)}"
        if finding.holds and isinstance(error.__cause__, NoCrossing):  # which fails the claim, as in intact games
            return replace(finding, note=note)
        return _passing(finding, note=note)
    finding = replace(finding, control=value)
    if finding.holds and (note := without_verdict(claim, games)):
        return replace(finding, verdict=UNDECIDED, note=f"control: {note}")
    return _passing(finding) if meets(claim, value) or np.isnan(value) else finding


def _passing(finding: Finding, note: str = "") -> Finding:
    """Return a finding whose control does not fail: one that fails anyway has failed, and keeps its own reason."""
    if finding.holds:
        return replace(finding, verdict=VACUOUS, note=note or finding.note)
    return replace(finding, note=finding.note or note)
