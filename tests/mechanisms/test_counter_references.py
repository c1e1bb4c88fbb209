"""Fast counters beside the slow obvious ones: the papers' own listings, fed with the same noise."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.mechanisms import Binary, Hybrid, Laplace, PanPrivate, TreeVarianceReduced


def noise(seed: int, scale: float, size: int) -> list[float]:
    return Laplace(scale).draw(np.random.default_rng(seed), size).tolist()


def binary_as_listed(stream: list[float], scale: float, draws: list[float]) -> list[float]:
    """Partial sums a_i, each kept until it is absorbed; the estimate adds the noisy ones at the set bits of t."""
    exact = [0.0] * 40
    noisy = [0.0] * 40
    out = []
    for t, x in enumerate(stream, start=1):
        level = next(i for i in range(40) if t >> i & 1)
        exact[level] = sum(exact[:level]) + x
        exact[:level] = noisy[:level] = [0.0] * level
        noisy[level] = exact[level] + draws[t - 1]
        out.append(sum(noisy[i] for i in range(40) if t >> i & 1))
    return out


def test_binary_meets_its_listing() -> None:
    stream = np.random.default_rng(8).normal(size=300).tolist()
    rules = Binary(epsilon=0.3, horizon=300)
    got = rules.start(np.random.default_rng(5)).release(stream)
    assert got.tolist() == pytest.approx(binary_as_listed(stream, rules.scale, noise(5, rules.scale, 300)))


def test_hybrid_meets_its_listing() -> None:
    stream = np.random.default_rng(8).integers(0, 2, 300).tolist()
    of_epochs, of_trees = np.random.default_rng(5).spawn(2)
    epochs, expected = 0.0, []
    for t in range(1, 301):
        power = 1 << (t.bit_length() - 1)
        if t == power:
            epochs += Laplace(2 / 0.3).draw(of_epochs, 1)[0]
            expected.append(sum(stream[:t]) + epochs)
            scale = 2 * max(1, t.bit_length() - 1) / 0.3
            draws = Laplace(scale).draw(of_trees.spawn(1)[0], t).tolist()
        else:
            since = stream[power:t]
            tree = binary_as_listed(since, scale, draws)
            expected.append(sum(stream[:power]) + epochs + tree[-1])
    got = Hybrid(epsilon=0.3).start(np.random.default_rng(5)).release(stream)
    assert got.tolist() == pytest.approx(expected)


def test_pan_private_meets_its_figure() -> None:
    # noise that depends on the segment only, not on the order of drawing: a generator that is asked by name
    rules = PanPrivate(epsilon=0.5, horizon=32)
    stream = np.random.default_rng(8).integers(0, 2, 32).tolist()
    draws = iter(noise(6, rules.scale, 64))
    count = next(draws)
    in_force: dict[int, float] = {}
    expected = []
    for t, x in enumerate(stream):
        count += x
        for length in (16, 8, 4, 2, 1):
            if t % length == 0:
                in_force[length] = next(draws)
        expected.append(count + sum(in_force.values()))
    got = rules.start(np.random.default_rng(6)).release(stream)
    assert got.tolist() == pytest.approx(expected)


def test_variance_reduced_estimates_are_the_best_from_below() -> None:
    # least squares over the noisy sums of a node and all nodes under it, solved as such
    rules = TreeVarianceReduced(epsilon=1.0, horizon=8)
    stream = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    encoder = rules.encoder(8)
    assert encoder is not None
    draws = np.random.default_rng(6).laplace(0.0, rules.scale, len(encoder))
    noisy = encoder @ stream * rules.scale + draws
    membership = encoder * rules.scale
    expected = []
    for t in range(1, 9):
        total, end = 0.0, t
        while end:
            start = end & (end - 1)
            inside = [i for i, row in enumerate(membership) if row[start:end].sum() == row.sum()]
            solved = np.linalg.lstsq(membership[inside][:, start:end], noisy[inside], rcond=None)[0]
            total += solved.sum()
            end = start
        expected.append(total)
    got = rules.start(np.random.default_rng(6)).release(stream)
    assert got.tolist() == pytest.approx(expected)
