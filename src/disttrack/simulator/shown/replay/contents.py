"""A game of items, watched for its replay: from one item, the one whose estimate is off the most."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np

from disttrack.adversaries.replay import Recorder, Turn
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.contents.problem import SLACK, Frequency
from disttrack.simulator.game.engines.contents import ContentLeap
from disttrack.simulator.game.tasks.contents.task import ItemFrequency
from disttrack.simulator.kinds.point import Point


def watched(point: Point, seed: int) -> tuple[ContentLeap, int | str, list[tuple[int, int]], list[Turn]]:
    """Play a game of `item-frequency` twice: to find the item whose estimate is off the most, and to watch it.

    Returns
    -------
    game
        The engine after the last step, with the transcript.
    item
        That item.
    history
        Steps at which its estimate changed, and the new one.
    turns
        The adversary's turns, with that estimate and the number of its changes as what it saw.

    Raises
    ------
    ScenarioError
        Its items have weights.
    """
    task = ItemFrequency()
    tracker, adversary = task.sides(point)
    sizes = task.sizes_of(point)
    if getattr(adversary, "heaviest", 1) > 1:
        raise ScenarioError(f"{point.describe()}: games of items with weights cannot be replayed")
    item = task.match(tracker, adversary, sizes, seed=seed).problem.worst_item
    history: list[tuple[int, int]] = []

    class Watching(Frequency):
        """The same problem, which keeps the estimates of that item."""

        def news(self, step: int, items: Iterable[int | str]) -> bool:
            changed = super().news(step, items)
            estimate = self.server.estimates.get(item, 0)
            if estimate != (history[-1][1] if history else 0):
                history.append((step, estimate))
            return changed

    recorder: Any = Recorder(adversary)
    game = ContentLeap(tracker, recorder, Watching, sites=sizes["sites"], items=sizes["items"], seed=seed, record=True)
    game.play()
    moved = [step for step, _ in history]
    turns = [
        turn._replace(output=estimate_at(history, moved, turn.step), changes=bisect_right(moved, turn.step))
        for turn in recorder.turns
    ]
    return game, item, history, turns


def estimate_at(history: list[tuple[int, int]], moved: list[int], step: int) -> int:
    """Return the estimate at the end of a step."""
    place = bisect_right(moved, step)
    return history[place - 1][1] if place else 0


def copies_of(item: int | str, plan: Any, begun: int, taken: int) -> list[int]:
    """Return the steps of an item's copies while a plan was in force; it may be None."""
    number = int(plan.items.count(item, taken)) if taken else 0
    steps: list[int] = (begun + plan.items.nth(item, np.arange(1, number + 1))).tolist() if number else []
    return steps


def first_failure(history: list[tuple[int, int]], copies: list[int], alpha: float, end: int) -> int | None:
    """Return the first step at whose end the estimate is off by more than alpha times the items; None if none is.

    Until the estimate changes or a copy comes the error only shrinks, as the items grow.
    """
    moved = [step for step, _ in history]
    for step in sorted({*moved, *copies}):
        held = bisect_right(copies, step)
        if step <= end and abs(estimate_at(history, moved, step) - held) > alpha * step * SLACK:
            return step
    return None
