"""The privacy of whole dynamic mechanisms: both streams are played with the same cuts and the same answers forced.

Whatever an observer sees is then a transcript that both streams can give, and its log-likelihoods follow exactly: of a
release from the density of its noise, of the end of a segment by an integral over the threshold of its test.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_factorised_difference import updates

from disttrack.privacy.mechanisms import FullyDynamic, InsertedMinusDeleted, PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import Cutter
from disttrack.privacy.mechanisms.static.base import LaplaceQueries
from disttrack.privacy.tasks.audit.exact_losses import MeasuredTest, log_chance

CUTS = (0, 2, 4, 7, 10, 13, 16, 19, 22, 25, 28)
"""Where segments end; the first two by time, which is squared with each."""


class Release(NamedTuple):
    """A release: the exact answers, its noise's scale, its delta, and what was forced to come out."""

    exact: np.ndarray
    scale: float
    delta: float
    answers: np.ndarray


class Replay:
    """Plays a mechanism with its outcomes forced, and notes what they were made from."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.releases: list[Release] = []
        self.updates: dict[int, list[bool]] = {}
        self.partitions: list[Any] = []
        self.answers: list[np.ndarray] = []
        self.rng: np.random.Generator | None = None
        replay = self

        def release(mechanism: Any, counts: Any, rng: Any, paid: Any = None) -> np.ndarray:
            family, place = mechanism.family, len(replay.releases)
            exact = np.zeros(family.number) if counts is None else family.evaluate(counts)
            if replay.rng is not None:  # often wild, so that rounds begin and end
                spread = 1e5 if replay.rng.random() < 0.3 else 3 * mechanism.noise.scale
                replay.answers.append(exact + replay.rng.normal(0, spread, family.number))
            replay.releases.append(Release(exact, mechanism.noise.scale, mechanism.delta, replay.answers[place]))
            return replay.answers[place]

        def cut(cutter: Any, update: bool) -> bool:
            if id(cutter) not in replay.updates:
                replay.updates[id(cutter)] = []
                replay.partitions.append(cutter._partition)
            seen = replay.updates[id(cutter)]
            seen.append(update)
            return len(seen) in CUTS

        monkeypatch.setattr(LaplaceQueries, "release", release)
        monkeypatch.setattr(Cutter, "step", cut)

    def play(self, mechanism: Any, codes: list[int], rng: np.random.Generator | None = None) -> Any:
        """Play; with a generator the outcomes are drawn, without one they are those of the last time."""
        self.rng, self.releases, self.updates, self.partitions = rng, [], {}, []
        if rng is not None:
            self.answers = []
        self.run = mechanism.start(np.random.default_rng(0))
        for code in codes:
            self.run.step(code)
        return self.releases, list(zip(self.partitions, self.updates.values(), strict=True))


def loss_of_releases(one: list[Release], other: list[Release]) -> float:
    """Return the log-likelihood ratio of the answers."""
    parts = [
        (np.abs(b.answers - b.exact) - np.abs(a.answers - a.exact)).sum() / a.scale
        for a, b in zip(one, other, strict=True)
    ]
    return float(sum(parts))


@cache
def log_of_end(threshold: float, epsilon: float, sums: tuple[float, ...], fires: float | None) -> float:
    """Return the log-likelihood of the end of a segment; a missing update leaves nearly all of them as they are."""
    test = MeasuredTest(threshold, 2 / epsilon, 4 / epsilon)
    return log_chance(test, [(value, 1) for value in sums], fires)


def loss_of_cuts(one: Any, other: Any) -> float:
    """Return the log-likelihood ratio of the ends of all segments: each is silence up to a step, and firing there."""
    logs = [0.0, 0.0]
    for stream, cutters in enumerate((one, other)):
        for partition, seen in cutters:
            for number, (begin, end) in enumerate(pairwise(CUTS), start=1):
                deadline = max(2, begin**2)
                sums = np.cumsum(seen[begin:end]).astype(float).tolist()
                fires = None if end == deadline else sums[-1]
                threshold = partition.threshold(number, deadline)
                logs[stream] += log_of_end(threshold, partition.epsilon, tuple(sums[:-1]), fires)
    return logs[0] - logs[1]


def worst(mechanism: Any, replay: Replay, streams: int, seed: int) -> tuple[float, float, float, int]:
    """Return the largest loss, what cuts alone lose, the largest delta of the releases that differ, and the rounds."""
    rng, loss, of_cuts, delta, rounds = np.random.default_rng(seed), 0.0, 0.0, 0.0, 0
    for _ in range(streams):
        codes = updates(rng, 28, 3)
        here, cuts = replay.play(mechanism, codes, rng)
        rounds += int(replay.run.facts().get("restarts", 0))
        for place in np.flatnonzero(codes):
            there, other_cuts = replay.play(mechanism, [*codes[:place], 0, *codes[place + 1 :]])
            by_cuts = loss_of_cuts(cuts, other_cuts)
            loss = max(loss, abs(loss_of_releases(here, there) + by_cuts))
            of_cuts = max(of_cuts, abs(by_cuts))
            moved = [(one, np.abs(one.exact - other.exact).sum()) for one, other in zip(here, there, strict=True)]
            assert max(by for _, by in moved) <= 1  # no release sees two changes: a deletion that comes later, or never
            delta = max(delta, sum(one.delta for one, by in moved if by))
    return loss, of_cuts, delta, rounds


@pytest.mark.slow
@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted])
def test_a_whole_mechanism_loses_epsilon_and_delta_at_most(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All neighbours of random streams, also where a deletion is made now or by a later one: partition and releases
    together are within epsilon, and the releases that differ are given delta at most."""
    loss, of_cuts, delta, rounds = worst(kind(1.0, 1e-6, "points", 3), Replay(monkeypatch), 6, 6)
    assert 0.2 < loss <= 1.0
    assert 0 < of_cuts < 0.5
    assert 1e-7 < delta <= 1e-6
    assert rounds > 2 or kind is InsertedMinusDeleted


