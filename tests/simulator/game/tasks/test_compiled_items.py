"""The compiled engine of games of items: faults, what it leaves to `leap`, numbers of items, and tables of cells.

Games by all engines are in test_contents_plain.py.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import numpy as np
import pytest
from plain_contents import TRACKERS, facts, tasks_of

import disttrack.adversaries.contents as adversaries
from disttrack.adversaries import View
from disttrack.adversaries.contents import Pairs
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    ItemTracker,
)
from disttrack.protocols.contents.kernel import (
    CELLS,
    COPIES,
    LASTS,
    OWN_ROW,
    SPREADS,
    cell_of,
    key_at,
    list_cell,
    listed_at,
)
from disttrack.simulator.game.engine_choice import UncompiledError
from disttrack.simulator.game.engines.contents_compiled import ContentCompiled, Numbers
from disttrack.simulator.game.tasks.contents.task import (
    ItemFrequency,
)
from disttrack.simulator.kinds.faults import broken, faults_of

pytest.importorskip("numba")
ZIPF: Final = adversaries.ZipfItems(domain=20)

def test_what_has_no_compiled_form_is_played_by_leap(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights, other problems, and games that are over before the functions are at hand; also without numba."""
    task, sizes = ItemFrequency(), {"sites": 3, "items": 200}
    tracker = FrequencyDeterministic(alpha=0.2)
    heavy = adversaries.ZipfItems(domain=20, heaviest=9)
    with pytest.raises(UncompiledError, match="without weights"):
        task.match(tracker, heavy, sizes, seed=1, engine="compiled")
    for base in {type(one) for listed in TRACKERS.values() for one in listed}:
        other = type("Other", (base,), {"scale": lambda self, known, k: 1})
        assert other.item_form is ItemTracker.item_form, "void by another rule"
    with pytest.raises(UncompiledError, match="no compiled form"):
        task.match(broken(tracker, "lost-reports"), ZIPF, sizes, seed=1, engine="compiled")
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
            games.append(facts(task.match(broken(intact, fault), ZIPF, sizes, seed=1, engine=engine)))
        assert games[0] == games[1] == games[2]
        assert games[0] != facts(task.match(intact, ZIPF, sizes, seed=1))


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
        listed = form.cells[listed_at(form.whole, 0) :, COPIES][: form.whole[LASTS]]
        assert [key_at(form.cells, cell, form.whole[SPREADS]) for cell in listed.tolist()] == keys[::3]
        assert [form.cells[cell_of(form.whole, form.cells, key), COPIES] for key in keys] == keys
        assert form.whole[CELLS] == known * form.whole[SPREADS]
    assert len(modes) == 4
    assert min(modes.values()) >= 3


class NewItems(adversaries.ItemAdversary):
    """Names items one by one, each of them three times."""

    kind = "new-items"

    def plan(self, view: View) -> Pairs:
        return Pairs([view.sent % view.sites], [view.sent // 3], 1)


@pytest.mark.slow
@pytest.mark.parametrize("tracker", [FrequencyDeterministic(alpha=0.2), FrequencyRandomized(alpha=0.2)])
@pytest.mark.parametrize("adversary", [adversaries.UniformItems(domain=500), NewItems()])
def test_cells_get_numbers_of_64_bits_as_keys_outgrow_32(
    tracker: ItemTracker, adversary: adversaries.ItemAdversary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With keys up to a thousand in place of 2^31; one adversary names all items at once, the other one by one."""
    monkeypatch.setattr("disttrack.protocols.contents.kernel.SMALL", 1000)
    task, sizes = ItemFrequency(), {"sites": 5, "items": 900}
    compiled: Any = task.match(tracker, adversary, sizes, seed=1, engine="compiled")
    assert facts(compiled) == facts(task.match(tracker, adversary, sizes, seed=1, engine="leap"))
    assert compiled.form.cells.dtype == np.int64
