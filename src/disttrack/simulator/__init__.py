"""The game and everything that runs, records, checks and draws it.

>>> from disttrack.simulator import play
>>> from disttrack.protocols import Deterministic
>>> play(Deterministic(alpha=0.1), lambda view: view.steps % view.sites, sites=4, items=100).ok
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.simulator.conformance import ConformanceError as ConformanceError
    from disttrack.simulator.conformance import check_adversary as check_adversary
    from disttrack.simulator.conformance import check_bulk_form as check_bulk_form
    from disttrack.simulator.conformance import check_counter as check_counter
    from disttrack.simulator.conformance import check_protocol as check_protocol
    from disttrack.simulator.errors import RunError as RunError
    from disttrack.simulator.errors import ScenarioError as ScenarioError
    from disttrack.simulator.game.outcome import Game as Game
    from disttrack.simulator.game.play import play as play
    from disttrack.simulator.plots import Plot as Plot
    from disttrack.simulator.plots import compare as compare
    from disttrack.simulator.plots import draw as draw
    from disttrack.simulator.results.folder import Results as Results
    from disttrack.simulator.runs.runner import run as run
    from disttrack.simulator.scenario.load import Scenario as Scenario
    from disttrack.simulator.scenario.load import load as load
    from disttrack.simulator.search.arena import Arena as Arena
    from disttrack.simulator.search.arena import arena as arena
    from disttrack.simulator.tasks import Demand as Demand
    from disttrack.simulator.tasks import Record as Record
    from disttrack.simulator.tasks import Size as Size
    from disttrack.simulator.tasks import Task as Task
    from disttrack.simulator.tasks.duel import play_duel as play_duel
else:  # lazy, so that `disttrack --help` need not load numpy and pandas
    __getattr__, __dir__, __all__ = lazy_names(__name__)
