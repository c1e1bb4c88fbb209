"""README's numbers: the words in its table are those of the games that it names, others of the headline scenario."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from disttrack import Deterministic, Freeze, Martingale, Randomized, Robust, RoundRobin, play

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
HEADLINE: Final = ROOT / "results/reference/headline"
COUNTED: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TRACKERS: Final[dict[str, Any]] = {
    "`deterministic`, `centred: true`": Deterministic(alpha=0.05, centred=True),
    "`martingale`": Martingale(alpha=0.05, delta=0.05),
    "`robust`, `parameters: tight`": Robust(alpha=0.05, delta=0.05, parameters="tight"),
    "`robust`, with the paper's constants, the default": Robust(alpha=0.05, delta=0.05),
    "`randomized`": Randomized(alpha=0.05),
}


def table() -> dict[str, dict[int, int]]:
    """Return by tracker, as README has it, the words at each number of sites."""
    head = re.search(r"^\| tracker \|.*words at (.*) sites.*$", README, re.MULTILINE)
    assert head is not None
    sites = [int(number.replace(",", "")) for number in head[1].split(", ")]
    rows = [row.strip("| ").split(" | ") for row in README[head.end() :].partition("\n\n")[0].splitlines()[2:]]
    words = {row[0]: [int(cell.replace(",", "")) for cell in row[2].split(" · ")] for row in rows}
    return {name: dict(zip(sites, cells, strict=True)) for name, cells in words.items()}


def test_the_table_has_these_trackers() -> None:
    assert set(table()) == set(TRACKERS)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("sites", [16, 256, 4096])
@pytest.mark.parametrize("name", TRACKERS)
def test_the_words_are_the_larger_of_two_games(name: str, sites: int) -> None:
    games = [play(TRACKERS[name], side, sites=sites, items=10**8) for side in (RoundRobin(), Freeze())]
    assert table()[name][sites] == max(game.words for game in games)


@pytest.fixture(scope="module")
def games() -> pd.DataFrame:
    trials = pd.read_csv(HEADLINE / "trials.csv.gz")
    trials["over"] = trials["max_rel_error"] / trials["alpha"]
    return trials.groupby(["adversary", "protocol", "sites"])[["over", "words"]].median().reset_index()


def of(games: pd.DataFrame, protocol: str, adversary: str) -> pd.DataFrame:
    mine = games[(games["protocol"] == protocol) & (games["adversary"] == adversary)]
    return mine.set_index("sites").sort_index()


def power(values: pd.Series[float]) -> float:
    return float(np.polyfit(np.log(values.index.to_numpy(float)), np.log(values.to_numpy()), 1)[0])


def stated(pattern: str) -> str:
    match = re.search(pattern, README)
    assert match, f"README has no {pattern!r}"
    return match[1].replace(",", "")


def test_errors_in_words_are_those_of_the_figure(games: pd.DataFrame) -> None:
    oblivious = games[games["adversary"] == "round-robin"]
    assert "On a stream that does not react all medians are below alpha" in README
    assert oblivious["over"].max() < 1
    broken = of(games, "randomized", "freeze")["over"]
    first = int(stated(r"that of the randomised tracker exceeds it from ([\d,]+) sites on"))
    assert list(broken.index[broken > 1]) == [site for site in broken.index if site >= first]
    assert "by a factor that grows almost like the square root of the number of sites" in README
    assert 0.4 < power(broken) < 0.5
    most = float(stated(r"those of the robust ones stay below ([\d.]+) of it, as on the left"))
    robust = games[games["protocol"].isin(("robust", "martingale"))]["over"]
    assert most - 0.05 < robust.max() < most


def test_costs_in_words_are_those_of_the_figure(games: pd.DataFrame) -> None:
    grow = re.search(
        r"deterministic tracker grow almost like the number of sites, those of the randomised and robust ones about"
        r" like its square root, and those of martingale like its cube root: at ([\d,]+) sites it needs a third of",
        README,
    )
    assert grow
    ranges = {"deterministic": (0.8, 1), "randomized": (0.45, 0.6), "robust": (0.45, 0.6), "martingale": (0.3, 0.37)}
    for adversary in ("round-robin", "freeze"):
        words = {protocol: of(games, protocol, adversary)["words"] for protocol in ranges}
        assert all(low < power(words[protocol]) < high for protocol, (low, high) in ranges.items())
        last = int(grow[1].replace(",", ""))
        assert words["martingale"][last] / words["deterministic"][last] == pytest.approx(1 / 3, abs=0.02)


def test_the_demo_ends_with_as_many_claims_and_figures() -> None:
    claims = pd.read_csv(HEADLINE / "claims.csv")
    assert COUNTED.index(stated(r"who breaks whom, (\w+) claims")) == len(claims)
    captions = json.loads((HEADLINE / "figures" / "captions.json").read_text(encoding="utf-8"))
    assert COUNTED.index(stated(r"claims and (\w+) figures")) == len(captions)
