"""No guarantee of a quota is exceeded by faults that outlast a window, over all registered kinds and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from long_faults import RULES, Lulls, counted, exceeds, setting, setting_in_turn, used
from small_fleets import SHAPED, outcome


def exceeded(numbers: range, draw: Callable[[int], dict[str, Any]] = setting) -> list[int]:
    """Return the numbers of the games that exceed their guarantee."""
    return [number for number in numbers if exceeds(outcome(draw(number)))]


def test_late_faults_exceed_no_guarantee() -> None:
    """On the rules before corrections named their charges, 10 in 500 games of `periodic` for any window did."""
    assert exceeded(range(8 * len(SHAPED))) == []


def test_each_reserve_meets_each_time_to_settle_and_a_site_leaves_while_it_is_cut_off() -> None:
    drawn = [setting_in_turn(number) for number in range(15 * len(SHAPED))]
    for place in SHAPED:
        mine = [one for one in (each["protocol"] for each in drawn) if (type(one), one.shape) == place]
        met = {(one.reserve, one.settle if one.settle == 1 else one.settle / one.window) for one in mine}
        assert met >= {(reserve, settle) for reserve in (1, 10, 20) for settle in (1, 2)}
    cut = [one for one in drawn if isinstance(one["adversary"], Lulls) and one["adversary"].who >= 0]
    assert len(cut) >= len(drawn) / 5


def test_late_faults_exceed_no_guarantee_with_reserves_in_turn() -> None:
    """The rules that refund are used in the first third of the games, and counted nowhere else."""
    with counted() as calls:
        assert used(calls) == dict.fromkeys(RULES, 0)
        assert exceeded(range(len(SHAPED)), setting_in_turn) == []
    counts = used(calls)
    assert counts["refunds of a charge"] > 0
    assert counts["refunds in a window"] > 0
    assert exceeded(range(len(SHAPED), 3 * len(SHAPED)), setting_in_turn) == []
    assert used(calls) == counts


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_reserves_in_turn_exceed_no_guarantee_in_many_games(part: int) -> None:
    """Each reserve with each time to settle, and half of them again. The rules that it is about are used."""
    turns = [turn for turn in range(27) if (turn + turn // 9) % 3 in (part, 2 if turn % 2 == part else part)]
    with counted() as calls:
        for first in (turn * len(SHAPED) for turn in turns):
            assert exceeded(range(first, first + len(SHAPED)), setting_in_turn) == []
    assert all(used(calls).values()), used(calls)


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_late_faults_exceed_no_guarantee_in_many_games(part: int) -> None:
    """Of 80 games of each kind and shape. Of 2,000 by hand 16,801 (bucket-lease) and 18,462 (sliding-lease) failed."""
    each = 16 * len(SHAPED)
    assert exceeded(range(part * each, (part + 1) * each)) == []


@pytest.mark.parametrize("number", [100, 895, 5_066, 6_131, 2_161, 2_866, 16_801, 22_846, 18_462])
def test_games_that_once_exceeded_their_guarantee_hold_it(number: int) -> None:
    """Four of `periodic`, by refunds; four of `bucket-lease`, by refunds; one of `sliding-lease`, by a late grant."""
    assert exceeded(range(number, number + 1)) == []
