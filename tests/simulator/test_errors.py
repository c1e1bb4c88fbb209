"""Refusals: one line each that can be shown, cut in its middle if it is very long."""

from __future__ import annotations

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load

LONG = 12_000
LIST = "[" + ", ".join(f"a{place}" for place in range(LONG // 6)) + "]"
VALUES = ("x" * LONG, "word " * (LONG // 5), LIST, f"[{LIST}]")


@pytest.mark.parametrize(
    ("key", "value"), list(zip(("sites", "protocol", "claims", "plots", "network"), (*VALUES, VALUES[0]), strict=True))
)
def test_a_refusal_does_not_repeat_a_long_value(key: str, value: str) -> None:
    scenario = {"name": "s", "sites": 2, "items": 9, "protocol": "exact", "adversary": "round-robin"}
    with pytest.raises(ScenarioError) as caught:
        load(scenario, [f"{key}={value}"])
    lines = str(caught.value).splitlines()
    assert all(len(line) < 900 for line in lines)
    assert len(lines) == min(len(getattr(caught.value, "errors", [caught.value])), 21)


@pytest.mark.parametrize(
    "message",
    [
        "a.yaml:3: sites: must be a whole number; got 1.5",
        "it doesn't hold, and the others' don't either: " + "a protocol's own reason, " * 9,
        "unknown kind 'x' (accepted: " + ", ".join(f"kind-{place}" for place in range(40)) + ")",
        "protocol[1].alpha must lie in (0, 1]; sites[0] in [1, 2]",
    ],
)
def test_other_refusals_are_as_they_were(message: str) -> None:
    assert str(ScenarioError(message)) == message
