"""The compiled engine of games of items: one transcript with `leap` and `step`, for every tracker that has a form."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pytest

import disttrack.adversaries.contents as adversaries
import disttrack.protocols.contents as trackers
from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    HeavyHitters,
    ItemTracker,
)
from disttrack.simulator.game.engines.base import UncompiledError
from disttrack.simulator.game.engines.contents_compiled import ContentCompiled
from disttrack.simulator.game.tasks.contents.task import ContentGame, HeavyHitterGame, ItemFrequency, row_of
from disttrack.simulator.kinds.faults import broken, faults_of

pytest.importorskip("numba")

TRACKERS: Final[dict[str, tuple[ItemTracker, ...]]] = {
    "frequency-deterministic": (FrequencyDeterministic(alpha=0.2), FrequencyDeterministic(alpha=0.01)),
    "frequency-sample": (FrequencySample(alpha=0.2, strength=2), FrequencySample(alpha=0.5, strength=0.01)),
    "frequency-randomized": (FrequencyRandomized(alpha=0.3, strength=1), FrequencyRandomized(alpha=0.05, strength=0.1)),
    "heavy-hitters": (
        HeavyHitters(alpha=0.1, phi=0.2),
        HeavyHitters(alpha=0.05, phi=0.06),
        HeavyHitters(alpha=0.3, phi=0.4, by="sample", strength=1),
        HeavyHitters(alpha=0.2, phi=0.3, by="randomized", strength=0.3),
    ),
}
"""Of each kind with a form: parameters with which the scale grows often, or by much at once."""


@dataclass
class Looking(ItemAdversary):
    """A user's: names of all sorts, plans that repeat, go on and run out, by what it sees."""

    kind: ClassVar[str] = "looking"

    def plan(self, view: Any) -> Pairs | None:
        site, number = view.changes % view.sites, view.sent + view.changes
        if number % 7 == 1:
            return None if view.steps and number % 14 == 1 else Pairs([site], [10**30], 3)
        if view.output.get("x", 0) % 2:
            return Pairs([site, (site + 1) % view.sites, site], ["x", -4, "x"], 5)
        return Pairs([site, site], ["x", number])


ADVERSARIES: Final = (
    adversaries.ZipfItems(domain=20),
    adversaries.ZipfItems(domain=200, period=37),
    adversaries.UniformItems(domain=3000),
    adversaries.HeavyItem(domain=5, period=3),
    adversaries.RankDrift(domain=50),
    adversaries.FreezeItem(items=2),
    adversaries.FreezeItem(items=3, memory=1),
    adversaries.DrainItem(patience=0.3),
    adversaries.BlindSplits(bits=70),
    Looking(),
)
SMALL: Final = {"sites": 5, "items": 300}
SIZES: Final = ((1, 1), (1, 60), (5, 500), (20, 1000))


def task_of(tracker: ItemTracker) -> ContentGame:
    """Return the task that judges a tracker's answers."""
    return HeavyHitterGame() if isinstance(tracker, HeavyHitters) else ItemFrequency()


def facts(game: Any) -> dict[str, Any]:
    """Return all that a game leaves behind."""
    ledger = game.ledger
    return {
        **row_of(game),
        "series": game.series,
        "estimates": list(game.server.estimates.items()),
        "by site": (list(ledger.up_sites), list(ledger.down_sites)),
        "changes": game.problem.changes,
    }


def test_every_kind_with_a_form_is_compared() -> None:
    classes = [getattr(trackers, name) for name in trackers.__all__]
    forms = [one for one in classes if issubclass(one, ItemTracker) and one.item_form is not ItemTracker.item_form]
    assert {one.kind for one in forms} == TRACKERS.keys()


