"""README's numbers are those of the headline scenario; those of its table are in `core_numbers.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from math import floor
from typing import Final

import numpy as np
import pandas as pd
import pytest
from snippets import PAGES, ROOT

from disttrack.simulator.shown.plots.sweep import fitted

README: Final = PAGES["README.md"].read_text(encoding="utf-8")
HEADLINE: Final = ROOT / "results/reference/headline"
COUNTED: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ROBUST: Final = ("robust", "martingale")


@cache
def medians() -> pd.DataFrame:
    """Return by adversary, protocol and sites the medians of headline: the largest error over alpha, and the words."""
    trials = pd.read_csv(HEADLINE / "trials.csv.gz")
    trials["over"] = trials["max_rel_error"] / trials["alpha"]
    return trials.groupby(["adversary", "protocol", "sites"])[["over", "words"]].median().reset_index()


def of(protocol: str, adversary: str) -> pd.DataFrame:
    """Return the medians of one protocol against one adversary, by the number of sites."""
    games = medians()
    mine = games[(games["protocol"] == protocol) & (games["adversary"] == adversary)]
    return mine.set_index("sites").sort_index()


def first_broken() -> str:
    """Return the least number of sites at which freeze drives the randomised tracker beyond alpha."""
    over = of("randomized", "freeze")["over"]
    return f"{over.index[over > 1].min():,}"


def robust_most() -> str:
    """Return the least multiple of 0.05 above all medians of the robust trackers, over alpha."""
    games = medians()
    return f"{(floor(games['over'][games['protocol'].isin(ROBUST)].max() * 20) + 1) / 20:g}"


def claims() -> str:
    """Return how many claims the demo prints."""
    return COUNTED[len(pd.read_csv(HEADLINE / "claims.csv"))]


def figures() -> str:
    """Return how many figures the demo draws."""
    return COUNTED[len(json.loads((HEADLINE / "figures" / "captions.json").read_text(encoding="utf-8")))]


NUMBERS: Final[dict[str, Callable[[], str]]] = {
    r"that of the randomised tracker exceeds it from ([\d,]+) sites on": first_broken,
    r"those of the robust ones stay below ([\d.]+) of it, as on the left": robust_most,
    r"and those of martingale like its cube root: at ([\d,]+) sites it needs a third of": lambda: (
        f"{medians()['sites'].max():,}"
    ),
    r"who breaks whom, (\w+) claims and \w+ figures": claims,
    r"who breaks whom, \w+ claims and (\w+) figures": figures,
}
"""The sentences with a number, and the function that computes it."""


@pytest.mark.parametrize("pattern", NUMBERS)
def test_a_number_is_that_of_the_reference_results(pattern: str) -> None:
    stated = [match[1] for page in PAGES.values() for match in re.finditer(pattern, page.read_text(encoding="utf-8"))]
    assert re.search(pattern, README)
    assert set(stated) == {NUMBERS[pattern]()}


def power(values: pd.Series[float]) -> float:
    return float(np.polyfit(np.log(values.index.to_numpy(float)), np.log(values.to_numpy()), 1)[0])


def test_errors_in_words_are_those_of_the_figure() -> None:
    games = medians()
    assert "On a stream that does not react all medians are below alpha" in README
    assert games[games["adversary"] == "round-robin"]["over"].max() < 1
    broken = of("randomized", "freeze")["over"]
    assert (broken > 1).is_monotonic_increasing, "it stays broken from the first number of sites on"
    assert f"by a factor that grows like k^{fitted(broken.index, broken)}, k being the number of sites" in README
    assert games[games["protocol"].isin(ROBUST)]["over"].max() < 0.8


def test_costs_in_words_are_those_of_the_figure() -> None:
    assert (
        "deterministic tracker grow almost like the number of sites, those of the randomised and robust ones about like"
        " its square root, and those of martingale like its cube root" in README
    )
    ranges = {"deterministic": (0.8, 1), "randomized": (0.45, 0.6), "robust": (0.45, 0.6), "martingale": (0.3, 0.37)}
    for adversary in ("round-robin", "freeze"):
        costs = {protocol: of(protocol, adversary)["words"] for protocol in ranges}
        assert all(low < power(costs[protocol]) < high for protocol, (low, high) in ranges.items())
        assert costs["martingale"].iloc[-1] / costs["deterministic"].iloc[-1] == pytest.approx(1 / 3, abs=0.02)
