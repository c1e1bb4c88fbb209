"""What the tables of numbers on the core's pages are compared with; those of a wing are with the wing's tests."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, expm1, log, log1p, pi, sqrt
from typing import Any, Final

from number_tables import Compared, Within, recorded

from benchmarks import words
from disttrack import Deterministic, Freeze, Martingale, Randomized, Robust, RoundRobin, play
from disttrack.protocols.rounds.coin_rounds import plan_of, share_of, words_of
from disttrack.protocols.rounds.constants import paper_constants, tight_constants, tight_round

DELTA: Final = 0.05


def number(text: str) -> float:
    """Return a number as pages write it: with commas, as a fraction or as a power of two."""
    top, _, bottom = text.replace(",", "").partition("/")
    base, _, power = top.partition("^")
    return float(base) ** float(power or 1) / float(bottom or 1)


def size(text: str) -> tuple[int, float]:
    """Return sites and alpha of a cell `k, alpha`."""
    k, alpha = map(number, text.split(", "))
    return int(k), alpha


def mean_words(tracker: Any, k: int, start: int, power: int, games: int) -> float:
    """Return the words of games while the items grow by e, on average over growth by a power of it."""
    items = round(start * expm1(power))
    options: dict[str, Any] = {"sites": k, "items": items, "start": start}
    played = [play(tracker, RoundRobin(), **options, seed=seed).words for seed in range(games)]
    return sum(played) / games / power


# README.md

TRACKERS: Final[dict[str, Any]] = {
    "`deterministic`, `centred: true`": Deterministic(alpha=0.05, centred=True),
    "`martingale`": Martingale(alpha=0.05, delta=0.05),
    "`robust`, `parameters: tight`": Robust(alpha=0.05, delta=0.05, parameters="tight"),
    "`robust`, with the paper's constants, the default": Robust(alpha=0.05, delta=0.05),
    "`randomized`": Randomized(alpha=0.05),
}


def readme(name: str, *_: str) -> Sequence[Any]:
    """Return the larger words of two games at each number of sites."""
    pairs = [
        [play(TRACKERS[name], side, sites=sites, items=10**8).words for side in (RoundRobin(), Freeze())]
        for sites in (16, 256, 4096)
    ]
    return [None, tuple(map(max, pairs)), None]


# tables/proofs.md


def martingale(name: str, *_: str) -> Sequence[Any]:
    """Return the first round and the computed words; and the measured ones of games that take no more than a second."""
    k, alpha = size(name)
    first = plan_of(k, alpha, share_of(k, alpha, DELTA, 1))
    items = round(10**10 * exp(16))
    computed = words_of(k, alpha, delta=DELTA, items=items, start=10**10) / 16
    measured: list[float | None] = [None, None, None]
    if k <= 256:
        tight, simple = (
            mean_words(Martingale(alpha, parameters=parameters), k, 10**10, 16, 3) for parameters in ("tight", "simple")
        )
        measured = [tight, simple, tight / simple]
    return [first.signals / k, first.growth, computed, *measured]


# tables/proofs.md, robust


def constants(name: str, *_: str) -> Sequence[Any]:
    k = int(number(name))
    alpha = 1 / sqrt(k)
    kind = tight_constants(k, DELTA, 32, alpha).counter
    mine = tight_round(k, 6 * DELTA / (pi**2 * 36 * 32), alpha, kind)
    return (
        f"`{kind}`",
        mine.budget,
        paper_constants(k, DELTA, 40).divisor,
        mine.phases,
        mine.phase_length,
        mine.phase_length / 2,
        (mine.noise_up + mine.noise_down) / 2,
        mine.generalisation,
        mine.leaked / 2,
    )


def tight(name: str, *_: str) -> Sequence[Any]:
    """Return words over k: those of deterministic trackers by formulas, others of games up to 256 sites."""
    k, alpha = size(name)
    deterministic = (1 / log1p(alpha), 1 / log((1 + alpha) / (1 - alpha)))
    if k > 256:
        return [deterministic, *[None] * 5]
    trackers = [
        Robust(alpha, parameters="paper"),
        *(Robust(alpha, parameters="tight", counter=counter) for counter in ("binary", "k-ary", "best")),
        Martingale(alpha),
    ]
    return [deterministic, *(mean_words(tracker, k, 10**9, 8, 3) / k for tracker in trackers)]


# tables/robustness.md


def robustness(k: str, alpha: str, *shown: str) -> Sequence[Any]:
    """Return words over k, by formulas; of those with coins, where that takes seconds; else the ratio shown."""
    size, share = int(number(k)), float(alpha)
    known = (words.deterministic(size, share) / size, words.least_known(size, share)[0] / size)
    if share < 0.1:
        price = number(shown[1]) / number(shown[0])
        return [None, None, None, *known, Within(price, 0.01 * price)]
    mine = [one(size, share) / size for one in (words.oblivious, words.memoryless, words.partial_privacy)]
    return [*mine, *known, mine[1] / mine[0]]


# tables of reference results


def shortest(scenario: str, tracker: str, adversary: str, *_: str) -> Sequence[Any]:
    """Return the words of the first game that fails; the searches end by the clock."""
    games = recorded(scenario)
    protocol, _, alpha = tracker.partition(", α ")
    name, _, parameters = adversary.replace("`", "").partition(" ")
    mine = games[(games["protocol"] == protocol) & (games["adversary"] == name) & (games["alpha"] == float(alpha))]
    for word in parameters.strip("()").replace("of ", "of=").split(", ") if parameters else []:
        key, value = word.replace("=", " ").split(" ")
        if key in mine:  # all replays are of `posterior`
            mine = mine[mine[key].astype(str).str.removesuffix(".0") == value]
    failed = mine[mine["verdict"] == "failed"]
    return [set(failed["messages"]), *[None] * 6]


SEARCHED: Final = "the searches end by the clock: `disttrack replay SCENARIO --point N --shortest adversary`"

TABLES: Final = (
    Compared("README.md", "Which tracker", cells=readme, slow=True),
    Compared("contents.md", "The trackers", given=4, cells=lambda *row: [None], by_hand="formulas, proved below"),
    Compared(
        "tables/proofs.md", "Words of martingale", cells=martingale, slow=True,
        by_hand="larger games take up to half a minute: `mean_words` with their sizes",
    ),
    Compared("tables/proofs.md", "Constants of robust", cells=constants, slow=True),
    Compared(
        "tables/proofs.md", "Words of robust", cells=tight, slow=True,
        by_hand="larger games take minutes: `mean_words` with their sizes",
    ),
    Compared("tables/proofs.md", "Rounds of robust without noise", elsewhere="tests/statistical/test_noise_matters.py"),
    Compared(
        "tables/robustness.md", "What robustness costs", given=2, cells=robustness, slow=True,
        by_hand="a smaller alpha takes minutes: `python -m benchmarks.costs`",
    ),
    Compared("tables/proofs.md", "Small cases", elsewhere="tests/statistical/small_rows.py"),
)  # fmt: skip
