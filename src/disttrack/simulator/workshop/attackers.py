"""All registered attackers of a game, as entries of a scenario."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from disttrack.adversaries.replay import Moves
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.columns import ADVERSARY
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.registry import make, parameters


def attackers(task: type[Task], domain: int | None) -> Iterator[dict[str, object]]:
    """Yield the entries of the adversaries that play a task without a parameter of their user's."""
    for name, kind in task.kinds(ADVERSARY).items():
        maker = kind.load()
        plays_in = getattr(maker, "plays_in", None)
        if maker is not Moves and (plays_in is None or plays_in(task.kind)):  # a list is a user's
            with suppress(ScenarioError):  # it needs a file, or a parameter
                make(ADVERSARY, maker, {})
                own = {"domain": domain} if domain and "domain" in parameters(maker) else {}
                yield {**with_power(name, maker), **own}


def with_power(kind: str, maker: object) -> dict[str, object]:
    """Return the entry of an adversary that grants what it needs to see."""
    sees = getattr(maker, "sees", "outputs")
    return {"kind": kind} if sees == "outputs" else {"kind": kind, "sees": sees}
