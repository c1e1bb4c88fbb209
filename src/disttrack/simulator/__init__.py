"""The game and everything that runs, records, checks and draws it.

>>> from disttrack.simulator import play
>>> from disttrack.protocols import Deterministic
>>> play(Deterministic(alpha=0.1), lambda view: view.steps % view.sites, sites=4, items=100).ok
True
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disttrack.simulator.conformance import (
        ConformanceError,
        check_adversary,
        check_bulk_form,
        check_counter,
        check_protocol,
    )
    from disttrack.simulator.environment import DistributedCount
    from disttrack.simulator.errors import RunError, ScenarioError
    from disttrack.simulator.game.outcome import Game
    from disttrack.simulator.game.play import play
    from disttrack.simulator.plots import Plot, compare, draw
    from disttrack.simulator.results.folder import Results
    from disttrack.simulator.runs.runner import run
    from disttrack.simulator.scenario.load import Scenario, load
    from disttrack.simulator.search.arena import Arena, arena
    from disttrack.simulator.tasks import Demand, Record, Size, Task
    from disttrack.simulator.tasks.duel import play_duel

__all__ = [
    "Arena",
    "ConformanceError",
    "Demand",
    "DistributedCount",
    "Game",
    "Plot",
    "Record",
    "Results",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Size",
    "Task",
    "arena",
    "check_adversary",
    "check_bulk_form",
    "check_counter",
    "check_protocol",
    "compare",
    "draw",
    "load",
    "play",
    "play_duel",
    "run",
]
if find_spec("gymnasium") is None:
    __all__.remove("DistributedCount")  # a name that cannot be had is not shown

_HOMES = {
    "disttrack.simulator.conformance": (
        "ConformanceError check_adversary check_bulk_form check_counter check_protocol"
    ),
    "disttrack.simulator.environment": "DistributedCount",
    "disttrack.simulator.errors": "RunError ScenarioError",
    "disttrack.simulator.game.outcome": "Game",
    "disttrack.simulator.game.play": "play",
    "disttrack.simulator.plots": "Plot compare draw",
    "disttrack.simulator.results.folder": "Results",
    "disttrack.simulator.runs.runner": "run",
    "disttrack.simulator.scenario.load": "Scenario load",
    "disttrack.simulator.search.arena": "Arena arena",
    "disttrack.simulator.tasks": "Demand Record Size Task",
    "disttrack.simulator.tasks.duel": "play_duel",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    # lazy, so that `disttrack --help` need not load numpy and pandas
    if name in _HOME_OF:
        value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [name for name in globals() if name.startswith("__")] + __all__
