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
