"""Adversaries as generator functions: the same transcripts as classes, and a fresh start in every game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from disttrack import Burst, Deterministic, Drain, Exact, Freeze, Robust, play
from disttrack.protocols import Randomized


def freeze(view: Any) -> Iterator[Burst]:
    site = 0
    while True:
        view = yield Burst(site)
        site = (site + 1) % view.sites


def drain(view: Any) -> Any:
    """Drain with patience 1, its wait computed from the view that each `yield` gives."""
    site = 0
    while True:
        changes = view.changes
        early = 3 * view.sites**0.5 / view.known["alpha"]
        view = yield Burst(site, max(1, -int(-max(view.output, 1) / early // 1)))
        site = site if view.changes != changes else (site + 1) % view.sites


def five_items(view: Any) -> Iterator[Burst]:
    for _ in range(5):
        yield Burst(0, 1)


@pytest.mark.parametrize("engine", ["step", "leap", "auto"])
@pytest.mark.parametrize("sites", [1, 2, 9])
@pytest.mark.parametrize("protocol", [Deterministic(alpha=0.2), Randomized(alpha=0.2), Robust(alpha=0.5)])
def test_the_generator_of_freeze_gives_the_transcript_of_the_class(protocol: Any, sites: int, engine: str) -> None:
    recorded = engine != "auto"  # which plays by compiled functions what is not recorded
    size: dict[str, Any] = {"sites": sites, "items": 3_000, "seed": 4, "engine": engine, "record": recorded}
    written, shipped = play(protocol, freeze, **size), play(protocol, Freeze(), **size)
    assert written.row() | {"adversary": "freeze", "seconds": 0} == shipped.row() | {"seconds": 0}
    if recorded:
        assert written.transcript.equals(shipped.transcript)
        assert written.outputs.equals(shipped.outputs)


def test_each_yield_gives_the_view() -> None:
    size: dict[str, Any] = {"sites": 16, "items": 50_000, "seed": 2, "record": True}
    written, shipped = play(Randomized(alpha=0.1), drain, **size), play(Randomized(alpha=0.1), Drain(), **size)
    assert written.transcript.equals(shipped.transcript)
    assert written.output_changes > 100


def test_a_list_of_plans_and_another_generator_may_be_yielded_from() -> None:
    def listed(view: Any) -> Iterator[Burst]:
        yield from [Burst(0, 2), Burst(1, 3)]
        yield from two(view)
        yield Burst(0, 1)

    def two(view: Any) -> Iterator[Burst]:
        view = yield Burst(view.sites - 1, 1)
        yield from (Burst(view.sent % view.sites, 1), Burst(2, 1))

    def written_out(view: Any) -> Iterator[Burst]:
        for site, items in ((0, 2), (1, 3), (2, 1), (0, 1), (2, 1), (0, 1)):
            yield Burst(site, items)

    one, other = (play(Exact(), made, sites=3, items=100, record=True) for made in (listed, written_out))
    assert one.items == 6
    assert one.transcript.equals(other.transcript)


def test_the_game_ends_with_the_last_plan_and_each_game_begins_anew() -> None:
    games = [play(Deterministic(alpha=0.2), five_items, sites=3, items=100) for _ in range(2)]
    assert [game.items for game in games] == [5, 5]


def test_a_class_in_place_of_an_object_is_refused_with_the_remedy() -> None:
    with pytest.raises(TypeError, match=r"adversary must be an object, Freeze\(\); got the class"):
        play(Deterministic(alpha=0.2), Freeze, sites=3, items=100)  # type: ignore[arg-type]
