"""What every tracker of items with content must do, and every adversary that chooses items."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from disttrack.adversaries.contents import FreezeItem, ItemAdversary, UniformItems, ZipfItems
from disttrack.protocols.contents import FrequencyDeterministic, FrequencySample, HeavyHitters, ItemTracker
from disttrack.simulator.conformance.facts import refuses, states
from disttrack.simulator.conformance.failure import COINS, SAME_GAME, Checks, keeps_delta, require, unless
from disttrack.simulator.conformance.protocols import NONSENSE
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.engines.contents import ContentEngine, ContentLeap, ContentStep

OPPONENTS: Final = (
    ZipfItems(domain=20),
    ZipfItems(domain=20, period=37),
    UniformItems(domain=5, period=100),
    FreezeItem(items=3),
)
"""Streams of fewer items than any tracker is made for, by default, and an attack."""
WEIGHTY: Final = ZipfItems(domain=5, period=100, heaviest=10_000)
"""A stream for what takes weights."""
TRACKERS: Final = (
    FrequencyDeterministic(alpha=0.2),
    FrequencySample(alpha=0.2),
    HeavyHitters(alpha=0.2, phi=0.3),
)
"""What adversaries of items play against: they take weights."""


def match(
    tracker: ItemTracker,
    adversary: ItemAdversary,
    k: int,
    items: int,
    *,
    task: str = "",
    engine: type[ContentEngine] = ContentLeap,
) -> ContentEngine:
    """Return a recorded game after its last step, of the tracker's first task unless another one is given."""
    problem = PROBLEMS[task or tracker.plays[0]]
    game = engine(tracker, copy.deepcopy(adversary), problem, sites=k, items=items, seed=k, record=True)
    game.play()
    return game


def _same(one: ContentEngine, other: ContentEngine) -> bool:
    return (one.transcript, one.series, one.problem.row()) == (other.transcript, other.series, other.problem.row())


def _engines_agree(pairs: Sequence[tuple[ItemTracker, ItemAdversary]], sites: Sequence[int], items: int) -> Checks:
    for k in sites:
        for tracker, adversary in pairs:
            games = [match(tracker, adversary, k, items, engine=engine) for engine in (ContentStep, ContentLeap)]
            where = f"{k} sites, {tracker.kind}, {adversary.kind}"
            require(_same(*games), f"step and leap play different games ({where})", SAME_GAME)
            yield None


# ---------------------------------------------------------------------- trackers


def _games(tracker: ItemTracker, sites: Sequence[int], items: int) -> Iterator[ContentEngine]:
    for k in sites:
        for task in tracker.plays:
            for opponent in _opponents(tracker, task):
                yield match(tracker, opponent, k, items, task=task)


def _opponents(tracker: ItemTracker, task: str) -> Sequence[ItemAdversary]:
    return (*OPPONENTS, WEIGHTY) if tracker.weighs and PROBLEMS[task].weighs else OPPONENTS


def _states_its_facts(tracker: ItemTracker, sites: Sequence[int], items: int) -> Checks:
    words = {"guarantee": ("always", "adaptive", "oblivious", "none")}
    yield from states(tracker, ("kind", "source", "reveals"), words, parameters=True)
    known = [task for task in tracker.plays if task in PROBLEMS]
    mend = f"name the tasks that it is made for in `plays`: {', '.join(PROBLEMS)}"
    yield unless(known and len(known) == len(tracker.plays), f"plays {', '.join(tracker.plays) or 'nothing'}", mend)
    for k in sites:
        bounds = [tracker.cost_bound(k, 10**power) for power in range(2, 10)]
        growing = bounds[0] > 0 and bounds == sorted(bounds)
        mend = "let cost_bound return the most words of a game, which grow with its items"
        yield unless(growing, f"cost_bound at {k} sites is {bounds}", mend)


