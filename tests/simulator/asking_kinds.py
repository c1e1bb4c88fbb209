"""Small games of tasks, which an asking kind plays, or is refused in a line that names a game of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hostile import hold_line

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import build
from disttrack.simulator.kinds.registry import kinds

ASKING: Final = {name: kind.load() for name, kind in kinds("adversary").items()}
"""The asking kinds by name."""
REFUSED: Final = "refused"


def played(task: str, keys: Mapping[str, Any], adversary: str) -> str:
    """Return the verdict of a small game, or the line that refuses it."""
    entry = {"kind": adversary, "sees": getattr(ASKING[adversary], "sees", "outputs")}
    try:
        scenario = build(Document("s.yaml", Path.cwd(), {"task": task, "adversary": entry, **keys}))
        return str(scenario.task.play(scenario.points[0], 1).row["verdict"])
    except ScenarioError as error:
        hold_line(error)
        return f"{REFUSED}: {error}"


def games_of(name: str, games: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Return which of these games an asking kind plays; assert that the others refuse it by the names of its own."""
    outcomes = {task: played(task, keys, name) for task, keys in games.items()}
    wrong = {task: said for task, said in outcomes.items() if not said.startswith((REFUSED, "ok", "failed", "undec"))}
    assert not wrong
    for task in set(games) - {"audit"}:  # which has inputs of its own
        if not ASKING[name].plays_in(task):
            assert outcomes[task].startswith(REFUSED), task
            assert any(own in outcomes[task] for own in ASKING[name].plays), outcomes[task]
    plays = {task for task, said in outcomes.items() if not said.startswith(REFUSED)} - {"audit", "joint-privacy"}
    assert plays <= set(ASKING[name].plays or games)
    return plays