@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted])
def test_a_deletion_now_or_later_costs_no_more(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The item of step 1 goes in step 5 or, that update missing, in step 18: several segments and releases differ."""
    codes = [1, 2, 3, 1, -1, 2, 1, 1, *(0,) * 9, -1, *(0,) * 10]
    mechanism, replay = kind(1.0, 1e-6, "points", 3), Replay(monkeypatch)
    here, cuts = replay.play(mechanism, codes, np.random.default_rng(1))
    there, other_cuts = replay.play(mechanism, [*codes[:4], 0, *codes[5:]])
    moved = [(a, np.abs(a.exact - b.exact).sum()) for a, b in zip(here, there, strict=True)]
    assert sum(by > 0 for _, by in moved) > 3
    assert max(by for _, by in moved) == 1
    assert sum(one.delta for one, by in moved if by) <= 1e-6
    assert abs(loss_of_releases(here, there) + loss_of_cuts(cuts, other_cuts)) <= 1.0


def test_two_streams_with_the_whole_budget_each_lose_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a missing insertion changes both streams of the baseline, and none of the other's bound holds."""

    class Bold(InsertedMinusDeleted):
        @property
        def half(self) -> Any:
            return InsertedMinusDeleted(2 * self.epsilon, 2 * self.delta, self.queries, self.domain).half

        def budget(self, ledger: PrivacyLedger | None) -> PrivacyLedger:
            return PrivacyLedger("twice", 2 * self.epsilon, 2 * self.delta)

    codes = [1, *(0,) * 9, -1, *(0,) * 17]
    replay = Replay(monkeypatch)

    def most(mechanism: Any) -> float:
        here, cuts = replay.play(mechanism, codes, np.random.default_rng(3))
        there, other_cuts = replay.play(mechanism, [0, *codes[1:]])
        spread = sum(np.abs(a.exact - b.exact).sum() / a.scale for a, b in zip(here, there, strict=True))
        return float(spread) + abs(loss_of_cuts(cuts, other_cuts))

    right = most(InsertedMinusDeleted(1.0, 1e-6, "points", 3))
    assert 0.3 < right <= 1.0
    assert most(Bold(1.0, 1e-6, "points", 3)) > 1.9 * right
