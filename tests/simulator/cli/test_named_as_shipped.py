"""Every command that takes a class takes one of the user's that is called as a shipped kind is."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import pytest
from commands import disttrack

from disttrack.simulator.kinds.registry import kinds

OWN: Final = """
from disttrack import Freeze
from disttrack import Deterministic as Shipped

def {function}(view):
    return view.steps % view.sites

class Tracker(Shipped):
    kind = "{tracker}"

class Attacker(Freeze):
    'An attacker of mine.'
    kind = "{attacker}"
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
NAMES: Final = sorted(name for name in kinds("adversary") if name.isidentifier())[::12]
"""Names of kinds that a function can have."""
ATTACKERS: Final = sorted(kinds("adversary"))[::24]
TRACKERS: Final = ("randomized", "deterministic", *sorted(kinds("protocol"))[::32])


CASES: Final = [
    *((f"own.py:{name}", (name, "mine", "mine"), one) for name in ("freeze", *NAMES) for one in COMMANDS["adversary"]),
    *(("own.py:Attacker", ("mine", "mine", name), one) for name in ATTACKERS for one in COMMANDS["adversary"]),
    *(("own.py:Tracker", ("mine", name, "mine"), one) for name in TRACKERS for one in COMMANDS["protocol"]),
]
"""A class, the names of the three of its file, and a command."""


@pytest.mark.drawn(7)
@pytest.mark.parametrize(("kind", "names", "command"), CASES)
def test_a_class_named_as_a_shipped_kind(kind: str, names: tuple[str, str, str], command: str) -> None:
    _write(*names)
    result = disttrack(*command.format(kind=kind).split())
    assert result.exit_code == 0, result.output


def test_results_of_classes_named_as_shipped_are_shown() -> None:
    """Tables and claims tell them from the shipped ones."""
    _write("mine", "deterministic", "freeze")
    sides = "--set protocol.kind=[deterministic,own.py:Tracker] --set adversary=[freeze,own.py:Attacker]"
    run = f"run own.yaml {sides} --workers 1 --no-figures --out both"
    for command in (run, "plot both", "report both", "compare both both"):
        result = disttrack(*command.split())
        assert result.exit_code == 0, result.output
    with open("both/trials.csv", newline="", encoding="utf-8") as file:
        pairs = {(row["protocol"], row["adversary"]) for row in csv.DictReader(file)}
    assert len(pairs) == 4


def _write(function: str, tracker: str, attacker: str = "mine") -> None:
    Path("own.py").write_text(OWN.format(function=function, tracker=tracker, attacker=attacker), encoding="utf-8")
    Path("own.yaml").write_text(
        "{name: own, sites: 2, items: 40, protocol: {kind: deterministic, alpha: 0.1}, adversary: freeze}",
        encoding="utf-8",
    )
