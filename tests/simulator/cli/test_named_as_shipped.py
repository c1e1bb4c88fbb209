"""Every command that takes a class takes one of the user's that is called as a shipped kind is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from commands import disttrack

from disttrack.simulator.kinds.registry import kinds

OWN: Final = """
from disttrack import Adversary, Burst, Protocol
from disttrack import Deterministic as Shipped

def {function}(view):
    return view.steps % view.sites

class Tracker(Shipped):
    kind = "{tracker}"
"""
COMMANDS: Final = {
    "adversary": (
        "play --protocol deterministic:alpha=0.1 --adversary {kind} --sites 2 --items 40",
        "arena {kind} --sites 2 --items 40 --trials 1 --workers 1",
        "conformance {kind}",
        "describe {kind}",
        "check own.yaml --set adversary={kind}",
        "run own.yaml --set adversary={kind} --workers 1 --no-figures",
    ),
    "protocol": (
        "play --protocol {kind}:alpha=0.1 --adversary freeze --sites 2 --items 40",
        "describe {kind}",
        "check own.yaml --set protocol.kind={kind}",
        "run own.yaml --set protocol.kind={kind} --workers 1 --no-figures",
    ),
}
"""Commands by the family of the class that they take."""
NAMES: Final = sorted(name for name in kinds("adversary") if name.isidentifier())[::12]
"""Names of kinds that a function can have."""


@pytest.mark.parametrize("command", COMMANDS["adversary"], ids=lambda text: text.split()[0])
@pytest.mark.parametrize("name", ["freeze", *NAMES])
@pytest.mark.quick_cases(8)
def test_a_function_named_as_a_shipped_adversary(name: str, command: str) -> None:
    _write(name, "mine")
    result = disttrack(*command.format(kind=f"own.py:{name}").split())
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", COMMANDS["protocol"], ids=lambda text: text.split()[0])
def test_a_class_named_as_a_shipped_protocol(command: str) -> None:
    _write("mine", "randomized")
    result = disttrack(*command.format(kind="own.py:Tracker").split())
    assert result.exit_code == 0, result.output


def _write(function: str, tracker: str) -> None:
    Path("own.py").write_text(OWN.format(function=function, tracker=tracker), encoding="utf-8")
    Path("own.yaml").write_text(
        "{name: own, sites: 2, items: 40, protocol: {kind: deterministic, alpha: 0.1}, adversary: freeze}",
        encoding="utf-8",
    )
