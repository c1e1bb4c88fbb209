"""Names of items: whole numbers of any size and texts, never converted, in every tracker and on every engine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from enum import IntEnum
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disttrack.adversaries.contents import ItemAdversary, Pairs
from disttrack.protocols import contents
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencySample,
    HeavyHitters,
    ItemTracker,
    RankDeterministic,
)
from disttrack.simulator.errors import MoveError
from disttrack.simulator.experiments.results.stored import read_table
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.tasks.contents import task as tasks
from disttrack.simulator.game.tasks.duel import play_duel

SMALL: Final = {"strength": 1.0, "largest": 1e4, "size": 20, "phi": 0.5, "alpha": 0.4}
"""Parameters with which games of few items have coins, rounds and summaries."""
TRACKERS: Final = [
    one(**{name: SMALL[name] for name in one.__dataclass_fields__ if name in SMALL})
    for one in (getattr(contents, name) for name in contents.__all__)
    if isinstance(one, type) and issubclass(one, ItemTracker) and one.kind
]
GAMES: Final = {
    one.kind: one() for one in vars(tasks).values() if isinstance(one, type) and getattr(one, "kind", "") in PROBLEMS
}
NUMBERS: Final = sorted(
    {2**63 + step for step in range(-2, 3)} | {2**53, 2**53 + 1, 0, -1, -(2**63) - 1, 2**64, 10**400}
)
TEXTS: Final = sorted(["7", "007", "7.0", "", "é", "nan", "None", str(2**63)])


class Listed(ItemAdversary):
    """Plays a list of sites and items: once, then in turn with its mirror image; reacts if asked to."""

    kind = "listed"

    def __init__(self, sites: Sequence[int], items: Sequence[Any], *, oblivious: bool = True, length: int = 40) -> None:
        self.lists, self.oblivious, self.length = (list(sites), list(items)), oblivious, length  # type: ignore[misc]
        self.turn = 0

    def plan(self, view: Any) -> Pairs:
        self.turn += 1
        sites, items = (listed[:: -1 if self.turn % 2 else 1] for listed in self.lists)
        return Pairs(sites, items, self.length)


def outcome(tracker: ItemTracker, task: str, adversary: ItemAdversary, engine: str) -> tuple[Any, ...]:
    """Return the transcript of a game, its estimates, its errors, and the item of the largest one."""
    game = GAMES[task].match(tracker, adversary, {"sites": 3, "items": 90}, seed=5, engine=engine, record=True)
    row = game.problem.row()
    del row["worst_item"]
    return game.transcript, game.server.estimates, row, game.problem.worst_item if row["worst_step"] else None


@pytest.mark.parametrize("tracker", TRACKERS, ids=lambda one: one.kind)
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_game_does_not_depend_on_the_names(tracker: ItemTracker, data: st.DataObject) -> None:
    """With other names in the same order, step and leap play the same game: names never merge, nor change."""
    task = data.draw(st.sampled_from(tracker.plays))
    ordered = PROBLEMS[task].ordered
    pool: list[Any] = data.draw(st.sampled_from([NUMBERS, TEXTS] if ordered else [NUMBERS, TEXTS, NUMBERS + TEXTS]))
    kinds = len(pool)
    steps = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, kinds - 1)), min_size=1, max_size=25))
    sites, places = zip(*steps, strict=True)
    how: dict[str, Any] = {"oblivious": data.draw(st.booleans()), "length": data.draw(st.integers(1, 60))}
    plain = Listed(sites, places, **how)
    named = Listed(sites, [pool[place] for place in places], **how)
    transcript, estimates, row, worst = outcome(tracker, task, plain, "leap")
    expected = transcript, {pool[item]: copies for item, copies in estimates.items()}, row
    for engine in ("step", "leap"):
        *found, item = outcome(tracker, task, named, engine)
        assert tuple(found) == expected
        assert item == (None if worst is None else pool[worst])
        assert {*map(type, found[1])} <= {int, str}


def games_of_texts() -> str:
    """Return the outcomes of games in which some texts come equally often, so that errors are equal."""
    games = []
    for tracker, length in product(TRACKERS, (1, 40)):
        adversary = Listed([0] * 8, TEXTS, length=length)
        games += [outcome(tracker, task, adversary, "leap") for task in tracker.plays]
    return repr(games)


def test_a_game_does_not_depend_on_the_hashes_of_texts() -> None:
    """Python hashes texts anew in each process, and sets are in the order of hashes."""
    code = "import runpy, sys; print(runpy.run_path(sys.argv[1])['games_of_texts']())"
    command = [sys.executable, "-c", code, __file__]
    seed = 1 if os.environ.get("PYTHONHASHSEED", "random") == "0" else 0
    other = subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": str(seed)}, text=True)
    assert other == f"{games_of_texts()}\n"


class Seven(IntEnum):
    SEVEN = 7


@pytest.mark.parametrize(
    ("items", "accepted"),
    [
        ([2**63 - 1, 2**63], [2**63 - 1, 2**63]),
        (np.array([2**63, 1], dtype=np.uint64), [2**63, 1]),
        ([np.int64(3), 2**70], [3, 2**70]),
        (["7", 7], ["7", 7]),
        ([np.str_("a"), Seven.SEVEN], ["a", 7]),
        (pd.Series(["a", "b"]), ["a", "b"]),
        ((place for place in (5, 6)), [5, 6]),
    ],
)
def test_names_stay_as_they_are(items: Any, accepted: list[Any]) -> None:
    plan = Pairs([0, 1], items)
    assert [plan.items.at(step) for step in (1, 2)] == accepted
    assert [type(plan.items.at(step)) for step in (1, 2)] == [*map(type, accepted)]
    assert [plan.items.count(item, 2) for item in accepted] == [1, 1]
    assert [plan.cells(2).nth((item, site), 1) for site, item in enumerate(accepted)] == [1, 2]


def test_numbers_and_texts_together_have_no_ranks() -> None:
    for items in (["7", 7], [2**70, "a"]):
        adversary = Listed([0, 1], items)
        assert play_duel(FrequencyDeterministic(alpha=0.2), adversary, sites=2, items=50).ok
        for task, tracker in (
            ("item-rank", RankDeterministic(alpha=0.2)),
            ("item-sampling", contents.ItemSample(alpha=0.5)),
        ):
            with pytest.raises(
                MoveError, match=f"adversary listed: .* numbers and texts; task {task} orders them"
            ):
                play_duel(tracker, adversary, sites=2, items=50)
    game = GAMES["item-frequency"].match(
        FrequencySample(alpha=0.2), Listed([0, 1], ["7", 7]), {"sites": 2, "items": 9}, seed=1
    )
    with pytest.raises(ValueError, match=r"^items are numbers and texts, which have no common order"):
        game.server.quantile(0.5)


class Packets(ItemAdversary):
    """Items with a weight, without saying so before."""

    kind = "packets"

    def __init__(self, weight: int, number: int, length: int) -> None:
        self.weight, self.number, self.length = weight, number, length

    def plan(self, view: Any) -> Pairs:
        return Pairs([0] * self.number, range(self.number), self.length, [self.weight] * self.number)


@pytest.mark.parametrize("tracker", [FrequencyDeterministic(alpha=0.2), HeavyHitters(alpha=0.2, phi=0.3)])
def test_weights_do_not_overflow(tracker: ItemTracker) -> None:
    with pytest.raises(ValueError, match=r"^weights must add up to at most 2\^61; got 23,058,430,092,136,939,520$"):
        play_duel(tracker, Packets(2**60, 20, 20), sites=2, items=20)
    with pytest.raises(MoveError, match=r"weights of more than 2\^61 in all"):
        play_duel(tracker, Packets(2**60, 1, 20), sites=2, items=20)
    with pytest.raises(MoveError, match=r"weights of more than 2\^61 in all"):
        play_duel(tracker, Packets(2**60, 1, 1), sites=2, items=20)
    for engine, weight in product(("step", "leap"), (2**60, 2**56)):
        game = play_duel(tracker, Packets(weight, 2, 8), sites=2, items=2 if weight == 2**60 else 32, engine=engine)
        assert game.ok


MINE: Final = """
from disttrack.adversaries.contents import ItemAdversary, Pairs

