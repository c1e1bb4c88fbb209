"""What installed packages add to the command line."""

from __future__ import annotations

from typing import Any

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.installed import entry_points


def plugged(group: str) -> dict[str, Any]:
    """Return the objects of the entry points of a group, by name.

    Raises
    ------
    ScenarioError
        One of them cannot be loaded; the message names it and its package.
    """
    found = {}
    for point in entry_points(group=group):
        try:
            found[point.name] = point.load()
        except Exception as error:
            whose = point.dist.name if point.dist is not None else point.value
            raise ScenarioError(
                f"{whose}: its entry point {point.name} of {group} cannot be loaded: {type(error).__name__}: {error}"
            ) from error
    return found
