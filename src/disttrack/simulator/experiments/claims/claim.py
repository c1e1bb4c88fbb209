"""A claim of a scenario: a measure of some of the games, the bounds that it must meet, and its control."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from disttrack.simulator.errors import must_be, no_such
from disttrack.simulator.experiments.claims.expression_checks import (
    check_condition,
    check_measure,
    check_rows,
    is_column,
)
from disttrack.simulator.experiments.claims.expressions import ExpressionError, outermost
from disttrack.simulator.game.columns import ColumnType

LARGEST: Final = 2**62
"""No game has more items or steps than this, no point more games: schedules count in 64 bits."""
FEW: Final = 5
"""Games per point of a control: few are enough to show what is broken."""


_NUMBER: Final = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)


def a_number(value: object) -> object:
    """Refuse true, false and a text such as "16" where a number is wanted."""
    if isinstance(value, bool):
        raise ValueError(must_be("a number", value))
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        raise ValueError(must_be("a number, written without quotes", value))
    return value


Real = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(a_number)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(a_number)]
Percentage = Annotated[str, Field(pattern=r"^\d+(\.\d+)? *%$")]
Chance = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), BeforeValidator(a_number)]
Text = Annotated[str, Field(min_length=1)]


class Strict(BaseModel):
    """A part of a scenario file that has no keys but its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Control(BaseModel):
    """What is changed in the points of a claim for its control; a claim that passes there too is vacuous.

    Every other key is one of a point: `protocol`, `adversary`, `network`, `engine`, or a size. A protocol or adversary
    of another kind takes over the parameters that both kinds have; without `kind` the parameters that are given are
    set over those of the point.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    where: str = ""
    """Which points are broken: a condition on the columns of points; the claim's own if left out."""
    trials: Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(a_number)] = FEW
    """Games per broken point."""
    fault: str | None = None
    """A named fault of the protocol: see docs/scenarios.md."""

    @property
    def changes(self) -> dict[str, object]:
        """Return the keys of a point that it changes, and their values."""
        return dict(self.model_extra or {})

    @property
    def says(self) -> str:
        """Return the changes in a few words: ``protocol randomized, sites 64``."""
        parts = [f"{key} {_said(value)}" for key, value in self.changes.items()]
        return ", ".join([*([f"fault {self.fault}"] if self.fault else []), *parts])


def _said(value: object) -> str:
    if not isinstance(value, dict):
        return str(value)
    own = [f"{key}={_said(given)}" for key, given in value.items() if key != "kind"]
    return " ".join([*([str(value["kind"])] if "kind" in value else []), *own])


class Claim(Strict):
    """A statement that the results must confirm: a measure of some of the games, and its bounds."""

    name: Text
    """What is claimed, in a few words."""
    where: str = ""
    """Which games: a condition on the columns of trials.csv; empty for all."""
    each: list[Text] | Text = Field(default_factory=list)
    """Columns; the claim is made once for each combination of their values."""
    measure: Text
    """What is measured, for example fraction(ok) or slope(words, sites)."""
    at_least: Real | None = None
    """Lower bound on the measure."""
    at_most: Real | None = None
    """Upper bound on the measure."""
    equals: Real | None = None
    """Expected value of the measure, up to `within`."""
    within: Tolerance | Percentage | None = None
    """Tolerance of `equals`: a number, or a share such as 5%."""
    source: list[Text] | Text = Field(default_factory=list)
    """What it tests, a statement or several: Theorem 1, accuracy. See claims/statements."""
    chance: Chance | None = None
    """Probability, by theory, that one game contradicts the claim; of fraction, max and min."""
    margin: Text | None = None
    """A quantity of a game, at most 1 exactly where the condition of fraction(…) holds."""
    promise: Real | None = None
    """Value of the measure by theory, to which the goal of power refers; of fraction(…) that of a contradiction."""
    weak: Text | None = None
    """Why the power of the claim misses the goal."""

    control: Control | None = None
    """A broken system, in which the same measure must fail."""
    no_control: Text | None = None
    """Why it can have no control: a definition, an identity."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of `each`."""
        return (self.each,) if isinstance(self.each, str) else tuple(self.each)

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the statements that it tests."""
        return (self.source,) if isinstance(self.source, str) else tuple(self.source)

    @property
    def accepts(self) -> tuple[float, float]:
        """Return the least and the largest value that meet all bounds."""
        low = -inf if self.at_least is None else self.at_least
        high = inf if self.at_most is None else self.at_most
        if self.equals is not None:
            room = self.within or 0.0
            room = float(room.rstrip(" %")) / 100 * abs(self.equals) if isinstance(room, str) else room
            room *= 1 + 1e-12
            low, high = max(low, self.equals - room), min(high, self.equals + room)
        return low, high

    @property
    def bound(self) -> str:
        """Return its bounds in a few characters: ``>= 0.95``, ``1 ± 5 %``."""
        parts = []
        if self.at_least is not None:
            parts.append(f">= {self.at_least:g}")
        if self.at_most is not None:
            parts.append(f"<= {self.at_most:g}")
        if isinstance(self.within, str):
            parts.append(f"{self.equals:g} ± {float(self.within.rstrip(' %')):g} %")
        elif self.equals is not None:
            parts.append(f"{self.equals:g} ± {self.within:g}" if self.within else f"= {self.equals:g}")
        return ", ".join(parts)

    @model_validator(mode="after")
    def _bounds(self) -> Claim:
        if self.at_least is None and self.at_most is None and self.equals is None:
            raise ValueError("needs at_least, at_most, or equals with within")
        if fault := ill_typed(self, {}):
            raise ValueError(": ".join(fault))
        low, high = self.accepts
        share = outermost(self.measure) == "fraction"
        if share and (low > 1 or high < 0 or (low <= 0 and high >= 1)):
            raise ValueError(f"{self.bound} holds for every share from 0 to 1, or for none")
        if self.within is not None and self.equals is None:
            raise ValueError("within goes with equals: equals: 1.0, within: 0.05")
        if self.control is not None and self.no_control is not None:
            raise ValueError("control and no_control: leave one out")
        if self.control is not None and not self.control.says:
            raise ValueError("control: must change a fault, protocol, adversary, or size")
        if self.chance is not None and not share and outermost(self.measure) not in ("max", "min"):
            raise ValueError("chance goes with fraction(…), max(…), min(…)")
        if self.promise is not None and of_failure(self) and not 0 < self.promise <= 1:
            raise ValueError(must_be("above 0 and at most 1", self.promise, "promise"))
        if self.margin is not None and not share:
            raise ValueError("margin goes with fraction(…)")
        return self


def ill_typed(claim: Claim, columns: Mapping[str, ColumnType]) -> tuple[str, str] | None:
    """Return which key of a claim cannot be evaluated on columns of these types, and why; None if all can."""
    for key, check in (("where", check_condition), ("measure", check_measure), ("margin", check_rows)):
        try:
            if text := getattr(claim, key):
                check(text, columns)
        except ExpressionError as error:
            return key, str(error)
    for name in claim.columns if columns else ():
        if not is_column(name, columns):
            return "each", no_such("column", name, columns)
    return None


def of_failure(claim: Claim) -> bool:
    """Return whether a claim bounds from one side how often single games contradict it."""
    return outermost(claim.measure) == "fraction" and claim.equals is None
