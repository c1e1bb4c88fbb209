"""The bound that theory gives for a game's messages, from the protocol's own class."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from math import isfinite
from typing import Any

import protocols as protocol_package
from protocols.base import Protocol


def shipped_protocols() -> dict[str, type[Protocol]]:
    """Return the protocol classes of this package by kind."""
    found = {}
    for value in vars(protocol_package).values():
        if inspect.isclass(value) and issubclass(value, Protocol) and value.kind:
            found[value.kind] = value
    return found


def cost_bound(scenario: Mapping[str, Any], game: Mapping[str, Any]) -> float | None:
    """Return the messages that a game of trials.csv is expected to need at most, None if no bound is known.

    Parameters
    ----------
    scenario
        The scenario as its manifest has it; it has the parameters that are not swept.
    game
        A row of trials.csv.
    """
    made = shipped_protocols().get(str(game.get("protocol")))
    if made is None:
        return None
    given: dict[str, Any] = {}
    entries = scenario.get("protocol") or []
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, Mapping) and entry.get("kind") == made.kind:
            given.update({key: value for key, value in entry.items() if not isinstance(value, list)})
            break
    names = [name for name, parameter in inspect.signature(made).parameters.items() if parameter.kind.name != "VAR_KEYWORD"]
    wanted = {}
    for name in names:
        value = game.get(name, game.get(f"protocol.{name}"))
        if value is None or value != value:
            value = given.get(name)
        if value is not None:
            wanted[name] = value
    start = game.get("start", scenario.get("start", 0))
    try:
        bound = made(**wanted).cost_bound(int(game["sites"]), int(game["items"]), int(start or 0))
    except (TypeError, ValueError):
        return None  # parameters that only the class's own maker understands: no line is drawn
    return float(bound) if isfinite(bound) and bound > 0 else None
