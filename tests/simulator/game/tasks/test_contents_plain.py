"""Games of content against plain ones, item by item: each task's trackers, `step` as `leap`, errors and words."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Final

import pytest
from plain_contents import (
    TRACKERS,
    as_plain,
    hold_same,
    largest_difference,
    largest_of_lists,
    largest_rank,
    largest_share,
    tasks_of,
)

from disttrack.adversaries.contents import (
    BlindSplits,
    DrainItem,
    FreezeItem,
    HeavyItem,
    ItemAdversary,
    Pairs,
    RankDrift,
    SamplingAttack,
    UniformItems,
    ZipfItems,
)
from disttrack.protocols import contents
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    FrequencySwitching,
    HeavyHitters,
    ItemTracker,
    RankDeterministic,
    RankRandomized,
)
from disttrack.simulator.game.tasks.duel import play_duel

ErrorOf = Callable[[Any, Counter[int], int], Fraction]


@dataclass
class Looking(ItemAdversary):
    """A user's: small numbers, then names of all sorts, in plans that repeat, go on and run out, by what it sees."""

    kind: ClassVar[str] = "looking"

    name: int | str = "x"
    other: int = 10**30

    def plan(self, view: Any) -> Pairs | None:
        site, number, name = view.changes % view.sites, view.sent + view.changes, self.name
        if not view.steps:
            return Pairs([0, site, 0, 0, 0, 0], [4, 1, 5, 1, 0, 1], 7)
        if number % 7 == 1:
            return None if view.steps and number % 14 == 1 else Pairs([site], [self.other], 3)
        if view.output.get(name, 0) % 2:
            return Pairs([site, (site + 1) % view.sites, site], [name, -4, name], 5)
        return Pairs([site, site], [name, number])


ADVERSARIES: Final = (
    ZipfItems(domain=9), ZipfItems(domain=20, period=37), UniformItems(domain=1), UniformItems(domain=7, period=500),
    HeavyItem(domain=5, period=9, share=0.2), FreezeItem(items=3), FreezeItem(items=3, memory=1),
    DrainItem(patience=0.3), RankDrift(domain=60), BlindSplits(bits=60),
)  # fmt: skip
ATTACKS: Final = (SamplingAttack(bits=60), SamplingAttack(bits=12))
WEIGHTED: Final = (ZipfItems(domain=20, period=37, heaviest=9), UniformItems(domain=7, heaviest=300))
CASES: Final = [(task, one) for listed in TRACKERS.values() for one in listed for task in tasks_of(one)]


def test_every_kind_with_a_form_is_compared() -> None:
    classes = [getattr(contents, name) for name in contents.__all__]
    forms = [one for one in classes if issubclass(one, ItemTracker) and one.item_form is not ItemTracker.item_form]
    assert {one.kind for one in forms} == TRACKERS.keys()


@pytest.mark.parametrize(("task", "tracker"), CASES, ids=lambda one: one.kind)
def test_a_game_is_the_plain_one_by_all_engines(uncompiled: None, task: Any, tracker: Any, draw: int) -> None:
    """Two adversaries of all that the tracker's task knows; also that what is never wrong keeps its promise."""
    weighs = tracker.weighs and task.kind in ("item-frequency", "frequent-items")
    known = [*ADVERSARIES, *(ATTACKS if task.problem.ordered else ()), *(WEIGHTED if weighs else ())]
    errors: dict[str, ErrorOf] = {
        "item-frequency": largest_share, "item-rank": largest_rank, "item-sampling": largest_difference,
        "frequent-items": partial(largest_of_lists, tracker),
    }  # fmt: skip
    changes = 0
    for adversary in random.Random(f"{draw} {tracker}").sample(known, 2):
        for k, items in ((1, 1), (1, 60), (5, 300)):
            plain, record, game = as_plain(task, tracker, adversary, errors[task.kind], k, items)
            changes += plain.changes
            assert task.kind != "item-frequency" or record.worst_step == plain.worst_step, adversary
            assert record.ok or tracker.guarantee != "always", adversary
            if task.kind == "item-sampling":
                assert sum(game.server.estimates.values()) == min(tracker.size, items)
    hold_same(task, tracker, adversary, 20, 1000)
    assert changes > 3
    for odd in (Looking(7, 2**60),) if task.problem.ordered else (Looking(), BlindSplits(bits=70)):
        hold_same(task, tracker, odd, 5, 400)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(("task", "tracker"), CASES, ids=lambda one: one.kind)
def test_compiled_it_plays_the_same(task: Any, tracker: Any) -> None:
    for adversary in ADVERSARIES[::3]:
        hold_same(task, tracker, adversary, 20, 1000)


def test_a_list_has_the_guarantee_of_its_tracker_of_frequencies_and_keeps_to_the_band() -> None:
    """Item 0 has half of the items; a list that forgets it, or holds the others, errs by more than alpha."""
    lists = [HeavyHitters(alpha=0.1, phi=0.4, by=by) for by in ("deterministic", "sample", "randomized")]  # type: ignore[arg-type]
    assert [one.guarantee for one in lists] == ["always", "adaptive", "oblivious"]
    assert [one.per_item for one in lists] == [True, False, False]
    game = play_duel(lists[0], HeavyItem(domain=50, period=400), sites=8, items=10**6, seed=1)
    assert game.ok
    assert game.max_rel_error > 0.02  # items of the band were listed


@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize("sites", [1, 30])
def test_no_game_costs_more_than_the_bound(sites: int) -> None:
    """The bound is one on the expected words; these games are short of it by more than eight standard deviations."""
    for tracker in (
        FrequencyDeterministic(alpha=0.1), FrequencySample(alpha=0.2, domain=10),
        FrequencyRandomized(alpha=0.2, domain=10), FrequencySwitching(alpha=0.3, domain=10, largest=1e5),
        HeavyHitters(alpha=0.2, phi=0.3), RankDeterministic(alpha=0.2), RankRandomized(alpha=0.2),
    ):  # fmt: skip
        most = 3_000 if isinstance(tracker, RankDeterministic | RankRandomized) else 30_000
        for items in (20, most // 10, most):
            words = play_duel(tracker, ZipfItems(domain=10, period=60), sites=sites, items=items, seed=1).words
            assert 0.1 * tracker.cost_bound(sites, items) < words <= tracker.cost_bound(sites, items)
