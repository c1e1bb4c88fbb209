"""Sketches of distinct items and of frequencies, hashes and sizes, written down once more from the papers."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.privacy.mechanisms import TARGET, CountMin, CountSketch, HyperLogLog, Kmv, Sketch
from disttrack.privacy.mechanisms.sketches.base import key_of, tally
from disttrack.privacy.mechanisms.sketches.hashes import GOLDEN, MASK, mixed


def splitmix(state: int) -> int:
    """Return what SplitMix64 gives out from a state: Steele, Lea, Flood 2014."""
    z = (state + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


@settings(max_examples=30, deadline=None)
@given(items=st.lists(st.integers(0, 2**63 - 1), min_size=1), key=st.integers(0, 2**64 - 1))
def test_the_hash_is_the_finaliser_of_splitmix_twice(items: list[int], key: int) -> None:
    expected = [splitmix(splitmix((item + key) % 2**64) ^ (key * GOLDEN % 2**64)) for item in items]
    assert [mixed(item, key) for item in items] == expected
    assert mixed(np.array(items, dtype=np.uint64), key).tolist() == expected


def test_the_finaliser_gives_the_published_numbers() -> None:
    assert splitmix(0) == 0xE220A8397B1DCDAF
    assert mixed(0, 0) == splitmix(0xE220A8397B1DCDAF)
    assert MASK == 2**64 - 1


def runs_of(sketch: Sketch, seed: int) -> tuple[Any, list[int]]:
    """Return a run and the keys that it has drawn."""
    depth = getattr(sketch, "depth", 1)
    coins = np.random.default_rng(seed)
    return sketch.start(np.random.default_rng(seed)), [key_of(coins) for _ in range(depth)]


@pytest.mark.parametrize("size", [3, 4, 20])
def test_the_least_hash_values(size: int) -> None:
    run, (key,) = runs_of(Kmv(size=size), 3)
    seen: set[int] = set()
    for step, item in enumerate(np.random.default_rng(1).integers(0, 40, 90).tolist()):
        seen.add(mixed(item, key))
        run.update(item, 1 + step % 3)
        least = sorted(seen)[:size]
        exact = len(seen) if len(seen) < size else (size - 1) / ((least[-1] + 1) / 2**64)
        assert run.estimate() == pytest.approx(exact, rel=1e-12)
    run.reset()
    assert run.estimate() == 0.0


@pytest.mark.parametrize(("registers", "items"), [(128, 60), (128, 250), (128, 700), (256, 40)])
def test_registers_keep_the_largest_rank(registers: int, items: int) -> None:
    run, (key,) = runs_of(HyperLogLog(registers=registers), 5)
    bits = registers.bit_length() - 1
    ranks = [0] * registers
    for item in range(items):
        word = f"{mixed(item, key):064b}"
        register, rest = int(word[:bits], 2), word[bits:]
        ranks[register] = max(ranks[register], len(rest) - len(rest.lstrip("0")) + 1)
        run.update(item, 1)
        run.update(item // 2, 2)
    share = ranks.count(0) / registers
    few = share + sum(share ** (2**k) * 2 ** (k - 1) for k in range(1, 30))
    exact = registers**2 / (2 * log(2)) / (sum(2.0**-rank for rank in ranks if rank) + registers * few)
    assert run.estimate() == pytest.approx(exact)
    run.reset()
    assert run.estimate() == 0.0


@pytest.mark.parametrize(("width", "depth"), [(1, 1), (4, 3), (7, 5)])
def test_rows_of_counters(width: int, depth: int) -> None:
    """CountSketch: the median over rows of sign times counter; count-min: the least counter."""
    signed, keys = runs_of(CountSketch(width=width, depth=depth), 2)
    least, _ = runs_of(CountMin(width=width, depth=depth), 2)
    frequencies: dict[int, int] = {}
    rng = np.random.default_rng(7)
    for item, change in zip(rng.integers(0, 9, 60).tolist(), rng.integers(-2, 6, 60).tolist(), strict=True):
        tally(frequencies, item, change)
        signed.update(item, change)
        least.update(item, change)
        estimates, squares, plain_rows = [], [], []
        for key in keys:
            row, plus = [0] * width, [0] * width
            for each, frequency in frequencies.items():
                bits = mixed(each, key)
                row[bits // 2 % width] += frequency * (1 if bits % 2 else -1)
                plus[bits % width] += frequency
            own = mixed(TARGET, key)
            estimates.append(row[own // 2 % width] * (1 if own % 2 else -1))
            squares.append(sum(counter**2 for counter in row))
            plain_rows.append(plus[own % width])
        assert signed.estimate() == sorted(estimates)[depth // 2]
        assert signed.scale() == pytest.approx(sqrt(sorted(squares)[depth // 2]))
        assert least.estimate() == min(plain_rows)
        assert least.scale() == sum(frequencies.values())
    with pytest.raises(NotImplementedError, match=r"^CountSketchRun cannot begin a new stream$"):
        signed.reset()
