"""Games of content, played item by item with plain counters: what the engines and the problems are compared with."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from disttrack.adversaries.base import View
from disttrack.mechanisms.compiler import available
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    FrequencySwitching,
    HeavyHitters,
    ItemSample,
    ItemTracker,
    RankDeterministic,
    RankRandomized,
)
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.contents.task import (
    ContentGame,
    HeavyHitterGame,
    ItemFrequency,
    RankGame,
    SampleGame,
    row_of,
)

TRACKERS: Final[dict[str, tuple[ItemTracker, ...]]] = {
    "frequency-deterministic": (FrequencyDeterministic(alpha=0.2), FrequencyDeterministic(alpha=0.01)),
    "frequency-sample": (FrequencySample(alpha=0.2, strength=2), FrequencySample(alpha=0.5, strength=0.01)),
    "frequency-randomized": (FrequencyRandomized(alpha=0.3, strength=1), FrequencyRandomized(alpha=0.05, strength=0.1)),
    "frequency-switching": (
        FrequencySwitching(alpha=0.9, strength=0.01, largest=1e4),
        FrequencySwitching(alpha=0.5, strength=0.001, largest=3000.0),
    ),
    "heavy-hitters": (
        HeavyHitters(alpha=0.1, phi=0.2),
        HeavyHitters(alpha=0.05, phi=0.06),
        HeavyHitters(alpha=0.3, phi=0.4, by="sample", strength=1),
        HeavyHitters(alpha=0.2, phi=0.3, by="randomized", strength=0.3),
    ),
    "item-sample": (ItemSample(alpha=0.5, size=1), ItemSample(alpha=0.3, size=40)),
    "rank-deterministic": (RankDeterministic(alpha=0.9), RankDeterministic(alpha=0.3)),
    "rank-randomized": (RankRandomized(alpha=0.9, strength=0.1), RankRandomized(alpha=0.5, strength=0.6)),
}
"""Of each kind with a form: parameters with which the scale grows often, or by much at once."""


def tasks_of(tracker: ItemTracker) -> list[ContentGame]:
    """Return the tasks that judge a tracker's answers."""
    return [
        task for task in (ItemFrequency(), HeavyHitterGame(), SampleGame(), RankGame()) if task.kind in tracker.plays
    ]


def facts(game: Any) -> dict[str, Any]:
    """Return all that a game leaves behind."""
    ledger = game.ledger
    return {
        **row_of(game),
        "series": game.series,
        "estimates": list(game.server.estimates.items()),
        "by site": (list(ledger.up_sites), list(ledger.down_sites)),
        "changes": game.problem.changes,
    }


def fed(k: int, held: Callable[[int, int], int]) -> list[Any]:
    """Return feeds of sites that are handed their items one by one: they know the copies of an item only."""
    return [SimpleNamespace(held=partial(held, site)) for site in range(k)]


def largest_share(server: Any, truth: Counter[int], total: int) -> Fraction:
    """Return the largest error of an estimate, over the number of items."""
    estimates = server.estimates
    return max(abs(Fraction(estimates.get(one, 0)) - truth[one]) for one in {*truth, *estimates}) / total


def largest_rank(server: Any, truth: Counter[int], step: int) -> Fraction:
    """Return the largest error of the sum of the estimates up to an item, over the number of items."""
    worst = off = 0
    for item in sorted({*truth, *server.estimates}):
        off += server.estimates.get(item, 0) - truth[item]
        worst = max(worst, abs(off))
    return Fraction(worst, step)


def largest_difference(server: Any, truth: Counter[int], step: int) -> Fraction:
    """Return the largest difference of the shares, in a sample and in the stream, of the items up to any one."""
    number, worst, here, there = sum(server.estimates.values()), Fraction(0), 0, 0
    for item in sorted({*truth, *server.estimates}):
        here, there = here + server.estimates.get(item, 0), there + truth[item]
        worst = max(worst, abs(Fraction(here, number) - Fraction(there, step)))
    return worst


def largest_of_lists(tracker: Any, server: Any, truth: Counter[int], total: int) -> Fraction:
    """Return by how much the share of an item is too small for the list, or too large to be left out."""
    errors = [Fraction(0)]
    for item in {*truth, *server.estimates}:
        off = Fraction(tracker.phi) - Fraction(truth[item], total)
        listed = tracker.lists(server.estimates.get(item, 0), server.total)
        errors.append(off if listed else Fraction(tracker.alpha) - off)
    return max(errors)


