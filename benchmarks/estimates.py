"""Accuracy of the times stated by ``disttrack check``: one row per shipped scenario, with stated over actual time.

``python -m benchmarks.estimates [NAME …]`` takes the times from the column `seconds` of the reference results. Both
are for one worker and without the controls. The rates in the tasks are set so that the ratios are near 1 on an idle
machine; results that were played beside other work have longer times.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from disttrack.simulator.results.stored import text_rows
from disttrack.simulator.runs.estimate import seconds_of
from disttrack.simulator.scenario.load import load
from disttrack.simulator.scenario.shipped import shipped_scenarios

REFERENCE = Path("results/reference")


def main() -> None:
    """Print the ratios, and the number within a factor of 3 and of 10."""
    ratios = []
    for name in sys.argv[1:] or sorted(shipped_scenarios()):
        scenario = load(name)
        # a game without coins was played once, and its row stands for all trials
        played = {(row["point"], row["seconds"]) for row in text_rows(REFERENCE / name / "trials.csv")}
        taken = sum(float(seconds) for _, seconds in played)
        expected = sum(trials * seconds_of(scenario.task.demand(point)) for point, trials in scenario.played)
        ratios.append(expected / taken)
        print(f"{name:24} {ratios[-1]:8.2f} of {taken:10.2f} s", flush=True)
    series = pd.Series(ratios)
    within = {factor: series.between(1 / factor, factor).sum() for factor in (3, 10)}
    print(f"{within[3]} of {len(series)} within a factor of 3, {within[10]} of 10; median {series.median():.2f}")


if __name__ == "__main__":
    main()