@pytest.mark.drawn(4)
@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda one: f"{one.kind}-{getattr(one, 'period', '')}")
def test_it_plays_the_game_of_leap_and_of_step(adversary: Any) -> None:
    """Also that announcements, changes, reports of totals and errors in both directions come."""
    met = Counter[str]()
    for tracker in [one for listed in TRACKERS.values() for one in listed]:
        task = task_of(tracker)
        for k, items in SIZES:
            games = {
                engine: task.match(tracker, adversary, {"sites": k, "items": items}, seed=k, engine=engine)
                for engine in (("compiled", "leap", "step") if items < 100 else ("compiled", "leap"))
            }
            played = {engine: facts(game) for engine, game in games.items()}
            for engine in played:
                assert played[engine] == played["compiled"], (tracker, k, items, engine)
            row = played["compiled"]
            assert str(row["lowest"]) != "-0.0" != str(row["highest"])
            met.update(
                announced=row["rounds"], changes=row["output_changes"], above=row["highest"] > 0,
                below=row["lowest"] < 0, totals="total" in row["kinds"]["kind"], quiet=row["messages"] < items,
            )  # fmt: skip
    assert min(met.values()) > 0
    assert len(met) == 6


def test_an_adversary_with_another_script_is_asked() -> None:
    @dataclass
    class Back(adversaries.FreezeItem):
        def pair(self, place: int, view: Any) -> tuple[int, int]:
            return -place % view.sites, 0

    view: Any = None
    assert Back().machine(view) is None
    games = [
        facts(ItemFrequency().match(TRACKERS["frequency-sample"][0], Back(), SMALL, seed=1, engine=engine))
        for engine in ("compiled", "leap")
    ]
    assert games[0] == games[1]


@pytest.mark.parametrize("kind", TRACKERS)
def test_a_tracker_with_a_fault_or_another_rule_has_no_form(kind: str) -> None:
    for tracker in TRACKERS[kind]:
        base: Any = type(tracker)

        class Other(base):  # type: ignore[misc]
            def scale(self, known: int, k: int) -> int:
                return int(super().scale(known, k)) + 1

        assert Other.item_form is ItemTracker.item_form
        with pytest.raises(UncompiledError, match="no compiled form"):
            task_of(tracker).match(
                Other(alpha=0.1), adversaries.FreezeItem(), {"sites": 2, "items": 9}, seed=1, engine="compiled"
            )


def test_what_has_no_compiled_form_is_played_by_leap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights, other problems, and games that are over before the functions are at hand; also without numba."""
    task, sizes = ItemFrequency(), {"sites": 3, "items": 200}
    tracker = FrequencyDeterministic(alpha=0.2)
    heavy = adversaries.ZipfItems(domain=20, heaviest=9)
    with pytest.raises(UncompiledError, match="without weights"):
        task.match(tracker, heavy, sizes, seed=1, engine="compiled")
    leap = facts(task.match(tracker, heavy, sizes, seed=1))
    assert facts(task.match(tracker, heavy, sizes, seed=1, engine="auto")) == leap
    monkeypatch.setattr("disttrack.simulator.game.tasks.contents.task.available", lambda: False)
    game = task.match(tracker, adversaries.FreezeItem(), sizes, seed=1, engine="auto")
    assert not isinstance(game, ContentCompiled)


@pytest.mark.parametrize("name", TRACKERS)
def test_a_fault_is_not_played_by_the_form_of_the_intact_tracker(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: a control with lost reports was the game without the fault, where compiled functions paid."""
    for cost in ("COMPILING", "LOADING"):
        monkeypatch.setattr(f"disttrack.simulator.game.engines.compiled.{cost}", 0.0)
    intact, sizes = TRACKERS[name][0], {"sites": 5, "items": 20_000}
    for fault in faults_of(type(intact)):
        games = [
            facts(ItemFrequency().match(broken(intact, fault), ADVERSARIES[0], sizes, seed=1, engine=engine))
            for engine in ("step", "leap", "auto")
        ]
        assert games[0] == games[1] == games[2]
        assert games[0] != facts(ItemFrequency().match(intact, ADVERSARIES[0], sizes, seed=1))
