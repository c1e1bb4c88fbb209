"""The numbers of README.md and of the pages that repeat its captions: ``python tests/documents/readme_numbers.py``.

It writes them anew: the words of the table by games that it plays, all others from the reference results of headline.
`test_readme_words.py` holds the same numbers, and the words around them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from math import floor
from pathlib import Path
from typing import Any, Final

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))  # where it runs as a program

from snippets import PAGES, ROOT

from disttrack import Deterministic, Freeze, Martingale, Randomized, Robust, RoundRobin, play

HEADLINE: Final = ROOT / "results/reference/headline"
COUNTED: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TRACKERS: Final[dict[str, Any]] = {
    "`deterministic`, `centred: true`": Deterministic(alpha=0.05, centred=True),
    "`martingale`": Martingale(alpha=0.05, delta=0.05),
    "`robust`, `parameters: tight`": Robust(alpha=0.05, delta=0.05, parameters="tight"),
    "`robust`, with the paper's constants, the default": Robust(alpha=0.05, delta=0.05),
    "`randomized`": Randomized(alpha=0.05),
}
"""The rows of the table."""
SITES: Final = (16, 256, 4096)
"""The numbers of sites of the table."""
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


def words(tracker: str, sites: int) -> str:
    """Return the words of a cell of the table: the larger ones of two games."""
    games = [play(TRACKERS[tracker], side, sites=sites, items=10**8) for side in (RoundRobin(), Freeze())]
    return f"{max(game.words for game in games):,}"


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


def cells(text: str) -> Iterator[tuple[str, int, re.Match[str], int]]:
    """Yield of each cell with words the tracker, the sites, and the match of its row with the group of the cell."""
    for tracker in TRACKERS:
        row = re.search(rf"^\| {re.escape(tracker)} \|.*\| ([\d,]+) · ([\d,]+) · ([\d,]+) \|", text, re.MULTILINE)
        assert row, tracker
        for group, sites in enumerate(SITES, 1):
            yield tracker, sites, row, group


def put(text: str, match: re.Match[str], group: int, value: str) -> str:
    """Return the text with another value in the place of a group."""
    return text[: match.start(group)] + value + text[match.end(group) :]


def rewrite(path: Path) -> None:
    """Write the numbers of a page anew."""
    text = path.read_text(encoding="utf-8")
    for pattern, value in NUMBERS.items():
        for match in reversed([*re.finditer(pattern, text)]):
            text = put(text, match, 1, value())
    if path.name == "README.md":
        for tracker, sites, row, group in sorted(cells(text), key=lambda cell: cell[2].start(cell[3]), reverse=True):
            text = put(text, row, group, words(tracker, sites))
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for page in PAGES.values():
        rewrite(page)
