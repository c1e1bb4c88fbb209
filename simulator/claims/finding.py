"""The outcome of a claim: the measured value beside its bound, and the verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from disttrack.simulator.claims.claim import Claim

VACUOUS: Final = "VACUOUS"
UNDECIDED: Final = "UNDECIDED"


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


def finding_of(claim: Claim, group: str, **found: Any) -> Finding:
    """Return the finding of a claim for a group; without a verdict it has failed."""
    return Finding(claim.name, claim.where, group, claim.measure, bound(claim), **found)
