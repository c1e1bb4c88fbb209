"""What the tables of numbers on this wing's pages are compared with, and those of other pages with its scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from core_numbers import SEARCHED, number, shortest
from number_tables import NUMBER, Compared, Within, recorded

from disttrack import Block, Martingale, Randomized
from disttrack.attack.search.exact_game import ExactGame, History
from disttrack.simulator.experiments.claims.statistics import clopper_pearson

TINY: Final = Randomized(alpha=0.5, confidence=0.5)
TRACKERS: Final[dict[str, Any]] = {
    "`block`, alpha 0.5, c 0.25": Block(alpha=0.5, confidence=0.25),
    "`randomized`, alpha 0.5, c 0.5": TINY,
    "`martingale`, alpha 0.5, `simple`, strength 0.5": Martingale(alpha=0.5, parameters="simple", strength=0.5),
}
"""The trackers of the table of learned tables."""


def environment(name: str, *_: str) -> Sequence[Any]:
    """Return tracker, sites, items and items of an action that the module registers."""
    from disttrack.gym import IDS

    of: Any = IDS[name.strip("`")]
    assert of["protocol"]["alpha"] == 0.1
    burst = of.get("burst", 1)
    return f"`{of['protocol']['kind']}`", of["sites"], of["items"], burst if burst == 1 else f"up to {burst}"


@cache
def tiny(sites: int, items: int, measure: Any) -> ExactGame:
    return ExactGame(TINY, sites=sites, items=items, measure=measure)


def fed(rule: str, sites: int) -> Callable[[History], int]:
    """Return a strategy as a function of the sites and outputs so far."""

    def freeze(history: History) -> int:
        site, before = 0, 0.0
        for last, output in history:
            site = last if output == before else (last + 1) % sites
            before = output
        return site

    rules: dict[str, Callable[[History], int]] = {
        "`round-robin`": lambda history: len(history) % sites,
        "`freeze`": freeze,
        "one site only": lambda history: 0,
    }
    return rules[rule]


def best(name: str, *_: str) -> Sequence[Any]:
    """Return the exact values of a strategy in the two tiny games: failures, and largest errors."""
    rule = name.removesuffix(", exactly")
    if rule == name:
        return [None] * 4
    games = [(k, items, measure) for k, items in ((2, 10), (3, 8)) for measure in ("failure", "error")]
    return [float(tiny(*game).value(None if "best" in rule else fed(rule, game[0]))) for game in games]


def learned(tracker: str, k: str, items: str, *others: str) -> Sequence[Any]:
    """Return the exact values, and the gap that the value of the table leaves of its rounded numbers."""
    _, exact, table, *_, found = others
    sizes = {"sites": int(k), "items": int(items)}
    reacting, seeing, fixed = (
        float(ExactGame(TRACKERS[tracker], **sizes, sees=sees).value()) if shown else ""
        for sees, shown in (("outputs", exact), ("state", others[4]), ("nothing", found))
    )
    gap = Within(100 * (1 - float(table) / float(exact)), 100 * 0.0005 * 2 / float(exact) + 0.05)
    return [reacting, None, gap, seeing, fixed, None]


def searched(*row: str) -> Sequence[Any]:
    """Return the interval of the probability that a game fails, by how many did."""
    failed, games = (int(number(one)) for one in NUMBER.findall(row[-1])[:2])
    low, high = (100 * bound for bound in clopper_pearson(failed, games))
    shown = [high] if failed == 0 else [low] if failed == games else [low, high]
    return [None, None, None, None, (failed, games, *(Within(bound, 1 if bound > 10 else 0.05) for bound in shown))]


def decided(name: str, *_: str) -> Sequence[Any]:
    """Return the failures and the errors with noise, and the failures of its control without."""
    games, broken = recorded("power"), recorded("power", "controls")
    games = games[games["part"] == "noise"]
    control = broken[broken["claim"].str.startswith("with its noise")]
    assert set(control["adversary"] + control["side"]) == {"trialbelow"}
    if name == "`trial` below":
        mine = games[games["side"] == "below"]
        without: Sequence[Any] = [((control["verdict"] == "failed").sum(), len(control)), ends(control)]
    elif "drain" in name:
        return [None] * 4
    else:
        mine, without = games[games["side"] != "below"], [None, None]
    of_one = len(mine) // mine.groupby(["adversary", mine["side"].fillna("")]).ngroups
    return [((mine["verdict"] == "failed").sum(), of_one), ends(mine), *without]


def ends(games: Any) -> tuple[float, float]:
    over = games["max_rel_error"] / games["alpha"]
    return over.min(), over.max()


TABLES: Final = (
    Compared("attackers.md", "A learner in the adversary's place", cells=environment),
    Compared(
        "tables/searches.md", "Tiny games", cells=best, slow=True,
        by_hand="trained by 6,000 games: `train` of examples/train_policy.py",
    ),
    Compared(
        "tables/searches.md", "Tables that are learned", given=4, cells=learned, slow=True,
        by_hand="searches of half a minute each: `disttrack attack`",
    ),
    Compared(
        "tables/searches.md", "What the search finds", given=2, cells=searched,
        by_hand="hours: `python -m benchmarks.attackers`",
    ),
    Compared(
        "tables/searches.md", "Faults that searches find",
        by_hand="searches of 1 to 15 s each: `disttrack attack --network`, with the budget in the first column",
    ),
    Compared(
        "tables/searches.md", "Machines with few bits", given=2,
        by_hand="searches: `disttrack attack --memory B`",
    ),
    Compared("tables/shortest-games.md", "The shortest failing games", given=3, cells=shortest, by_hand=SEARCHED),
    Compared(
        "tables/proofs.md", "Noise at 512 sites", cells=decided,
        by_hand="games against a tracker without noise take seconds each: `broken(robust, 'no-noise')`",
    ),
)  # fmt: skip
