"""How honest are the times that ``disttrack check`` tells? What it tells over what the reference results took.

``python -m benchmarks.estimates [NAME …]`` prints a row per shipped scenario. Both are seconds of one process: the
column `seconds` of the reference results was measured on another day and machine, so that a ratio within a factor of
three is as near as it can be asked to come. Controls are left out, for their games are not in ``trials.csv``.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import pandas as pd

from simulator.runs.estimate import estimate
from simulator.scenario.load import load

ROOT: Final = Path(__file__).resolve().parents[1]
FACTOR: Final = 3.0
"""A time that is told within this factor is honest."""


def ratios(names: list[str]) -> pd.DataFrame:
    """Return for each scenario what is told, what it took, and the ratio of the two."""
    rows = []
    for name in names or sorted(path.name for path in (ROOT / "results" / "reference").iterdir()):
        file, trials = ROOT / "scenarios" / f"{name}.yaml", ROOT / "results" / "reference" / name / "trials.csv"
        if not file.is_file() or not trials.is_file():
            continue
        # of games without coins one is played, and the others are its copies
        games = pd.read_csv(trials, usecols=["point", "seconds"]).drop_duplicates()
        scenario = replace(load(file), controls=())
        told, took = estimate(scenario, 1).seconds, float(games["seconds"].sum())
        rows.append((name, told, took, told / took))
        print(f"{name:24} told {told:9.1f} s  took {took:9.1f} s  ratio {told / took:7.2f}", flush=True)
    return pd.DataFrame(rows, columns=["scenario", "told", "took", "ratio"])


def main() -> None:
    """Print the table, and the share of scenarios whose time is told within the factor."""
    found = ratios(sys.argv[1:])
    within = found["ratio"].between(1 / FACTOR, FACTOR)
    print(
        f"{within.sum()} of {len(found)} within a factor of {FACTOR:g}; the median ratio is {found.ratio.median():.2f}"
    )


if __name__ == "__main__":
    main()
