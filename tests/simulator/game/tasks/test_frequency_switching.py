"""`frequency-switching`: how often it changes, what it shows, and that attackers do not break it."""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import Any

import pytest

from disttrack.adversaries.contents import FreezeItem
from disttrack.protocols.contents import FrequencyRandomized, FrequencySwitching
from disttrack.simulator.game.tasks.contents.task import ItemFrequency


def begin(tracker: FrequencySwitching, k: int) -> int:
    """Return the number of items at which the first coin may be tossed, by bisection."""
    low, high = 1, 2**61
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if tracker.scale(middle, k) > 1 else (middle + 1, high)
    return low


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("k", [1, 50])
def test_the_copies_suffice_up_to_the_planned_number_and_one_less_would_not(alpha: float, k: int) -> None:
    """By hand: a change needs (5/6 / 1.05 - 2/6) alpha N = 0.4603 alpha N copies of an item since the last one."""
    for largest in (10.0, 1e7, 1e12):
        tracker = FrequencySwitching(alpha, domain=100, largest=largest)
        copies = tracker.copies(k)
        first = begin(tracker, k)
        assert copies > log(max(1, largest / first)) / -log(1 - 0.4603 * alpha)
        coin = FrequencyRandomized(alpha / 6, 0.05 / copies, 100)
        assert tracker.scale(first, k) == coin.scale(first, k) >= 2 * copies
        fewer = FrequencyRandomized(alpha / 6, 0.05 / max(1, copies - 1), 100)
        early = 2 * (copies - 1) * fewer.needed(k) * k**0.5 / (alpha / 6)
        assert copies == 1 or log(max(1, largest / early)) / -log(1 - 0.46 * alpha) > copies - 1


def test_each_copy_is_shown_once_and_as_a_whole() -> None:
    """In between all estimates stand still, so that an adversary learns of one copy when its turn is over."""
    tracker = FrequencySwitching(alpha=0.3, strength=0.2, largest=300)

    class Watch(FreezeItem):
        seen: Any = None

        def plan(self, view: Any) -> Any:
            shown.append((view.sent, dict(view.output)))
            return super().plan(view)

    shown: list[tuple[int, dict[int, int]]] = []
    game: Any = ItemFrequency().match(tracker, Watch(items=3), {"sites": 4, "items": 5000}, seed=1)
    first = begin(tracker, 4)
    later = [(step, estimates) for step, estimates in shown if step > 1.05 * first]
    assert game.server.active == tracker.copies(4) - 1 > 3
    assert len(later) >= game.server.active
    for (_, before), (step, after) in pairwise(later):
        moved = max(abs(after.get(item, 0) - before.get(item, 0)) for item in {*before, *after})
        assert moved > 5 / 6 * 0.3 * step / 1.05 / 1.05
