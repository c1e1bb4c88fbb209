"""The shipped scenarios, each loaded once a process: that takes seconds."""

from __future__ import annotations

from functools import cache

from disttrack.simulator.scenario.load import Scenario, load
from disttrack.simulator.scenario.shipped import shipped_scenarios


@cache
def loaded() -> dict[str, Scenario]:
    """Return every shipped scenario by name, checked as `disttrack check` does; nobody changes them."""
    return {name: load(path) for name, path in shipped_scenarios().items()}