def _refuses_nonsense(tracker: ItemTracker, sites: Sequence[int], items: int) -> Checks:
    return refuses(tracker, NONSENSE)


def _step_and_leap_agree(tracker: ItemTracker, sites: Sequence[int], items: int) -> Checks:
    return _engines_agree([(tracker, one) for one in _opponents(tracker, tracker.plays[0])], sites, items)


def _ledger_adds_up(tracker: ItemTracker, sites: Sequence[int], items: int) -> Checks:
    for game in _games(tracker, sites, items):
        rows = game.transcript or []
        counted, listed = (game.ledger.messages, game.ledger.words), (len(rows), sum(row[4] for row in rows))
        mend = "return messages to the engine, and send none in another way"
        require(counted == listed, f"counts {counted} messages and words, but sends {listed}", mend)
        yield None


def _keeps_its_promise(tracker: ItemTracker, sites: Sequence[int], items: int) -> Checks:
    """Right always, or failing in no more games than its delta explains (exact binomial, FALSE_ALARM)."""
    yield None
    played = failed = 0
    for game in _games(tracker, sites, items):
        if tracker.guarantee == "none" or (tracker.guarantee == "oblivious" and not game.adversary.oblivious):
            continue
        verdict = game.problem.row()["verdict"]
        played, failed = played + 1, failed + (verdict == "failed")
        mend = "guarantee = 'always' means at every step; with chance it is 'oblivious' at most"
        require(tracker.guarantee != "always" or verdict == "ok", "says always right, but failed", mend)
    if delta := getattr(tracker, "delta", None):
        keeps_delta(failed, played, delta)


TRACKER_CHECKS: Final[Mapping[str, Any]] = {
    "states its facts": _states_its_facts,
    "refuses nonsense": _refuses_nonsense,
    "step and leap agree": _step_and_leap_agree,
    "ledger adds up": _ledger_adds_up,
    "keeps its promise": _keeps_its_promise,
}


# ---------------------------------------------------------------------- adversaries


def _adversary_states_its_facts(adversary: ItemAdversary, sites: Sequence[int], items: int) -> Checks:
    return states(adversary, ("kind", "source"), {}, parameters=False)


def _adversary_steps_and_leaps(adversary: ItemAdversary, sites: Sequence[int], items: int) -> Checks:
    return _engines_agree([(tracker, adversary) for tracker in TRACKERS], sites, items)


def _games_are_apart(adversary: ItemAdversary, sites: Sequence[int], items: int) -> Checks:
    before = pickle.dumps(copy.deepcopy(adversary))
    for k in sites:
        for tracker in TRACKERS:
            same = _same(*(match(tracker, adversary, k, items) for _ in range(2)))
            mend = f"{COINS}; state of one game must not reach the next"
            require(same, "two games with the same seed differ", mend)
            mend = "keep what is learned in fields that a deep copy copies: each game plays a copy"
            require(pickle.dumps(copy.deepcopy(adversary)) == before, "a game changes the adversary handed in", mend)
            yield None


def _oblivious_if_it_says_so(adversary: ItemAdversary, sites: Sequence[int], items: int) -> Checks:
    """The items of each site are the same whatever the tracker: the problems count them from the plans alone."""
    yield None
    if not adversary.oblivious:
        return
    for k in sites:
        games = [match(tracker, adversary, k, items) for tracker in TRACKERS[:2]]
        cells = [game.copies() for game in games]
        mend = "say oblivious = True only if plan(view) never looks at the estimates, nor at when it is asked"
        require(cells[0] == cells[1], f"says oblivious, but moves otherwise on other estimates ({k} sites)", mend)


ITEM_ADVERSARY_CHECKS: Final[Mapping[str, Any]] = {
    "states its facts": _adversary_states_its_facts,
    "step and leap agree": _adversary_steps_and_leaps,
    "games are apart": _games_are_apart,
    "oblivious if it says so": _oblivious_if_it_says_so,
}
