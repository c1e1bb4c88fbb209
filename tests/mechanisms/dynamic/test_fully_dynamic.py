"""Insertions and deletions: exact without noise, exact privacy over all outcomes, and items without identity."""

from __future__ import annotations

import math
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms import FullyDynamic, InsertedMinusDeleted
from disttrack.mechanisms.dynamic.cutting import Cutter
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.mechanisms.static.linear import LaplaceQueries


def stream_of(rng: np.random.Generator, steps: int, domain: int) -> list[int]:
    """Return random updates: insertions, deletions of items that are there, a few of ones that are not, pauses."""
    live: list[int] = []
    codes = []
    for step in range(1, steps + 1):
        draw = rng.random()
        if draw < 0.5:
            codes.append(int(rng.integers(domain)) + 1)
            live.append(step)
        elif draw < 0.85 and live:
            codes.append(-live.pop(int(rng.integers(len(live)))))
        else:
            codes.append(int(draw > 0.93) * -step)
    return codes


def data_at(codes: list[int], step: int, domain: int) -> np.ndarray:
    """Return the counts after a step, from the definition."""
    live: dict[int, int] = {}
    for place, code in enumerate(codes[:step], start=1):
        if code > 0:
            live[place] = code - 1
        elif code < 0:
            live.pop(-code, None)
    found = Counter(live.values())
    return np.array([found[value] for value in range(domain)], dtype=float)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", [InsertedMinusDeleted, FullyDynamic])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_without_noise_answers_are_exact_where_segments_close(kind, seed: int) -> None:
    """With a budget so large that segments are short and nodes begin new rounds; a halted node may hide a few items."""
    rng = np.random.default_rng(seed)
    codes = stream_of(rng, 250, 3)
    run = kind(1e7, queries="points", domain=3).start(ScriptedNoise())
    released = 0
    for step, code in enumerate(codes, start=1):
        if run.step(code):
            released += 1
            np.testing.assert_allclose(run.answers, data_at(codes, step, 3), atol=0.2)
    assert released > 20
    sizes = [data_at(codes, step, 3).sum() for step in range(len(codes) + 1)]
    void = [code for step, code in enumerate(codes, 1) if code < 0 and sizes[step] == sizes[step - 1]]
    assert run.ignored == len(void)


def test_nodes_begin_new_rounds() -> None:
    """The budget above is large enough for that: a stream has eleven on average, and three of 400 had none."""
    restarts = 0
    for seed in range(3):
        run = FullyDynamic(1e7, queries="points", domain=3).start(ScriptedNoise())
        for code in stream_of(np.random.default_rng(seed), 250, 3):
            run.step(code)
        restarts += run.facts()["restarts"]
    assert restarts > 0


class Outputs:
    """Stands for the releases of a run: whatever the data, each draw has a given outcome, and the data are noted."""

    def __init__(self, monkeypatch, epsilon_share: float = 1.0) -> None:
        self.given: list[np.ndarray] = []
        self.seen: list[tuple[np.ndarray, float]] = []
        self.rng: np.random.Generator | None = None
        self.share = epsilon_share
        outputs = self

        def release(mechanism, counts, rng, paid=None):
            family = mechanism.family
            value = np.zeros(family.number) if counts is None else family.evaluate(counts)
            place = len(outputs.seen)
            outputs.seen.append((value, mechanism.scale))
            if outputs.rng is not None:  # any outcome is possible: mostly wild ones, so that rounds begin and end
                wild = outputs.rng.random() < 0.3
                noise = outputs.rng.normal(0, 1e5 if wild else 3 * mechanism.scale, family.number)
                outputs.given.append(value + noise)
            return outputs.given[place]

        monkeypatch.setattr(LaplaceQueries, "release", release)

        def cut(cutter, update):
            cutter._t += 1
            if cutter._t % 3:
                return False
            cutter._ledger.declare(cutter._t)
            cutter._begin()
            return True

        monkeypatch.setattr(Cutter, "step", cut)

    def play(self, mechanism, codes, rng=None):
        self.rng, self.seen = rng, []
        if rng is not None:
            self.given = []
        run = mechanism.start(np.random.default_rng(0))
        for code in codes:
            run.step(code)
        return run, self.seen

    @staticmethod
    def loss(one, other) -> float:
        """Return the distance of two runs with the same outcomes in units of the noise: their loss at most."""
        assert [scale for _, scale in one] == [scale for _, scale in other]
        return sum(np.abs(a - b).sum() / scale for (a, scale), (b, _) in zip(one, other, strict=True))


def worst_loss(mechanism, outputs: Outputs, rng: np.random.Generator, neighbour, runs: int = 20, steps: int = 30):
    """Return the largest loss of random runs over all neighbours that lack one update, and how many rounds began."""
    worst, rounds = 0.0, 0
    for _ in range(runs):
        codes = stream_of(rng, steps, 3)
        run, here = outputs.play(mechanism, codes, rng)
        rounds += int(run.facts().get("restarts", 0))
        for place, code in enumerate(codes):
            if code:
                worst = max(worst, outputs.loss(here, outputs.play(mechanism, neighbour(codes, place))[1]))
    return worst, rounds


