"""A point from flags: protocol, adversary and sizes as `play`, `attack` and `audit` take them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.points.point import Point
    from simulator.scenario.document import Document
    from simulator.scenario.load import Scenario


def point_of(flags: Mapping[str, Any]) -> Point:
    """Return the point that the flags describe."""
    return scenario_of(flags).points[0]


def scenario_of(flags: Mapping[str, Any]) -> Scenario:
    """Return the scenario of one point that the flags describe, read as a file would be."""
    from simulator.points.registry import parameters
    from simulator.scenario.document import Document
    from simulator.scenario.load import build

    document = Document("disttrack play", Path.cwd(), {"name": "play"})
    for side in ("protocol", "adversary"):
        document.data[side] = entry_of(side, flags[side])
    maker = _maker_of(document)
    taken = parameters(maker) if maker is not None else {}
    if "alpha" in taken:
        document.data["protocol"].setdefault("alpha", flags["alpha"])
    for key in ("sites", "items", "start", "engine"):
        if flags[key] is not None:
            document.data[key] = _value(flags[key])
    network = _value(flags.get("network"))
    if network is not None:
        document.data["network"] = network
    latency = flags["latency"]
    if latency is not None:
        distribution, _, mean = latency.partition(":")
        delay = {distribution: _value(mean)} if mean else _value(latency)
        document.data["network"] = {**(network if isinstance(network, dict) else {}), "latency": delay}
    return build(document)


def _maker_of(document: Document) -> Any:
    """Return the protocol's class; None if there is none, which the check of the point will say."""
    from simulator.errors import ScenarioError
    from simulator.points.registry import find
    from simulator.points.source import source_of

    kind = document.data["protocol"]["kind"]
    try:
        return find("protocol", kind, source_of(kind, document.folder), document.folder) if kind else None
    except ScenarioError:
        return None


def entry_of(side: str, text: str) -> dict[str, Any]:
    """Return a side's entry: ``robust delta=0.01``, ``robust:delta=0.01`` or ``{kind: robust, delta: 0.01}``."""
    from simulator.errors import ScenarioError

    if text.lstrip().startswith("{"):
        entry = _value(text)
        if isinstance(entry, dict) and isinstance(entry.get("kind"), str):
            return entry
        raise ScenarioError(f"--{side} {text}: must be {{kind: NAME}} with its parameters")
    # parameters may follow a space or a colon; a colon before a name without = belongs to file.py:Class
    kind, *assignments = re.sub(r":(?=\w+=)", " ", text).replace(",", " ").split() or [""]
    entry = {"kind": kind}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise ScenarioError(f"--{side} {text}: {assignment!r} must be parameter=value")
        entry[key] = _value(value)
    return entry


def _value(text: Any) -> Any:
    from simulator.scenario.document import value_of

    return value_of(text) if isinstance(text, str) else text
