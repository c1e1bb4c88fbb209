"""Small parts by hand: releases over stretches, segments at once, views of a state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import (
    ContinualOutput,
    Fresh,
    Gaussian,
    GaussianQueries,
    Laplace,
    LaplaceQueries,
    Ledger,
    Overdrawn,
    PerItem,
    PrivatePartition,
)  # fmt: skip
from disttrack.mechanisms.counters.base import Counter, Run
from disttrack.mechanisms.dynamic.cutting import Cutter
from disttrack.mechanisms.dynamic.releases import HybridReleases, ReleaseTree
from disttrack.mechanisms.noise import Draws
from disttrack.mechanisms.scripted_noise import Batch, ScriptedNoise, response


@pytest.mark.parametrize("after", [0, 5])
def test_releases_over_stretches(after: int) -> None:
    """Which stretch a tree releases at which level, and which items it declares."""
    static = GaussianQueries(3.0, 3e-3)
    ledger = Ledger("l", 3.0, 3e-3)
    tree = ReleaseTree(static, 3, ScriptedNoise(), ledger, **({"after": after} if after else {}))  # type: ignore[arg-type]
    seen = []
    for step in range(1, 8):
        answers = tree.step(np.array([float(step)]) if step % 3 else None)
        assert answers[0] == sum(one for one in range(1, step + 1) if one % 3)
        seen.append([level for level, _ in tree.nodes])
    assert seen == [[1], [2], [2, 1], [3], [3, 1], [3, 2], [3, 2, 1]]
    assert [(part.name, part.epsilon, part.delta, part.rule, part._end) for part in ledger.parts] == [
        ("level 1", 1.0, 1e-3, "parallel", after + 7), ("level 2", 1.0, 1e-3, "parallel", after + 6),
        ("level 3", 1.0, 1e-3, "parallel", after + 4),
    ]  # fmt: skip
    assert [part.uses["release"].count for part in ledger.parts] == [4, 2, 1]
    assert ReleaseTree.parts(static, 3, 2) == [(GaussianQueries(1.0, 1e-3), 2)]
    half = GaussianQueries(1.5, 1.5e-3)
    for steps, power in ((1, 0), (2, 1), (3, 1), (4, 2), (9, 3)):
        each = max(1, power)
        assert HybridReleases.parts(static, steps) == [
            (half, power + 1), (GaussianQueries(1.5 / each, 1.5e-3 / each), power),
        ]  # fmt: skip
    assert HybridReleases.parts(static, 0) == []


@pytest.mark.parametrize("after", [0, 5])
def test_releases_of_epochs(after: int) -> None:
    ledger = Ledger("l", 2.0)
    releases = HybridReleases(LaplaceQueries(2.0), ScriptedNoise(), ledger, **({"after": after} if after else {}))  # type: ignore[arg-type]
    assert releases.answers.tolist() == [0.0]
    for step in range(1, 20):
        assert releases.step(np.array([1.0]) if step != 4 else None)[0] == step - (step >= 4)
        epochs, trees = ledger.parts
        last = 1 << (step.bit_length() - 1)
        assert epochs._end == after + last
        assert trees._end == (None if step < 3 else after + 2 * (1 << ((step - 1).bit_length() - 1)) - 1) or step in (
            4,
            8,
            16,
        )
    assert [(part.name, part.epsilon, part.delta, part.rule) for part in (epochs, trees)] == [
        ("epochs", 1.0, 0.0, "parallel"), ("within epochs", 1.0, 0.0, "parallel"),
    ]  # fmt: skip
    assert epochs.uses["release"].count == 5
    assert trees.made == {"tree": 4}
    assert epochs.spent[0] == trees.spent[0] == 1.0


@pytest.mark.parametrize("horizon", [None, 2500])
@pytest.mark.parametrize("seed", range(3))
def test_segments_that_close_at_once_are_those_step_by_step(horizon: int | None, seed: int) -> None:
    partition = PrivatePartition(2.0, horizon, 0.1)
    numbers = (np.random.default_rng(seed).random(2500) < 0.4).astype(float)
    one, many = (partition.start(np.random.default_rng(seed)) for _ in range(2))
    expected = [(place, items) for place, x in enumerate(numbers) if (items := one.step(x)) is not None]
    assert many.closings(numbers) == expected
    assert len(expected) >= 5
    assert (one.t, one.count, one.segments) == (many.t, many.count, many.segments) == (2500, one.count, len(expected))
    pieces = partition.start(np.random.default_rng(seed))
    found = []
    for at, piece in ((0, numbers[:700]), (700, numbers[700:701]), (701, numbers[701:])):
        found += [(at + place, items) for place, items in pieces.closings(piece)]
    assert found == expected
    quiet = partition.start(np.random.default_rng(0), silent=True)
    first = partition.threshold(1, horizon or 2)
    steps = 0
    while quiet.step(1) is None:
        steps += 1
    assert steps == (int(first) if horizon else 1)
    if horizon is None:  # without items a segment ends when its time has run out: at 2, 4, 16, ...
        idle = partition.start(np.random.default_rng(0), silent=True)
        assert [step for step in range(1, 300) if idle.step(0) is not None] == [2, 4, 16, 256]


def test_the_cutter_declares_what_it_has_looked_at() -> None:
    ledger = Ledger("p", 0.5, rule="parallel")
    partition = PrivatePartition(0.5, None, 0.1)
    cutter = Cutter(partition, np.random.default_rng(0), ledger)
    closings = [step for step in range(1, 300) if cutter.step(False)]
    assert cutter.segments == len(closings) >= 3
    assert cutter.most == closings[-1] ** 2
    with pytest.raises(Overdrawn, match="an undeclared range"):  # that of the open segment
        ledger.use("later", 0.1, over=(300, 300))
    assert ledger.uses["segment"].count == len(closings) + 1
    assert ledger.spent == (0.5, 0.0)
    share = 6 / (math.pi * (len(closings) + 1)) ** 2  # of the last segment: the shares of all that may come sum to 1
    bound = partition.most_items(len(closings) + 1, cutter.most, 0.02 * share)
    assert cutter.most_items(0.02) == pytest.approx(bound)
    known = Cutter(PrivatePartition(0.5, 400, 0.1), np.random.default_rng(0), Ledger("p", 0.5, rule="parallel"))
    first = PrivatePartition(0.5, 400, 0.1).most_items(1, 400, 0.02 * 6 / math.pi**2)
    assert known.most_items(0.02) == pytest.approx(first)


def test_a_view_of_the_transformation() -> None:
    class Inner:
        def step(self, x: Any) -> None:
            self.last = x

        def answer(self) -> float:
            return 0.25

    class Open(Inner):
        def state(self) -> dict[str, Any]:
            return {"last": self.last}

    rules = ContinualOutput(0.5, 5, 0.25, 3, 0.7, 0.1)
    for inner, shown in ((Inner(), {"answer": 0.25}), (Open(), {"last": 9})):
        run = rules.start(inner, np.random.default_rng(0), silent=True)
        assert run.step(9) == 0.0
        assert run.state() == {
            "step": 1,
            "output": 0.0,
            "changes": 0,
            "noise": run._thresholds.in_force,
            "inner": shown,
        }
        for _ in range(4):
            run.step(9)
        with pytest.raises(ValueError, match=r"^step 6 is past the horizon of this continual-output mechanism, 5$"):
            run.step(9)


def test_quantiles_and_draws() -> None:
    for probability in (0.01, 0.3, 0.5, 0.8, 0.999):
        x = Laplace(2.0).quantile(probability)
        assert 1 - Laplace(2.0).tail(x) == pytest.approx(probability)
        assert Gaussian(3.0).quantile(probability) == pytest.approx(3 * Gaussian(1.0).quantile(probability))
    draws = Draws(Laplace(1.0), np.random.default_rng(3), batch=4)
    plain = Laplace(1.0).draw(np.random.default_rng(3), 4).tolist()
    assert [draws.one() for _ in range(3)] == plain[:3]
    found = draws.many(3)
    assert found[0] == plain[3]
    assert found[1:].tolist() == Laplace(1.0).draw(np.random.default_rng(3), 6)[4:].tolist()
    single = Draws(Laplace(1.0), np.random.default_rng(3), batch=1)
    assert [single.one() for _ in range(3)] == pytest.approx(np.random.default_rng(3).laplace(0.0, 1.0, 3))


def test_noise_that_is_written_down() -> None:
    noise = ScriptedNoise([1.0, 2.0, 3.0])
    assert noise.laplace(0.0, 2.0) == 2.0
    assert noise.normal_draws is False
    assert noise.normal(0.0, 3.0, 3).tolist() == [6.0, 9.0, 0.0]
    assert noise.normal_draws is True
    assert noise.batches == [Batch(0, 1, 2.0), Batch(1, 3, 3.0)]
    assert noise.taken == 4
    assert (noise.exponential(5.0), noise.exponential(6.0, 2).tolist(), noise.waits) == (0.0, [0.0, 0.0], [5.0, 6.0])
    assert (noise.geometric(0.25), noise.chances) == (1, [0.25])
    assert noise.spawn(3) == [noise] * 3
    some = ScriptedNoise({1: 5.0, 4: 7.0})
    assert some.laplace(0.0, 1.0, 3).tolist() == [0.0, 5.0, 0.0]
    assert some.laplace(0.0, 1.0, 2).tolist() == [0.0, 7.0]
    assert response(PerItem(2.0), 3, 2).tolist() == [[0.5, 0.0], [0.5, 0.5], [0.5, 0.5]]
    assert response(Fresh(2.0, 3), 3, 3, whole=True).tolist() == (1.5 * np.eye(3)).tolist()

    class Two(Counter):
        kind = "two"

        def start(self, rng: Any, *, silent: bool = False) -> Run:
            class Each(Run):
                def step(self, x: float = 1) -> float:
                    return 1.0

                def release(self, values: Any) -> Any:
                    return np.full(len(values), 2.0)

            return Each(self)

    assert response(Two(1.0, 2), 2, 1).tolist() == [[1.0], [1.0]]
    assert response(Two(1.0, 2), 2, 1, whole=True).tolist() == [[2.0], [2.0]]
