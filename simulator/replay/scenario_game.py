"""A game of a scenario, played again from its seed with everything written down."""

from __future__ import annotations

from disttrack.simulator.errors import ScenarioError, accepted
from disttrack.simulator.game.play import play
from disttrack.simulator.replay.record import GameRecord, record_of
from disttrack.simulator.runs.journal import game_seed
from disttrack.simulator.scenario.load import Scenario
from disttrack.simulator.tasks.tracking import Count, prepare


def replayed(scenario: Scenario, point: int = 0, trial: int = 0) -> GameRecord:
    """Return the record of one game: that of the row of ``trials.csv`` with this point and trial.

    Raises
    ------
    ScenarioError
        There is no such point or trial, or the scenario's games have no sites and messages.
    """
    name = scenario.name
    if not isinstance(scenario.task, Count):
        raise ScenarioError(f"{name}: games of task {scenario.task.kind} cannot be replayed ({accepted([Count.kind])})")
    for what, value, number in (("point", point, len(scenario.points)), ("trial", trial, scenario.head.trials)):
        if not 0 <= value < number:
            raise ScenarioError(f"{name}: there is no {what} {value}; it has {what}s 0 … {number - 1}")
    chosen = scenario.points[point]
    try:
        game = play(**prepare(chosen), seed=game_seed(scenario.head.seed, trial), record=True, on_error="record")
    except ValueError as error:
        raise ScenarioError(f"{name}, {chosen.describe()}: {error}") from error
    return record_of(game, chosen, {"scenario": name, "point": point, "trial": trial})