class Names(ItemAdversary):
    def __init__(self, of: int) -> None:
        self.of = of
    def plan(self, view):
        return Pairs([0], [[2**53 + 1, 2**70 + 1, "7", 7][self.of]])
"""


def test_a_table_shows_texts_in_quotes_and_numbers_to_the_last_digit(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    adversary = {"kind": f"{tmp_path / 'mine.py'}:Names", "of": [0, 1, 2, 3]}
    protocol = {"kind": "frequency-deterministic", "alpha": 0.3}
    given = {"name": "names", "task": "item-frequency", "sites": 1, "items": 30}
    run({**given, "protocol": protocol, "adversary": adversary}, out=tmp_path / "out", workers=1)
    table = read_table(tmp_path / "out" / "trials.csv")
    assert table["worst_item"].tolist() == [str(2**53 + 1), str(2**70 + 1), "'7'", "7"]


def test_parameters_that_are_texts_are_not_read_as_numbers(tmp_path: Path) -> None:
    """Columns 007 and 7 of a file are two settings in trials.csv, too."""
    (tmp_path / "t.csv").write_text("a,x\nb,y\nc,x\n")
    adversary = {"kind": "trace", "file": str(tmp_path / "t.csv"), "columns": "007,7", "site": ["007", "7"]}
    run({"name": "texts", "protocol": "exact", "adversary": adversary}, out=tmp_path / "out", workers=1)
    assert read_table(tmp_path / "out" / "trials.csv")["site"].tolist() == ["007", "7"]
