"""How honest are the times that ``disttrack check`` tells? What it tells over what games take, in the same process.

``python -m benchmarks.estimates [NAME …]`` prints a row per shipped scenario. Up to a dozen of its points, evenly
spread, are played once each, and told as `check` tells them; both are seconds of this process, so that what else the
machine does plays no part. Games that are told to take longer than half a minute are left out.
"""

from __future__ import annotations

import sys
import time
from typing import Final

import pandas as pd

from simulator.errors import ScenarioError
from simulator.runs.estimate import seconds_of
from simulator.scenario.load import load, shipped_scenarios

FACTOR: Final = 3.0
"""A time that is told within this factor is honest."""
POINTS: Final = 12
LONGEST: Final = 30.0


def ratio(name: str) -> tuple[str, int, float, float]:
    """Return of a scenario how many games were played, what was told for them, and what they took."""
    scenario = load(name)
    step = max(1, len(scenario.points) // POINTS)
    points = scenario.points[::step][:POINTS]
    told = took = 0.0
    played = 0
    for point, seconds in zip(points, seconds_of(scenario, [(point, 1) for point in points]), strict=True):
        if seconds > LONGEST:
            continue
        begun = time.process_time()
        point.task.make().play(point, 1)
        took += time.process_time() - begun
        told += seconds
        played += 1
    return name, played, told, took


def main() -> None:
    """Print the table, and the share of scenarios whose time is told within the factor."""
    rows = []
    for name in sys.argv[1:] or sorted(shipped_scenarios()):
        try:
            _, played, told, took = ratio(name)
        except ScenarioError as error:
            print(f"{name:24} {error}")
            continue
        if played:
            rows.append((name, told / took))
            print(
                f"{name:24} {played:3} games  told {told:8.2f} s  took {took:8.2f} s  ratio {told / took:7.2f}",
                flush=True,
            )
    found = pd.DataFrame(rows, columns=["scenario", "ratio"])
    within = found["ratio"].between(1 / FACTOR, FACTOR)
    share = f"{within.sum()} of {len(found)} within a factor of {FACTOR:g}"
    print(f"{share}; the median ratio is {found.ratio.median():.2f}")


if __name__ == "__main__":
    main()
