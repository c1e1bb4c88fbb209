"""The game and everything that runs, records, checks and draws it.

>>> from disttrack.simulator import play
>>> from disttrack.protocols import Deterministic
>>> play(Deterministic(alpha=0.1), lambda view: view.steps % view.sites, sites=4, items=100).ok
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names
from disttrack.simulator.displays import register

if TYPE_CHECKING:
    from disttrack.simulator.errors import RunError as RunError
    from disttrack.simulator.errors import ScenarioError as ScenarioError
    from disttrack.simulator.experiments.results.folder import Results as Results
    from disttrack.simulator.experiments.runs.runner import run as run
    from disttrack.simulator.experiments.scenario.load import Scenario as Scenario
    from disttrack.simulator.experiments.scenario.load import load as load
    from disttrack.simulator.game.outcome import Game as Game
    from disttrack.simulator.game.play import play as play
    from disttrack.simulator.game.tasks import Demand as Demand
    from disttrack.simulator.game.tasks import Record as Record
    from disttrack.simulator.game.tasks import Size as Size
    from disttrack.simulator.game.tasks import Task as Task
    from disttrack.simulator.game.tasks.duel import play_duel as play_duel
    from disttrack.simulator.shown.plots import Plot as Plot
    from disttrack.simulator.shown.plots import compare as compare
    from disttrack.simulator.shown.plots import draw as draw
    from disttrack.simulator.workshop.arena import Arena as Arena
    from disttrack.simulator.workshop.arena import arena as arena
    from disttrack.simulator.workshop.conformance import ConformanceError as ConformanceError
    from disttrack.simulator.workshop.conformance import check_adversary as check_adversary
    from disttrack.simulator.workshop.conformance import check_counter as check_counter
    from disttrack.simulator.workshop.conformance import check_protocol as check_protocol
else:  # lazy, so that `disttrack --help` need not load numpy and pandas
    __getattr__, __dir__, __all__ = lazy_names(__name__)

for _name, _reference in {
    "game.plot": "disttrack.simulator.shown.plots.figures:timeline_of",
    "game.html": "disttrack.simulator.shown.notebook.shown:game",
    "results.axes": "disttrack.simulator.shown.plots.figures:axes_of",
    "results.html": "disttrack.simulator.shown.notebook.shown:results",
    "scenario.html": "disttrack.simulator.shown.notebook.shown:scenario",
}.items():
    register(_name, _reference)
