"""README's numbers: the words in its table are those of the games that it names, others of the headline scenario."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import pandas as pd
import pytest
from readme_numbers import NUMBERS, ROBUST, SITES, TRACKERS, cells, medians, of, words
from snippets import PAGES

from disttrack.simulator.shown.plots.sweep import fitted

README: Final = PAGES["README.md"].read_text(encoding="utf-8")
ADVICE: Final = "`python tests/documents/readme_numbers.py` writes the numbers anew"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("sites", SITES)
@pytest.mark.parametrize("name", TRACKERS)
def test_the_words_are_the_larger_of_two_games(name: str, sites: int) -> None:
    (stated,) = (row[group] for tracker, k, row, group in cells(README) if (tracker, k) == (name, sites))
    assert stated == words(name, sites), ADVICE


def test_the_table_has_these_trackers_and_sites() -> None:
    table = README.partition("| tracker |")[2].partition("\n\n")[0]
    assert table.count("\n") == 1 + len(TRACKERS)
    assert f"words at {', '.join(f'{sites:,}' for sites in SITES)} sites" in table


@pytest.mark.parametrize("pattern", NUMBERS)
def test_a_number_is_that_of_the_reference_results(pattern: str) -> None:
    stated = [match[1] for page in PAGES.values() for match in re.finditer(pattern, page.read_text(encoding="utf-8"))]
    assert re.search(pattern, README)
    assert set(stated) == {NUMBERS[pattern]()}, ADVICE


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
