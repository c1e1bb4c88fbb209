"""AMS sketches against plain matrices: the same numbers an update at a time, many at once, and from frequencies."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.privacy.mechanisms import Ams, AmsMedian, Sketch
from disttrack.privacy.mechanisms.sketches.hashes import DenseSigns, HashedSigns, signs_of
from disttrack.privacy.mechanisms.sketches.second_moment import EXACT, LinearRun, rows_for_tail

SKETCHES = [
    Ams(rows=7), Ams(rows=64), Ams(rows=33, signs="hashed"), AmsMedian(groups=5, rows=9),
    AmsMedian(groups=3, rows=4, signs="hashed"),
]  # fmt: skip


def stream(length: int, largest: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    changes = rng.integers(1, largest + 1, length) * (2 * rng.integers(0, 2, length) - 1)
    return rng.integers(0, 3000, length), changes


def plain(sketch: Sketch, items: np.ndarray, changes: np.ndarray, seed: int) -> list[float]:
    """Multiply the whole matrix with the frequencies, in whole numbers of any size."""
    groups = getattr(sketch, "groups", 1)
    signs = signs_of(sketch.signs, groups * sketch.rows, np.random.default_rng(seed))  # type: ignore[attr-defined]
    counters = [0] * (groups * sketch.rows)  # type: ignore[attr-defined]
    found = []
    for item, change in zip(items.tolist(), changes.tolist(), strict=True):
        column = signs.column(item).astype(int).tolist()
        counters = [counter + change * sign for counter, sign in zip(counters, column, strict=True)]
        rows = sketch.rows  # type: ignore[attr-defined]
        means = sorted(sum(y * y for y in counters[g * rows : (g + 1) * rows]) / rows for g in range(groups))
        found.append(means[groups // 2])
    return found


@pytest.mark.parametrize("sketch", SKETCHES, ids=repr)
@pytest.mark.parametrize(("length", "largest"), [(1, 1), (31, 1), (33, 3), (100, 50), (70, 400_000)])
def test_updates_one_by_one_many_at_once_and_frequencies_agree_with_a_matrix(
    sketch: Sketch, length: int, largest: int
) -> None:
    items, changes = stream(length, largest)
    wanted = plain(sketch, items, changes, seed=5)
    single, bulk, whole = (sketch.start(np.random.default_rng(5)) for _ in range(3))
    moves = np.column_stack((items, changes))
    assert [single.step(move) for move in moves.tolist()] == wanted
    assert bulk.release(moves).tolist() == wanted
    frequencies: dict[int, int] = {}
    for item, change in moves.tolist():
        frequencies[item] = frequencies.get(item, 0) + change
    whole.absorb(frequencies)
    assert whole.estimate() == wanted[-1]
    runs = (single, bulk, whole)
    for run in runs:
        run.update(3, 2)
    assert len({run.estimate() for run in runs}) == 1  # they go on alike
    for run in runs:
        run.reset()
        assert run.estimate() == 0


def test_large_counters_leave_32_bit_floats() -> None:
    """With 64 rows, counters above 2^18 would have their products rounded; the sums stay exact all the same."""
    run = Ams(rows=64).start(np.random.default_rng(0))
    run.update(1, EXACT // 64 + 1)
    run.update(1, 1)
    assert run.estimate() == (EXACT // 64 + 2) ** 2


@pytest.mark.parametrize("form", ["one by one", "many at once", "frequencies"])
def test_a_multiplied_sketch_is_the_same_in_any_order_of_its_rows(form: str) -> None:
    """Its counters are not whole, and a product of vectors adds them in the order that the processor prefers."""
    order = np.random.default_rng(1).permutation(384)

    class Shuffled(DenseSigns):
        def column(self, item: int) -> Any:
            return super().column(item)[order]

        def columns(self, items: Any) -> Any:
            return super().columns(items)[:, order]

    made = []
    for kind in (DenseSigns, Shuffled):
        run, other = (LinearRun(1, 384, kind(384, np.random.default_rng(5))) for _ in range(2))
        items, changes = stream(200)
        run.release(np.column_stack((items, changes)))
        other.absorb({3: 7, 9: -2})
        run.multiply(0.3)
        more = np.column_stack(stream(60, 3, seed=2))
        if form == "one by one":
            for item, change in more.tolist():
                run.update(item, change)
        elif form == "many at once":
            run.release(more)
        else:
            run.absorb(dict(more.tolist()))
        run.multiply(1.7)
        run.update(3, 1)
        made.append((run.estimate(), run.product(other), other.product(run)))
    assert made[0] == made[1]
    assert made[0][1] == made[0][2]


def test_groups_are_not_multiplied() -> None:
    with pytest.raises(ValueError, match=r"^a sketch of 3 groups cannot be multiplied"):
        AmsMedian(groups=3, rows=4).start(np.random.default_rng(0)).multiply(2.0)


def test_dense_signs_are_drawn_again_alike() -> None:
    signs = DenseSigns(1000, np.random.default_rng(1))
    items = np.array([0, 1, 5000, 131, 10**9, 0, 262])
    before = signs.columns(items)
    for item in range(0, 3000, 131):
        signs.column(item)
    assert (signs.columns(items) == before).all()
    assert (np.abs(before) == 1).all()
    assert abs(float(signs.columns(np.arange(2000)).mean())) < 6 / np.sqrt(2e6)


def test_hashed_signs_are_the_lowest_bits_of_polynomials() -> None:
    """Of degree 3, modulo 2^31 - 1, which itself is 0."""
    prime = 2**31 - 1
    coefficients = np.random.default_rng(0).integers(prime, size=(4, 9), dtype=np.uint64)
    coefficients[:, 0] = 0, 0, 0, prime
    source: Any = SimpleNamespace(integers=lambda top, size, dtype: coefficients)
    signs, items = HashedSigns(9, source), np.array([0, 1, 10**6, prime - 1])
    for item, column in zip(items.tolist(), signs.columns(items).tolist(), strict=True):
        rows = coefficients.T.tolist()
        expected = [1 - 2 * ((((a * item + b) * item + c) * item + d) % prime % 2) for a, b, c, d in rows]
        assert signs.column(item).tolist() == column == expected


@pytest.mark.parametrize("item", [2**31 - 1, 2**40, -1])
def test_hashed_signs_refuse_items_that_they_cannot_tell_apart(item: int) -> None:
    """Modulo the prime 2^31 - 1 is 0: of (0, +1), (2^31 - 1, -1) all rows of all seeds were 0."""
    run = Ams(rows=9, signs="hashed").start(np.random.default_rng(0))
    run.update(2**31 - 2, 1)
    for feed in (
        lambda: run.update(item, -1),
        lambda: run.release(np.array([[0, 1], [item, -1]])),
        lambda: run.absorb({0: 1, item: -1}),
    ):
        with pytest.raises(ValueError, match=r"hashed signs take items from 0 to 2,147,483,646; got -?\d"):
            feed()
    assert run.estimate() == 1


def test_mean_and_variance_over_all_sign_vectors() -> None:
    """F2 and 2 (F2^2 - F4); twice F2 squared would leave F4 out."""
    frequencies = np.array([3.0, -1.0, 2.0, 0.0])
    values = [float(np.dot(signs, frequencies)) ** 2 for signs in product((-1, 1), repeat=4)]
    second, fourth = (frequencies**2).sum(), (frequencies**4).sum()
    assert np.mean(values) == second
    assert np.var(values) == pytest.approx(2 * (second**2 - fourth))


def test_the_rows_of_the_theorems() -> None:
    # the bound against the distribution that AMS comes near to with many items: chi-square with t degrees
    rows = rows_for_tail(0.5, 0.01)
    exact = stats.chi2.sf(1.5 * rows, rows) + stats.chi2.cdf(0.5 * rows, rows)
    assert exact <= 0.01


def test_groups_have_their_own_means() -> None:
    groups = LinearRun(3, 5, DenseSigns(15, np.random.default_rng(0)))
    twin = groups.twin()
    for item in range(9):
        groups.update(item, item + 1)
        twin.absorb({item: item + 1})
    assert groups.means().tolist() == pytest.approx((groups.squares / 5).tolist())
    assert groups.estimate() == sorted(groups.means().tolist())[1]
    assert groups.product(twin) == pytest.approx(float(groups.means().mean()))
    assert twin.estimate() == groups.estimate()
