"""Playing until the claims are known closely enough: how many trials that takes is a function of the games alone.

Games are played a batch of trials at a time, on all workers. Then the trials are looked at one after the other, in
their order, and the first number of them at which all intervals are narrow is the end; what was played beyond it stays
in the journal and counts for nothing. So neither workers nor batches nor an interruption have a part in where it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Final

from simulator.claims.expressions import Columns
from simulator.claims.judge import precise
from simulator.claims.precision import Precision
from simulator.results.games import Games, game_row
from simulator.runs.journal import Journal
from simulator.runs.plan import Plan, in_order, plan
from simulator.scenario.load import Scenario

GROWTH: Final = 1.25
"""A batch makes the trials so many times as many: little is played beyond the end."""


def play_until_precise(
    scenario: Scenario, precision: Precision, journal: Journal, play: Callable[[Plan], None], *, controls: bool
) -> Plan:
    """Play a scenario until its claims are known closely enough; return what counts of what was played.

    Parameters
    ----------
    play
        Plays those games of a plan that the journal has not.
    controls
        Whether to play the controls of the claims too.
    """
    looked, trials = 0, precision.first
    table = Games(scenario)
    while True:
        planned = plan(scenario, controls=controls, trials=trials)
        play(planned)
        _add(table, scenario, planned, journal, looked)
        columns = table.columns()
        for number in range(max(looked + 1, precision.first), trials + 1):
            if _known(
                scenario, precision, {name: values[columns["trial"] < number] for name, values in columns.items()}
            ):
                return plan(scenario, controls=controls, trials=number)
        if trials == precision.at_most:
            return planned
        looked, trials = trials, min(precision.at_most, ceil(trials * GROWTH))


def _add(table: Games, scenario: Scenario, planned: Plan, journal: Journal, looked: int) -> None:
    """Add the games from a trial on."""
    for point, trial, seed, record in in_order(journal, planned.games, {}, since=looked):
        place = scenario.points[point]
        table.add(game_row(scenario, place, trial, seed, record), record, place)


def _known(scenario: Scenario, precision: Precision, columns: Columns) -> bool:
    return all(precise(claim, columns, precision) for claim in scenario.head.claims)
