"""The control of a claim: a broken system, or the opposite case, in which the same measure must fail."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

LARGEST: Final = 2**62
"""No game has more items or steps than this, no point more games: schedules count in 64 bits."""
FEW: Final = 5
"""Games per point of a control: few are enough to show what is broken."""


def not_bool(value: Any) -> Any:
    """Refuse true and false where a number is wanted."""
    if isinstance(value, bool):
        raise ValueError("must be a number, not true or false")
    return value


class Control(BaseModel):
    """What is changed in the points of a claim for its control; a claim that passes there too is vacuous.

    Every other key is one of a point: `protocol`, `adversary`, `network`, `engine`, or a size. A protocol or adversary
    of another kind takes over the parameters that both kinds have; without `kind` the parameters that are given are
    set over those of the point.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    where: str = Field(
        "", description="Which points are broken: a condition on the columns of points; the claim's own if left out."
    )
    trials: Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(not_bool)] = Field(
        FEW, description="Games per broken point."
    )
    fault: str | None = Field(None, description="A named fault in the protocol: see simulator/faults/.")

    @property
    def changes(self) -> dict[str, Any]:
        """Return the keys of a point that it changes, and their values."""
        return dict(self.model_extra or {})

    @property
    def says(self) -> str:
        """Return the changes in a few words: ``protocol randomized, sites 64``."""
        parts = [f"{key} {_said(value)}" for key, value in self.changes.items()]
        return ", ".join([*([f"fault {self.fault}"] if self.fault else []), *parts])


def _said(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    own = [f"{key}={_said(given)}" for key, given in value.items() if key != "kind"]
    return " ".join([*([str(value["kind"])] if "kind" in value else []), *own])
