"""The compiled engine of games of items: one transcript with `leap` and `step`, for every tracker that has a form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import pytest
from uncompiled import as_written

import disttrack.adversaries.contents as adversaries
import disttrack.protocols.contents as trackers
from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    FrequencySwitching,
    HeavyHitters,
    ItemSample,
    ItemTracker,
    RankDeterministic,
    RankRandomized,
)
from disttrack.protocols.contents.kernel import AT, CELLS, COPIES, KEY, LASTS, OWN_ROW, SPREADS, cell_of, list_cell
from disttrack.simulator.game.engine_choice import UncompiledError
from disttrack.simulator.game.engines import compiled, contents_compiled
from disttrack.simulator.game.engines.contents_compiled import ContentCompiled, Numbers
from disttrack.simulator.game.tasks.contents.task import (
    ContentGame,
    HeavyHitterGame,
    ItemFrequency,
    RankGame,
    SampleGame,
    row_of,
)
from disttrack.simulator.kinds.faults import broken, faults_of

pytest.importorskip("numba")

TRACKERS: Final[dict[str, tuple[ItemTracker, ...]]] = {
    "frequency-deterministic": (FrequencyDeterministic(alpha=0.2), FrequencyDeterministic(alpha=0.01)),
    "frequency-sample": (FrequencySample(alpha=0.2, strength=2), FrequencySample(alpha=0.5, strength=0.01)),
    "frequency-randomized": (FrequencyRandomized(alpha=0.3, strength=1), FrequencyRandomized(alpha=0.05, strength=0.1)),
    "frequency-switching": (
        FrequencySwitching(alpha=0.9, strength=0.01, largest=1e4),
        FrequencySwitching(alpha=0.5, strength=0.001, largest=3000.0),
    ),
    "heavy-hitters": (
        HeavyHitters(alpha=0.1, phi=0.2),
        HeavyHitters(alpha=0.05, phi=0.06),
        HeavyHitters(alpha=0.3, phi=0.4, by="sample", strength=1),
        HeavyHitters(alpha=0.2, phi=0.3, by="randomized", strength=0.3),
    ),
    "item-sample": (ItemSample(alpha=0.5, size=1), ItemSample(alpha=0.3, size=40)),
    "rank-deterministic": (RankDeterministic(alpha=0.9), RankDeterministic(alpha=0.3)),
    "rank-randomized": (RankRandomized(alpha=0.9, strength=0.1), RankRandomized(alpha=0.5, strength=0.6)),
}
"""Of each kind with a form: parameters with which the scale grows often, or by much at once."""


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
ORDERED: Final = (*ADVERSARIES[:-2], adversaries.BlindSplits(bits=60), Looking(name=7, other=2**60))
"""The same with numbers of 64 bits only."""
SMALL: Final = {"sites": 5, "items": 300}
SIZES: Final = ((1, 1), (1, 60), (5, 500), (20, 1000))


def tasks_of(tracker: ItemTracker) -> list[ContentGame]:
    """Return the tasks that judge a tracker's answers."""
    return [
        task for task in (ItemFrequency(), HeavyHitterGame(), SampleGame(), RankGame()) if task.kind in tracker.plays
    ]


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


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (compiled, contents_compiled):
        monkeypatch.setattr(module, "compiled", as_written)
    with np.errstate(over="ignore"):  # products are meant to overflow
        yield


def test_every_kind_with_a_form_is_compared() -> None:
    classes = [getattr(trackers, name) for name in trackers.__all__]
    forms = [one for one in classes if issubclass(one, ItemTracker) and one.item_form is not ItemTracker.item_form]
    assert {one.kind for one in forms} == TRACKERS.keys()


def hold_same(place: int) -> None:
    """Hold the games of an adversary by all engines against each other.

    Also that announcements, changes, reports of totals, long messages and errors in both directions come.
    """
    met = Counter[str]()
    for task, tracker in [(task, one) for listed in TRACKERS.values() for one in listed for task in tasks_of(one)]:
        adversary: Any = (ORDERED if task.problem.ordered else ADVERSARIES)[place]
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
                **{f"long {kind}": words > messages for kind, words, messages in zip(
                    *(row["kinds"][name] for name in ("kind", "words", "messages")), strict=True)},
            )  # fmt: skip
    assert min(met[kind] for kind in met.keys() - {"long total"}) > 0
    assert len(met) == 11


