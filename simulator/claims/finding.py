"""What came of a claim: the measured value beside its bound, and the verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from simulator.claims.claim import Claim, Share

VACUOUS: Final = "VACUOUS"
UNDECIDED: Final = "UNDECIDED"


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
        Chance that a fresh run misses the bound, though the claim is true; None if the games do not tell.
    power
        Value of the measure beyond the bound, nearest to it, with which a run fails with probability 95 %; None if the
        games do not tell.
    of_goal
        The violation that `power` is, over that of the goal: at most 1 if the goal is reached.
    played
        Number of games with those that repeat another one: no coin is drawn in them, or their points are equal.
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
    power: float | None = None
    of_goal: float | None = None
    played: int = 0

    @property
    def holds(self) -> bool:
        """Tell whether the claim passed."""
        return self.verdict == "PASS"

    def row(self) -> dict[str, Any]:
        """Return its row of ``claims.csv``."""
        return asdict(self)


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


def failed(claim: Claim, group: str, note: str, games: int = 0) -> Finding:
    """Return the finding of a claim of which nothing could be measured."""
    nothing = (None, None, None)
    return Finding(claim.name, claim.where, group, claim.measure, *nothing, bound(claim), games, "FAIL", note)
