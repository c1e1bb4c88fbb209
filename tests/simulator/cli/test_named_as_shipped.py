"""Every command that takes a class takes one of the user's that is called as a shipped kind is."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import pytest
from commands import disttrack

OWN: Final = """
from disttrack import Freeze
from disttrack import Deterministic as Shipped

def freeze(view):
    return view.steps % view.sites

class Tracker(Shipped):
    kind = "deterministic"

class Attacker(Freeze):
    'An attacker of mine.'
    kind = "freeze"
"""
COMMANDS: Final = {
    "adversary": (
        "play --protocol deterministic:alpha=0.1 --adversary {kind} --sites 2 --items 40",
        "arena {kind} --sites 2 --items 40 --trials 1 --workers 1",
        "conformance {kind}",
        "describe {kind}",
        "check own.yaml --set adversary={kind}",
        "run own.yaml --set adversary={kind} --workers 1 --no-figures",
        "run own.yaml --set adversary=[freeze,{kind}] --workers 1 --no-figures",
    ),
    "protocol": (
        "play --protocol {kind}:alpha=0.1 --adversary freeze --sites 2 --items 40",
        "describe {kind}",
        "arena {kind}:alpha=0.1 --sites 2 --items 40 --trials 1 --workers 1",
        "check own.yaml --set protocol.kind={kind}",
        "run own.yaml --set protocol.kind={kind} --workers 1 --no-figures",
        "run own.yaml --set protocol.kind=[deterministic,{kind}] --workers 1 --no-figures",
    ),
}
"""Commands by the family of the class that they take."""


@pytest.mark.drawn(7)
@pytest.mark.parametrize(
    ("kind", "command"),
    [
        *(("own.py:freeze", command) for command in COMMANDS["adversary"]),
        *(("own.py:Attacker", command) for command in COMMANDS["adversary"]),
        *(("own.py:Tracker", command) for command in COMMANDS["protocol"]),
    ],
)
def test_a_class_named_as_a_shipped_kind(
    uncompiled: None, kind: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disttrack.simulator.workshop.conformance.adversaries.LONG", ((3, 2_000),))
    _write()
    result = disttrack(*command.format(kind=kind).split())
    assert result.exit_code == 0, result.output


def test_results_of_classes_named_as_shipped_are_shown() -> None:
    """Tables and claims tell them from the shipped ones."""
    _write()
    sides = "--set protocol.kind=[deterministic,own.py:Tracker] --set adversary=[freeze,own.py:Attacker]"
    run = f"run own.yaml {sides} --workers 1 --no-figures --out both"
    for command in (run, "plot both", "report both", "compare both both"):
        result = disttrack(*command.split())
        assert result.exit_code == 0, result.output
    with open("both/trials.csv", newline="", encoding="utf-8") as file:
        pairs = {(row["protocol"], row["adversary"]) for row in csv.DictReader(file)}
    assert len(pairs) == 4


def _write() -> None:
    Path("own.py").write_text(OWN, encoding="utf-8")
    Path("own.yaml").write_text(
        "{name: own, sites: 2, items: 40, protocol: {kind: deterministic, alpha: 0.1}, adversary: freeze}",
        encoding="utf-8",
    )
