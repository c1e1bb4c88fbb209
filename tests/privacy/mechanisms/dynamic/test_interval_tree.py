"""The online interval tree: Lemma 9 on many random sequences, and the tree of the definition at every prefix."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from offline_tree import NEVER, asked, grown, stored

from disttrack.privacy.mechanisms.dynamic.interval_tree import OnlineIntervalTree, last_query, left_ancestor, level_of

SEQUENCES = 1_000
TREE = grown(6)


def updates(rng: random.Random, most: int):
    """Yield random segments of (key, comes?) updates: keys are never used again, some deletions name nobody."""
    live: list[str] = []
    number = 0
    for _ in range(rng.randint(1, 40)):
        segment = []
        for _ in range(rng.randint(0, most)):
            draw = rng.random()
            if draw < 0.5 or not live:
                number += 1
                live.append(f"i{number}")
                segment.append((live[-1], True))
            elif draw < 0.9:
                segment.append((live.pop(rng.randrange(len(live))), False))
            else:
                segment.append(("nobody", False))
        yield segment


@pytest.mark.slow
def test_each_live_item_is_reported_exactly_once() -> None:
    """Lemma 9, over 1,000 random sequences of up to 40 segments, after each of these."""
    rng = random.Random(9)
    for _ in range(SEQUENCES):
        tree, live = OnlineIntervalTree[str, str](), set()
        for segment in updates(rng, 5):
            for key, comes in segment:
                if comes:
                    tree.insert(key, key)
                    live.add(key)
                else:
                    assert tree.delete(key) == (key in live)
                    live.discard(key)
            tree.close()
            assert sorted(key for node in tree.chain for key in node.items) == sorted(live)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_online_growth_is_the_offline_tree_at_every_prefix(seed: int) -> None:
    """Nodes, levels, what each stores at its birth and at every later time, and who is asked."""
    tree: OnlineIntervalTree[str, str] = OnlineIntervalTree()
    intervals: dict[str, tuple[int, float]] = {}
    coming: set[str] = set()
    for time, segment in enumerate(updates(random.Random(seed), 4), start=1):
        coming.clear()
        for key, comes in segment:
            if comes:
                tree.insert(key, key)
                intervals[key] = time, NEVER
            elif tree.delete(key):
                intervals[key] = intervals[key][0], time
        tree.close()
        there = {key: interval for key, interval in intervals.items() if interval[0] < interval[1]}
        assert [node.number for node in tree.chain] == asked(TREE, time)
        for node in tree.chain:
            assert set(node.items) == stored(TREE, node.number, there, time)
            assert node.level == 1 + height(node.number)
            assert last_query(node.number) >= time


def height(number: int) -> int:
    """Return the height of a node over its leaves, from its range in the offline tree."""
    node = TREE[number]
    return (node.high - node.low + 2).bit_length() - 2


def test_the_arithmetic_is_that_of_the_tree() -> None:
    for number, node in TREE.items():
        before = [other.number for other in node.ancestors if other.number < number]
        assert left_ancestor(number) == (before[0] if before else 0)
        assert level_of(number) == height(number) + 1
        times = [time for time in TREE if number in asked(TREE, time)]
        assert sorted(times) == list(range(number, last_query(number) + 1))
