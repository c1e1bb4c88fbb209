"""The posterior of the errors against what the sites really hold, and the strength of the attacks built on it."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from disttrack.adversaries import View
from disttrack.attack.adversaries.beliefs import AttributedBelief, Belief, BlockBelief, CaughtBelief
from disttrack.attack.adversaries.believing import attack


def test_the_next_signal_of_a_block_is_awaited_as_long_as_its_places_say() -> None:
    """A signal falls on each item of its block alike: the mean over all places left, of this block or of the next.

    On average a signal is worth what it waited for, so gain and wait add up to a block.
    """
    view = View(sites=3, items=900, rng=np.random.default_rng(0), start=20)
    view.record(known={"kind": "block", "alpha": 0.9, "confidence": 1.0})
    belief = BlockBelief(view)
    assert belief.size == 10  # 0.9 / sqrt(3) of 20 items
    belief.note(view, 1, 4, False)
    belief.note(view, 2, 3, True)
    belief.note(view, 2, 2, False)
    of_any, of_the_next = range(1, 11), range(10 - 5 + 1, 10 - 5 + 11)
    gain, wait = belief.prospects()
    assert wait.tolist() == [fmean(of_any), fmean(place - 4 for place in of_any if place > 4), fmean(of_the_next)]
    assert (gain + wait).tolist() == [10] * 3
    assert belief.errors.tolist() == [0, -4, 5]
    belief.note(view, 2, 7, False)  # into the next block, in which it has not signalled
    assert belief.errors.tolist() == [0, -4, -2]
    assert belief.prospects()[1].tolist()[2] == fmean(range(1, 10 - 2 + 1))


class Fixed(Belief):
    """A belief with given prospects."""

    def __init__(self, view: View, gain: list[float], cost: list[float]) -> None:
        super().__init__(view)
        self.epoch, self.gain, self.cost = 1, np.array(gain), np.array(cost)
        self.noted: list[Any] = []

    def note(self, view: View, site: int, items: int, changed: bool, **seen: Any) -> None:
        self.noted.append((site, items, changed, *seen.values()))

    def prospects(self) -> tuple[Any, Any]:
        return self.gain, self.cost

    def ideal(self) -> float:
        return 0.3


def test_strike_by_hand() -> None:
    """1,000 items, the output right, sites that gain 100, 50, 5, 90 for 100 items each.

    In the order 0, 3, 1, 2 the relative error is expected to be 100/1100, 190/1200, 240/1300 and 245/1400: largest with
    three of them, 0.185. That is worth it at a demand of 0.5 (of 0.3), not at one of 0.9.
    """
    view = View(sites=4, items=10_000, rng=np.random.default_rng(0))
    view.record(sent=1000, output=1000)
    belief = Fixed(view, [100, 50, 5, 90], [100] * 4)
    assert fed(view, belief, 0.5) == [0, 3, 1]
    assert fed(view, belief, 0.9) == [3, 3, 3]  # the store, which is the last site
    view.record(items=1500)  # 500 items are left of 1,500: there will be no better moment
    assert fed(view, belief, 0.9) == [0, 3, 1]
    view.record(items=1150)  # one site is all that the rest of the items are enough for
    assert fed(view, belief, 0.9) == [0, 0, 0]


def fed(view: View, belief: Fixed, demand: float) -> list[int]:
    """Return the first three sites fed, if the output changes after each."""
    plans, sites = attack(view, belief, demand, lambda *move: None), []
    for _ in range(3):
        sites.append(next(plans).site)
        view.record(changes=view.changes + 1)
    return sites


def test_moves_are_noted_and_a_site_is_fed_until_the_output_changes() -> None:
    """At 50 items and an output of 60 two sites are worth it: (10 + 100)/150 < (10 + 190)/250 > (10 + 240)/350."""
    view = View(sites=4, items=10_000, rng=np.random.default_rng(0))
    belief = Fixed(view, [100, 50, 5, 90], [100] * 4)
    plans, sites = attack(view, belief, 0.5, partial(belief.note, view)), []
    for sent, output in ((0, 0), (30, 0), (50, 60), (55, 60), (70, 61), (71, 61)):
        view.record(sent=sent)
        view.show(output)
        sites.append(next(plans).site)
    assert sites == [0, 0, 0, 0, 3, 3]
    assert belief.noted == [(0, 30, False), (0, 20, True), (0, 5, False), (0, 15, True), (3, 1, False)]


def test_what_outputs_tell_of_trackers_that_hide_and_of_unknown_ones_by_hand() -> None:
    """Three sites, 20 items before. Whoever is fed at a release has signalled; an unknown tracker errs by that site."""
    view = View(sites=3, items=900, rng=np.random.default_rng(0), start=20)
    caught, attributed = CaughtBelief(view), AttributedBelief(view)
    view.record(sent=10, output=36)
    for belief in (caught, attributed):
        belief.note(view, 1, 10, True)
    assert [each.tolist() for each in caught.prospects()] == [[1, 0, 1], [1, 1, 1]]
    assert [each.tolist() for each in attributed.prospects()] == [[8, 2, 8], [16, 16, 16]]  # it grew by 16
    view.record(sent=20)
    for belief in (caught, attributed):
        belief.note(view, 2, 10, False)
    assert (caught.errors.tolist(), attributed.errors.tolist()) == ([0, 1, 0], [0, 6, -10])
    view.record(sent=25, output=45)
    for belief in (caught, attributed):
        belief.note(view, 0, 5, True)  # the output is the count: all are right again
        assert (belief.errors.tolist(), belief.epoch) == ([0, 0, 0], 1)
