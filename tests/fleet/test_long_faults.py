"""No guarantee of a quota is exceeded by faults that outlast a window, over all registered kinds and shapes."""

from __future__ import annotations

import pytest
from long_faults import RULES, Lulls, counted, exceeds, setting, used
from small_fleets import SHAPED, outcome


def exceeded(turns: range) -> list[int]:
    """Return the numbers of the games of these turns, one of each kind and shape, that exceed their guarantee."""
    numbers = range(turns.start * len(SHAPED), turns.stop * len(SHAPED))
    return [number for number in numbers if exceeds(outcome(setting(number)))]


def test_each_reserve_meets_each_time_to_settle_and_a_site_leaves_while_it_is_cut_off() -> None:
    drawn = [setting(number) for number in range(15 * len(SHAPED))]
    for place in SHAPED:
        mine = [one for one in (each["protocol"] for each in drawn) if (type(one), one.shape) == place]
        met = {(one.reserve, one.settle if one.settle == 1 else one.settle / one.window) for one in mine}
        assert met >= {(reserve, settle) for reserve in (1, 10, 20) for settle in (1, 2)}
    cut = [one for one in drawn if isinstance(one["adversary"], Lulls) and one["adversary"].who >= 0]
    assert len(cut) >= len(drawn) / 5


def test_late_faults_exceed_no_guarantee() -> None:
    """The rules that refund are used in the first games, and counted nowhere else."""
    with counted() as calls:
        assert used(calls) == dict.fromkeys(RULES, 0)
        assert exceeded(range(1)) == []
    counts = used(calls)
    assert counts["refunds of a charge"] > 0
    assert counts["refunds in a window"] > 0
    assert exceeded(range(1, 4)) == []
    assert used(calls) == counts


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_late_faults_exceed_no_guarantee_in_many_games(part: int) -> None:
    """Each reserve with each time to settle, in turn. The rules that it is about are used."""
    with counted() as calls:
        assert exceeded(range(5 + 15 * part, 20 + 15 * part)) == []
    assert all(used(calls).values()), used(calls)