def without(codes: list[int], place: int) -> list[int]:
    return [*codes[:place], 0, *codes[place + 1 :]]


@pytest.mark.slow
def test_no_outcome_tells_neighbours_apart_by_more_than_the_tree_was_given(monkeypatch) -> None:
    """Over random streams of 30 steps, all neighbours and outcomes that begin new rounds: at most epsilon / 2."""
    mechanism = FullyDynamic(1.0, queries="points", domain=3)
    worst, rounds = worst_loss(mechanism, Outputs(monkeypatch), np.random.default_rng(6), without)
    assert rounds > 15
    assert 0.1 < worst <= 0.5


def test_the_baseline_spends_a_quarter_on_each_of_its_streams(monkeypatch) -> None:
    mechanism = InsertedMinusDeleted(1.0, queries="points", domain=3)
    worst, _ = worst_loss(mechanism, Outputs(monkeypatch), np.random.default_rng(6), without)
    assert 0.25 < worst <= 0.5


def by_place(updates: list[int]) -> list[int]:
    """Return the codes of updates whose deletions, -1 - i, name the item at place i of the list of live ones."""
    live: list[int] = []
    codes = []
    for step, update in enumerate(updates, start=1):
        if update > 0:
            live.append(step)
        elif update < 0:
            update = -live.pop((-1 - update) % len(live)) if live else -step
        codes.append(update)
    return codes


def test_without_identities_one_update_moves_many_items(monkeypatch) -> None:
    """The control: items named by their place in a list. One insertion less, and later deletions take other items."""
    mechanism = FullyDynamic(1.0, queries="points", domain=3)
    outputs = Outputs(monkeypatch)
    rng = np.random.default_rng(2)
    updates = [int(rng.integers(3)) + 1 if step < 24 or step % 2 else -1 - int(rng.integers(24)) for step in range(224)]
    codes = by_place(updates)
    _, here = outputs.play(mechanism, codes, rng)
    right = max(outputs.loss(here, outputs.play(mechanism, without(codes, place))[1]) for place in range(3))
    wrong = outputs.loss(here, outputs.play(mechanism, by_place(without(updates, 0)))[1])
    assert right <= 0.5
    assert wrong > 0.5


@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted])
def test_a_deletion_before_its_insertion_does_nothing_and_is_counted(kind) -> None:
    run = kind(1e7, queries="points", domain=2).start(ScriptedNoise())
    for code in (-1, -7, 1, -3, -3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0):
        run.step(code)
    assert run.ignored == 3
    np.testing.assert_allclose(run.answers, [0, 1], atol=0.1)


def test_every_update_counts_in_the_partition_whether_it_finds_its_item_or_not() -> None:
    """So an insertion that is not there moves no later segment; the control counts only what changes the data."""

    class Counted(Cutter):
        __slots__ = ()
        seen: ClassVar[list[bool]] = []

        def step(self, update: bool) -> bool:
            self.seen.append(update)
            return super().step(update)

    for codes in ((1, -1, 1, 0), (0, -1, 1, 0)):
        Counted.seen = []
        run = FullyDynamic(1.0).start(np.random.default_rng(0))
        run._cutter.__class__ = Counted
        for code in codes:
            run.step(code)
        assert Counted.seen[1:] == [True, True, False]  # the first step is the one that differs


def test_budgets_of_levels_add_up() -> None:
    mechanism = FullyDynamic(2.0, 1e-6)
    shares = [mechanism.shares(level) for level in range(1, 20_000)]
    assert math.fsum(one.epsilon for one in shares) == pytest.approx(1.0, abs=1e-4)
    assert math.fsum(one.delta for one in shares) == pytest.approx(1e-6, rel=1e-4)


@pytest.mark.slow
def test_memory_follows_the_items_and_not_the_updates() -> None:
    import tracemalloc

    run = FullyDynamic(1.0).start(np.random.default_rng(0))
    peaks = []
    tracemalloc.start()
    for step in range(1, 60_001):
        run.step(1 if step % 2 or step < 200 else -(step - 151))
        if step in (20_000, 60_000):
            peaks.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert len(run.tree) < 500
    assert peaks[1] < 1.5 * peaks[0] + 1e6


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": 1.0, "delta": 1}, "delta must be"),
        ({"epsilon": 1.0, "queries": "half"}, "queries must be one of"),
        ({"epsilon": 1.0, "static": "gaussian"}, "delta must be above 0"),
        ({"epsilon": 1.0, "beta": 1}, "beta must be"),
        ({"epsilon": 1.0, "domain": 0}, "domain must be"),
    ],
)
@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted])
def test_nonsense_gets_one_line(kind, given, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kind(**given)
    with pytest.raises(ValueError, match="item 5 is not among"):
        kind(1.0).start(np.random.default_rng(0)).step(6)
