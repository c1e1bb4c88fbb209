"""The power of an adversary: which game it plays, what it may see, and whether it needs more."""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.views import POWERS
from disttrack.simulator.errors import ScenarioError


def check_power(sees: object) -> None:
    """Raise ValueError unless `sees` is a power: outputs, traffic or state."""
    if sees not in POWERS:
        raise ValueError(f"sees must be one of {', '.join(POWERS)}; got {sees!r}")


def check_task(adversary: Any, task: str, name: str = "") -> None:
    """Raise ScenarioError if an adversary is made for other tasks than this one."""
    made_for = adversary.plays
    if not adversary.plays_in(task):
        name = name or adversary.kind or type(adversary).__name__
        advice = f"a scenario with `task: {made_for[-1]}` plays it (disttrack describe {made_for[-1]})"
        raise ScenarioError(f"{name} plays {' and '.join(made_for)}, not {task}: {advice}")


def missing_power(adversary: Any, granted: object) -> str | None:
    """Return the power that an adversary needs and is not granted, None if it has enough.

    Raises
    ------
    ValueError
        The granted power does not exist.
    ScenarioError
        The power declared by the adversary's class does not exist.
    """
    check_power(granted)
    needed = adversary.sees
    if needed not in POWERS:
        name = adversary.kind or type(adversary).__name__
        raise ScenarioError(f"adversary {name}: sees = {needed!r} is not a power; accepted: {', '.join(POWERS)}")
    return str(needed) if POWERS.index(needed) > POWERS.index(granted) else None
