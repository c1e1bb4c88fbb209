"""The cost of robustness: words under equal guarantees by formulas, and measured words beside them.

    python -m benchmarks.costs [--results results/reference/cost-of-robustness]

prints the table of results/reference/tables/robustness.md, and measured words. The formulas are in
`benchmarks/words.py`. The measurements are read from the results of the scenario of that name.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from statistics import fmean
from typing import Final

import yaml

from benchmarks.words import deterministic, least_known, memoryless, oblivious, partial_privacy
from disttrack.simulator.experiments.results.stored import text_rows

ALPHAS: Final = (0.1, 0.01, 0.001)
SITES: Final = tuple(2**power for power in range(6, 19, 4))
KINDS: Final = ("randomized", "martingale", "robust", "deterministic")
SCENARIO: Final = Path("src/disttrack/scenarios/cost-of-robustness.yaml")
Measured = Mapping[tuple[int, float], Mapping[str, float]]


def measured_in(folder: Path) -> Measured:
    """Return the mean words for growth by a factor e, over k, of each tracker by sites and alpha."""
    words_of: dict[tuple[int, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    start = float(yaml.safe_load(SCENARIO.read_text(encoding="utf-8"))["start"])
    for row in text_rows(folder / "trials.csv"):
        k, items = int(row["sites"]), float(row["items"])
        words_of[k, float(row["alpha"])][row["protocol"]].append(float(row["words"]) / k / log(1 + items / start))
    return {point: {kind: fmean(words) for kind, words in of.items()} for point, of in words_of.items()}


def _three(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def computed_rows() -> list[str]:
    """Return the rows of the table of formulas."""
    rows = [
        "| k | alpha | oblivious | memoryless | partial privacy | deterministic | sqrt(k)/alpha | price |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for alpha in ALPHAS:
        for k in SITES:
            words = [one(k, alpha) / k for one in (oblivious, memoryless, partial_privacy, deterministic)]
            columns = [*words, least_known(k, alpha)[0] / k, words[1] / words[0]]
            rows.append(f"| {k:,} | {alpha:g} | " + " | ".join(map(_three, columns)) + " |")
    return rows


def measured_rows(measured: Measured) -> list[str]:
    """Return the rows of the table of measured words, each beside the computed ones."""
    rows = [
        "| k | alpha | randomized (oblivious) | martingale (memoryless) | robust (partial privacy) | deterministic |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    formulas = dict(zip(KINDS, (oblivious, memoryless, partial_privacy, deterministic), strict=True))
    shown = {point: of for point, of in measured.items() if point[0] in SITES and point[1] in ALPHAS}
    for (k, alpha), of in sorted(shown.items(), key=lambda item: (-item[0][1], item[0][0])):
        cells = [f"{_three(of[kind])} ({_three(formulas[kind](k, alpha) / k)})" for kind in KINDS]
        rows.append(f"| {k:,} | {alpha:g} | " + " | ".join(cells) + " |")
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description="Print the tables of costs.")
    parser.add_argument("--results", type=Path, default=Path("results/reference/cost-of-robustness"))
    given = parser.parse_args(arguments)
    print("\n".join([*computed_rows(), "", *measured_rows(measured_in(given.results))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
