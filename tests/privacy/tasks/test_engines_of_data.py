"""Games in arrays are those of single moves: tasks of this wing, their mechanisms and opponents, at drawn sizes."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import MISSING
from typing import Any, Final

import pytest

from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import kinds, parameters
from tests.privacy.mechanisms.test_array_forms_of_data import LEARNED, SKETCHED
from tests.privacy.tasks.test_registered_games_of_data import GAMES

STRETCHES: Final = {"continual-count": 4500, "experts": 4500, "prediction": 60, "second-moment": 16_386}
"""The tasks with arrays for several classes, and numbers of steps that take more than a stretch."""
GIVEN: Final = {
    "noise": [0, 0.2], "share": [0.5], "of": ["round-robin", "point-stream"], "signs": ["dense", "hashed"],
    "weighted": [True, False], "constant": [0.1, 2.0],
}  # fmt: skip
"""Values of parameters that change how a game is played."""


def entry(rng: random.Random, kind: str, known: dict[str, Any]) -> dict[str, Any]:
    """Return a kind with the parameters that it needs, and those in `GIVEN`."""
    given = usual(kind, list(known)) | LEARNED.get(kind, {}) | SKETCHED.get(kind, {})
    filled = "horizon", "points"  # from the sizes
    needed = [name for name, default in known.items() if default is MISSING and name in given and name not in filled]
    drawn = {name: rng.choice(GIVEN[name]) for name in known if name in GIVEN}
    return {"kind": kind, **{name: given[name] for name in needed}, **drawn}


def drawn(name: str, number: int) -> dict[str, Any]:
    """Return a drawn game of a task; each tenth takes more than a stretch, by an opponent that does not react."""
    rng, task, sizes = random.Random(f"{name} {number}"), kinds("task")[name].load(), dict(GAMES[name])
    clock, long = "updates" if "updates" in sizes else "steps", number % 10 == 9
    sizes[clock] = STRETCHES[name] if long else rng.choice([1, 2, 5, 33])
    loaded = {kind: one.load() for kind, one in task.kinds("adversary").items()}
    opponents = [kind for kind, one in loaded.items() if one.plays_in(name) and (one.oblivious or not long)]
    chosen = {"protocol": rng.choice([*task.kinds("protocol")]), "adversary": rng.choice(opponents)}
    sides = {side: entry(rng, kind, parameters(task.kinds(side)[kind].load())) for side, kind in chosen.items()}
    return {"task": name, **sizes, **sides}


@pytest.mark.parametrize("name", STRETCHES)
def test_a_game_in_arrays_is_that_of_single_moves(name: str) -> None:
    """Opponents that do not react are not asked after the last step, where nothing is left to plan."""
    met = Counter[str]()
    for number in range(50):
        given = drawn(name, number)
        try:
            points = [load({**given, "engine": engine}).points[0] for engine in ("step", "auto")]
            step, auto = (point.task.make().play(point, number) for point in points)
        except (MoveError, ScenarioError):  # a side that needs something else
            met["refused"] += 1
            continue
        assert step.row == {**auto.row, "engine": "step", "seconds": step.row["seconds"]}, given
        assert step.series == auto.series
        assert step.row["verdict"] != "error"
        met[auto.row["engine"]] += 1
        met["stretches"] += auto.row["engine"] == "arrays" and number % 10 == 9
    assert met["arrays"] >= 12, met
    assert min(met["step"], met["stretches"]) >= 2, met
