"""Games of content, played item by item with plain counters: what the engines and the problems are compared with."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from disttrack.adversaries.base import View
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.contents.task import ContentGame


def name_of(adversary: Any) -> str:
    """Return the name of an adversary for a test."""
    return f"{adversary.kind}-{getattr(adversary, 'period', '')}-{getattr(adversary, 'heaviest', '')}"


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
    sent, changes, before = Counter[str](), 0, {}
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
        answers = []
        for message in sites[site].receive(item, weight):
            sent[message.kind] += message.words
            answers += server.hear(site, message)
        for receiver, message in answers:
            assert receiver == -1
            sent[message.kind] += k * message.words
            assert not any(one.hear(message) for one in sites)
        truth = Counter[int]()
        for (_, one), count in copies.items():
            truth[one] += count
        if (now := {one: count for one, count in server.estimates.items() if count}) != before:
            before, changes = now, changes + 1
            view.record(changes=view.changes + 1)
            due = due if adversary.oblivious else step
        error = error_of(server, truth, truth.total())
        if error > worst:
            worst, worst_step = error, step
    return worst, worst_step, changes, sent


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
    assert games[0].series == games[1].series
    assert games[0].server.estimates == games[1].server.estimates
    record = task.game(tracker, adversary, sizes, seed=k)
    assert record.items == games[0].now == items
    assert record.max_rel_error == pytest.approx(float(plain.worst), abs=1e-12)
    words = Counter[str]()
    for kind, number in zip(record.kinds["kind"], record.kinds["words"], strict=True):
        words[kind] += number
    assert words == plain.sent
    assert record.verdict == ("ok" if plain.worst <= Fraction(str(tracker.alpha)) else "failed")
    return plain, record, games[0]