of_each = pytest.mark.parametrize("place", range(len(ADVERSARIES)), ids=lambda one: f"{ADVERSARIES[one].kind}-{one}")


@of_each
@pytest.mark.drawn(3)
@pytest.mark.usefixtures("uncompiled")
def test_it_plays_the_game_of_leap_and_of_step(place: int) -> None:
    hold_same(place)


@of_each
@pytest.mark.drawn(3)
@pytest.mark.slow
def test_compiled_it_plays_the_same(place: int) -> None:
    hold_same(place)


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
            tasks_of(tracker)[0].match(
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


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("name", TRACKERS)
def test_a_fault_is_not_played_by_the_form_of_the_intact_tracker(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen: a control with lost reports was the game without the fault, where compiled functions paid."""
    for cost in ("COMPILING", "LOADING"):
        monkeypatch.setattr(f"disttrack.simulator.game.engines.compiled.{cost}", 0.0)
    intact = TRACKERS[name][0]
    task = tasks_of(intact)[0]
    sizes = {"sites": 5, "items": 3_000 if task.problem.each_item else 20_000}
    for fault in faults_of(type(intact)):
        games = []
        for engine in ("step", "leap", "auto"):
            games.append(facts(task.match(broken(intact, fault), ADVERSARIES[0], sizes, seed=1, engine=engine)))
        assert games[0] == games[1] == games[2]
        assert games[0] != facts(task.match(intact, ADVERSARIES[0], sizes, seed=1))


def test_items_have_one_number_each_however_they_come() -> None:
    """Small numbers that are their own, larger ones later, and other names, in plans and singly."""
    happened = Counter[str]()
    for seed in range(200):
        rng, numbers, known = np.random.default_rng(seed), Numbers(), dict[Any, int]()
        for _ in range(6):
            before = type(numbers.names)
            size = int(rng.choice([1, 3, 40, 90]))
            names: list[Any] = rng.integers(-(rng.random() < 0.1), rng.choice([3, 40, 90]), size).tolist()
            if rng.random() < 0.2:
                names[0] = str(rng.choice(["x", "7"])) if rng.random() < 0.5 else 2**70
            came = numbers.of(Pairs([0] * size, names)) if size > 1 else [numbers.of_name(names[0])]
            for name, number in zip(names, came, strict=True):
                assert known.setdefault(name, int(number)) == number
                assert numbers.names[number] == name
            happened[f"{before.__name__} to {type(numbers.names).__name__}"] += 1
        assert len(set(numbers.names)) == len(numbers.names)
    assert min(happened[kinds] for kinds in ("range to range", "range to list", "list to list")) > 100, happened


def test_a_table_of_cells_keeps_them_while_it_grows_and_as_its_keys_outgrow_it() -> None:
    """With three sites the keys of new items outgrow each table, and the next table is larger than they are.

    Also the list of the cells that were reported, every third one.
    """
    rng = np.random.default_rng(1)
    form = FrequencyRandomized(alpha=0.1).item_form(3, rng, rng)
    modes, keys = Counter[tuple[int, int]](), []
    for known in range(1, 300):
        before = form.whole[SPREADS]
        with np.errstate(over="ignore"):  # products are meant to overflow
            form.make_room(known, 1, OWN_ROW, lambda function: function)
        modes[int(before), int(form.whole[SPREADS])] += 1
        keys.append(3 * (known - 1) + int(rng.integers(3)) + 1)
        cell = cell_of(form.whole, form.cells, keys[-1])
        form.cells[cell, COPIES] = keys[-1]
        if known % 3 == 1:
            list_cell(form.whole, form.cells, cell)
        assert form.cells[form.cells[: form.whole[LASTS], AT], KEY].tolist() == keys[::3]
        assert [form.cells[cell_of(form.whole, form.cells, key), COPIES] for key in keys] == keys
        assert form.whole[CELLS] == known
    assert len(modes) == 4
    assert min(modes.values()) >= 3
