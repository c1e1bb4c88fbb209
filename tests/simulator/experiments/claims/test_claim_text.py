"""What a claim may say: its bounds, its tolerance, and each refusal with its whole line."""

from __future__ import annotations

from math import inf
from typing import Any, Final

import pytest
from pydantic import ValidationError

from disttrack.simulator.experiments.claims.claim import Claim, Control

ASKS: Final[dict[str, Any]] = {"name": "n", "measure": "fraction(ok)", "at_least": 0.5}
RATIO: Final = "mean(words) / mean(items)"
"""It has no ends, as a share has."""


def claim(**keys: Any) -> Claim:
    return Claim(**{**ASKS, **keys})


@pytest.mark.parametrize(
    ("keys", "accepts", "message"),
    [
        ({}, (0.5, inf), ">= 0.5"),
        ({"at_least": None, "at_most": 2}, (-inf, 2), "<= 2"),
        ({"at_most": 0.75}, (0.5, 0.75), ">= 0.5, <= 0.75"),
        ({"at_least": None, "equals": 2, "within": 0.5}, (1.5, 2.5), "2 ± 0.5"),
        ({"at_least": None, "equals": -2, "within": "25%"}, (-2.5, -1.5), "-2 ± 25 %"),
        ({"at_least": None, "equals": 2, "within": "0%"}, (2, 2), "2 ± 0 %"),
        ({"at_least": 1.75, "equals": 2, "within": 0.5}, (1.75, 2.5), ">= 1.75, 2 ± 0.5"),
        ({"at_least": 1, "at_most": 2.25, "equals": 2, "within": 0.5}, (1.5, 2.25), ">= 1, <= 2.25, 2 ± 0.5"),
    ],
)
def test_bounds(keys: dict[str, Any], accepts: tuple[float, float], message: str) -> None:
    result = claim(measure=RATIO, **keys)
    assert result.accepts == pytest.approx(accepts, rel=1e-11)
    assert result.bound == message


def test_a_tolerance_forgives_the_last_digit_and_no_more() -> None:
    low, high = claim(measure="mean(words)", at_least=None, equals=0.0, within=1.0).accepts
    assert (low, high) == (-1 - 1e-12, 1 + 1e-12)


def test_what_a_control_says() -> None:
    control = Control(
        fault="f", sites=64, protocol={"kind": "k", "alpha": 0.5, "inner": {"kind": "i", "b": 1}}, x={"y": 2}
    )
    assert control.says == "fault f, sites 64, protocol k alpha=0.5 inner=i b=1, x y=2"
    assert Control(sites=3).says == "sites 3"
    assert Control(fault="f").says == "fault f"
    assert (Control().says, Control().trials, Control().where) == ("", 5, "")
    with pytest.raises(ValidationError, match="must be a number, not a truth value"):
        Control(trials=True)
