"""How honest are the times that ``disttrack check`` tells? What it tells over what games take, each in a fresh process.

``python -m benchmarks.estimates [NAME …]`` prints a row per shipped scenario. Its work is told as `check` tells it, and
all points and controls are played once each, or a dozen points, evenly spread, of a long one. One process tells and
another plays: what the first games import and compute has then been done for neither. Both are seconds of the process,
so that what else the machine does plays no part. Games that are told to take longer than half a minute are left out.

A time is honest if it is told within a factor of 3, or within a tenth of a second: nobody plans by less, and the games
of small scenarios are over sooner than Python has imported what they need. Both shares are printed.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Sequence
from typing import Final

import pandas as pd

from simulator.errors import ScenarioError
from simulator.runs.estimate import Told, asked, together, told_of
from simulator.scenario.load import load, shipped_scenarios

FACTOR: Final = 3.0
"""A time that is told within this factor is honest."""
SLACK: Final = 0.1
"""And so is one that is told within so many seconds."""
WHOLE: Final = 10.0
"""If all points and controls are told to take no more seconds, a game each, all are played: what first games compute
for the others is told of one of them, whichever it is."""
POINTS: Final = 12
LONGEST: Final = 30.0


def told_for(name: str) -> tuple[dict[int, Told], float]:
    """Return what is told for points of a scenario and its controls, by their place, and the seconds of telling all.

    They are all of them, if a game of each is told to take no more than `WHOLE` seconds together; else some.
    """
    scenario = load(name)
    begun = time.process_time()
    there = asked(scenario)
    told = told_of(scenario, there)
    took = time.process_time() - begun
    places = list(range(len(there)))
    if together(told, [1] * len(told)) > WHOLE:
        places = places[: len(scenario.points)]
        places = places[:: max(1, len(places) // POINTS)][:POINTS]
    return {place: told[place] for place in places if told[place].each <= LONGEST}, took


def seconds_of_games(name: str, places: Sequence[int]) -> float:
    """Return the seconds that a game of each of these points takes, one after the other."""
    scenario = load(name)
    there = asked(scenario)
    begun = time.process_time()
    for place in places:
        there[place][0].task.make().play(there[place][0], 1)
    return time.process_time() - begun


def honest(told: pd.Series, took: pd.Series, slack: float = 0.0) -> pd.Series:
    """Return which times were told within the factor, or within so many seconds.

    Examples
    --------
    >>> honest(pd.Series([1.0, 4.0, 0.05]), pd.Series([2.9, 1.0, 0.01]), SLACK).tolist()
    [True, False, True]
    """
    return (told / took).between(1 / FACTOR, FACTOR) | ((told - took).abs() <= slack)


def main() -> None:
    """Print the table, and the shares of scenarios whose time is told honestly."""
    rows = []
    for name in sys.argv[1:] or sorted(shipped_scenarios()):
        fork = multiprocessing.get_context("fork")
        try:
            with fork.Pool(1) as teller:
                told, checked = teller.apply(told_for, (name,))
            if not told:
                continue
            with fork.Pool(1) as player:
                took = player.apply(seconds_of_games, (name, list(told)))
        except ScenarioError as error:
            print(f"{name:24} {error}")
            continue
        seconds = together(list(told.values()), [1] * len(told))
        rows.append((name, seconds, took, checked))
        times = f"told {seconds:8.2f} s  took {took:8.2f} s  ratio {seconds / took:7.2f}"
        print(f"{name:24} {len(told):3} games  {times}  check {checked:5.2f} s", flush=True)
    found = pd.DataFrame(rows, columns=["scenario", "told", "took", "check"])
    within, near = (honest(found.told, found.took, slack).sum() for slack in (0.0, SLACK))
    print(f"{within} of {len(found)} within a factor of {FACTOR:g}; {near} within it or {SLACK:g} s")
    print(f"the median ratio is {(found.told / found.took).median():.2f}")
    print(f"telling took {found.check.median():.2f} s (median) to {found.check.max():.2f} s")


if __name__ == "__main__":
    main()
