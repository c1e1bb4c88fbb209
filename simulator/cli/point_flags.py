"""Kinds and points from the command line: an entry with its parameters, its class, a point of flags."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disttrack.simulator.points.registry import Family
    from disttrack.simulator.scenario.load import Scenario


def scenario_of(flags: Mapping[str, Any]) -> Scenario:
    """Return the scenario of one point that the flags describe, read as a file would be."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.points.registry import parameters
    from disttrack.simulator.scenario.document import Document
    from disttrack.simulator.scenario.load import build

    data: dict[str, Any] = {"name": "play"}
    for side in ("protocol", "adversary"):
        data[side] = entry_of(side, flags[side])
    try:
        if "alpha" in parameters(maker_of("protocol", data["protocol"]["kind"])):
            data["protocol"].setdefault("alpha", flags["alpha"])
    except ScenarioError:
        pass  # the check of the point names the scenario's key
    given = {key: _value(flags.get(key)) for key in ("sites", "items", "start", "engine", "network")}
    data |= {key: value for key, value in given.items() if value is not None}
    if (latency := flags.get("latency")) is not None:
        distribution, _, mean = latency.partition(":")
        network = data["network"] if isinstance(data.get("network"), dict) else {}
        data["network"] = {**network, "latency": {distribution: _value(mean)} if mean else _value(latency)}
    return build(Document("disttrack play", Path.cwd(), data))


def maker_of(family: Family, kind: str) -> Any:
    """Return the class or function of a registered kind, or of one in a module or file of the user's."""
    from disttrack.simulator.points.registry import find
    from disttrack.simulator.points.source import source_of

    here = Path.cwd()
    return find(family, kind, source_of(kind, here), here)


def made(command: str, text: str, families: Sequence[Family], usual: Callable[[str, Any], Mapping[str, Any]]) -> Any:
    """Return the object that a kind and its parameters describe.

    Parameters
    ----------
    command
        The command that takes it, for messages.
    families
        Where a registered kind is looked up.
    usual
        Returns parameters for a kind and its class that need not be given.
    """
    from disttrack.simulator.errors import ScenarioError, nearest
    from disttrack.simulator.points.registry import family_of, kinds, make, parameters
    from disttrack.simulator.points.source import is_reference

    entry = entry_of(command, text)
    kind = entry.pop("kind")
    family = next((one for one in families if kind in kinds(one)), None)
    if family is None and not is_reference(kind):
        meant = nearest(kind, [name for one in families for name in kinds(one)])
        raise ScenarioError(f"disttrack {command}: unknown name {kind!r}{meant} (disttrack list shows all)")
    maker = maker_of(family or "mechanism", kind)  # a reference leads to the same class in all families
    if not inspect.isclass(maker):
        return maker  # an adversary that is a function of the view
    given = {key: value for key, value in usual(kind, maker).items() if key in parameters(maker)}
    try:
        return make(family or family_of(maker) or "mechanism", maker, {**given, **entry})
    except ScenarioError as error:
        raise ScenarioError(f"disttrack {command} {text}: {error}") from error


def entry_of(side: str, text: str) -> dict[str, Any]:
    """Return a side's entry: ``robust delta=0.01``, ``robust:delta=0.01`` or ``{kind: robust, delta: 0.01}``."""
    from disttrack.simulator.errors import ScenarioError

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
    from disttrack.simulator.scenario.document import value_of

    return value_of(text) if isinstance(text, str) else text