def errors_in_order(problem: Any) -> list[float]:
    """Return the error at the end of every step of a game on items in order, each time of all items."""
    names = problem.listed.names
    stream, sample = np.zeros((2, len(names)))
    errors, moves = [], [*problem.listed.moves.tolist()]
    for step, item in enumerate(problem.listed.stream, start=1):
        stream[item:] += 1
        while moves and moves[0][0] == step:
            _, moved, change = moves.pop(0)
            sample[moved:] += change
        size = step if problem.ranked else sample[-1]
        errors.append(float(np.abs(sample / size - stream / step).max()))
    return errors


def reference(
    tracker: Any, adversary: Any, error_of: Callable[[Any, Counter[int], int], Fraction], k: int, items: int, seed: int
) -> tuple[Fraction, int, int, Counter[str]]:
    """Play item by item, and return the largest error, its step, the changes, and the messages by kind."""
    rngs, copies = streams(seed, ContentGame.roles), Counter[tuple[int, int]]()
    sites = tracker.sites(k, rngs["sites"], feeds=fed(k, lambda site, item: copies[site, item]))
    server, adversary = tracker.server(k, rngs["server"]), copy.deepcopy(adversary)
    view = View(sites=k, items=items, rng=rngs["adversary"], known=tracker.as_mapping())
    view.record(output=server.estimates)
    plan, begun, due, worst, worst_step = None, 0, 0, Fraction(0), 0
    sent, truth, changes, before = Counter[str](), Counter[int](), 0, {}
    for step in range(1, items + 1):
        if due == step - 1:
            view.record(steps=step - 1, sent=step - 1)
            if (asked := adversary.plan(view)) is not None and asked is not plan:
                plan, begun = asked, step - 1
            due = begun + plan.length
        place = (step - begun - 1) % len(plan.labels)
        site, item = int(plan.labels[place]), int(plan.contents[place])
        weight = 1 if plan.weights is None else int(plan.weights[place])
        copies[site, item] += weight
        truth[item] += weight
        answers = []
        for message in sites[site].receive(item, weight):
            sent[message.kind] += message.words
            answers += server.hear(site, message)
        for receiver, message in answers:
            assert receiver == -1
            sent[message.kind] += k * message.words
            assert not any(one.hear(message) for one in sites)
        if (now := {one: count for one, count in server.estimates.items() if count}) != before:
            before, changes = now, changes + 1
            view.record(changes=view.changes + 1)
            due = due if adversary.oblivious else step
        error = error_of(server, truth, truth.total())
        if error > worst:
            worst, worst_step = error, step
    return worst, worst_step, changes, sent


def hold_same(task: ContentGame, tracker: Any, adversary: Any, k: int, items: int) -> dict[str, Any]:
    """Assert that `leap` and compiled functions, where there are any, play one game; return its facts."""
    sizes, listed = {"sites": k, "items": items}, getattr(adversary, "heaviest", 1) > 1
    by_leap = facts(task.match(tracker, adversary, sizes, seed=k, engine="leap"))
    if available() and not listed:
        assert facts(task.match(tracker, adversary, sizes, seed=k, engine="compiled")) == by_leap, (tracker, k, items)
    return by_leap


class Plain(NamedTuple):
    """A plain game: its largest error and the step of it, how often estimates changed, and the words by message."""

    worst: Fraction
    worst_step: int
    changes: int
    sent: Counter[str]


def as_plain(
    task: ContentGame, tracker: Any, adversary: Any, error_of: Callable[..., Fraction], k: int, items: int
) -> tuple[Plain, Any, Any]:
    """Assert that both engines play one game, the plain one; return that, the record and the game itself."""
    plain = Plain(*reference(tracker, adversary, error_of, k, items, seed=k))
    sizes = {"sites": k, "items": items}
    games = [task.match(tracker, adversary, sizes, seed=k, engine=engine, record=True) for engine in ("step", "leap")]
    assert games[0].transcript == games[1].transcript
    by_leap = hold_same(task, tracker, adversary, k, items)
    assert facts(games[0]) == facts(games[1]) == by_leap
    record = task.game(tracker, adversary, sizes, seed=k)
    assert record.items == games[0].now == items
    assert record.max_rel_error == pytest.approx(float(plain.worst), abs=1e-12)
    words = Counter[str]()
    for kind, number in zip(record.kinds["kind"], record.kinds["words"], strict=True):
        words[kind] += number
    assert words == plain.sent
    assert record.verdict == ("ok" if plain.worst <= Fraction(str(tracker.alpha)) else "failed")
    return plain, record, games[0]
