"""The words in README's table of trackers are those of the games that it names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from disttrack import Deterministic, Freeze, Martingale, Randomized, Robust, RoundRobin, play

README: Final = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
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
