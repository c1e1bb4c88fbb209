"""Adversaries of data sets as opponents: the updates one at a time, or all of them as one data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from disttrack.adversaries.updates import Live, UpdateStream, UpdateView
from disttrack.simulator.errors import MoveError
from disttrack.simulator.tasks.duel import known
from disttrack.simulator.tasks.loop import Mover

Update = tuple[int, int, int]
"""The code of a step, and the change of the data set: the item, and 1 if inserted, -1 if deleted, 0 if neither."""


class Updates(Mover):
    """An adversary's updates, applied to its data set.

    Parameters
    ----------
    stream
        This game's copy of the adversary.
    referee
        Has the exact answers as `truth`, which an adversary that reacts may see; None for an oblivious one.

    Attributes
    ----------
    ignored
        Updates that named no live item.
    """

    def __init__(self, stream: UpdateStream, referee: Any = None) -> None:
        self._stream, self._referee = stream, referee
        self._plan: Iterator[int] = iter(())
        self.ignored = 0

    def move(self, view: UpdateView) -> Any:
        """Apply the update of the next step and return it; a plan is dropped when the adversary sees new answers."""
        if self._referee is not None and view.changes and view.changed_at == view.steps:
            view.truth = self._referee.truth
            self._plan = iter(())
        code = next(self._plan, None)
        if code is None:
            self._plan = iter(self.planned(view))
            code = next(self._plan)
        return self.apply(view, code) if code else (0, 0, 0)

    def planned(self, view: UpdateView) -> list[int]:
        """Return the codes of the next steps."""
        left = view.items - view.steps
        planned = self._stream.updates(view)
        if planned is None or not len(planned):
            return [0] * left
        return np.asarray(planned)[:left].tolist()  # type: ignore[no-any-return]

    def apply(self, view: UpdateView, code: int) -> Update:
        """Apply an update in the next step."""
        view.sent += 1
        step = view.steps + 1
        if code > 0:
            if code > view.sites:
                reason = f"step {step}: item {code - 1} is not among the {view.sites:,} values of the domain"
                raise MoveError(f"adversary {self._stream.kind}: {reason}")
            view.live.insert(step, code - 1)
            return code, code - 1, 1
        item = view.live.delete(-code)
        if item is None:
            self.ignored += 1
            return code, 0, 0
        return code, item, -1


class DataSet(Updates):
    """An adversary whose one move is the data set that its updates make."""

    def move(self, view: UpdateView) -> list[int]:
        """Return the items."""
        while view.steps < view.items:
            for code in self.planned(view):
                if code:
                    self.apply(view, code)
                view.steps += 1
        return list(view.live.items.values())


def view_of(mechanism: Any, steps: int, rng: np.random.Generator) -> UpdateView:
    """Return the view of an adversary of data sets, before its first step."""
    view = UpdateView(live=Live(), sites=mechanism.domain, items=steps, known=known(mechanism), rng=rng)
    view.output = view.truth = np.zeros(mechanism.family.number)
    return view
