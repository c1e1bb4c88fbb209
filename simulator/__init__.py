"""The game and everything that runs, records, checks and draws it.

>>> from simulator import play
>>> from protocols import Deterministic
>>> play(Deterministic(alpha=0.1), lambda view: view.steps % view.sites, sites=4, items=100).ok
True
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.conformance import (
        ConformanceError,
        check_adversary,
        check_bulk_form,
        check_counter,
        check_protocol,
    )
    from simulator.environment import DistributedCount
    from simulator.errors import RunError, ScenarioError
    from simulator.game.outcome import Game
    from simulator.game.play import play
    from simulator.plots import Plot, compare, draw
    from simulator.results.folder import Results
    from simulator.runs.runner import run
    from simulator.scenario.load import Scenario, load
    from simulator.tasks import Demand, Record, Size, Task
    from simulator.tasks.analysis import play_analysis
    from simulator.tasks.continual import play_counter, play_experts, play_monitor, play_queries
    from simulator.tasks.dynamic import play_dynamic, play_static
    from simulator.tasks.prediction import play_mirror, play_prediction
    from simulator.tasks.sketching import play_sketch

__all__ = [
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
    "check_adversary",
    "check_bulk_form",
    "check_counter",
    "check_protocol",
    "compare",
    "draw",
    "load",
    "play",
    "play_analysis",
    "play_counter",
    "play_dynamic",
    "play_experts",
    "play_mirror",
    "play_monitor",
    "play_prediction",
    "play_queries",
    "play_sketch",
    "play_static",
    "run",
]
if find_spec("gymnasium") is None:
    __all__.remove("DistributedCount")  # a name that cannot be had is not shown

_HOMES = {
    "simulator.conformance": ("ConformanceError check_adversary check_bulk_form check_counter check_protocol"),
    "simulator.environment": "DistributedCount",
    "simulator.errors": "RunError ScenarioError",
    "simulator.game.outcome": "Game",
    "simulator.game.play": "play",
    "simulator.plots": "Plot compare draw",
    "simulator.results.folder": "Results",
    "simulator.runs.runner": "run",
    "simulator.scenario.load": "Scenario load",
    "simulator.tasks": "Demand Record Size Task",
    "simulator.tasks.analysis": "play_analysis",
    "simulator.tasks.continual": "play_counter play_experts play_monitor play_queries",
    "simulator.tasks.dynamic": "play_dynamic play_static",
    "simulator.tasks.prediction": "play_mirror play_prediction",
    "simulator.tasks.sketching": "play_sketch",
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
