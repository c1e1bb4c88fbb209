"""Adversaries that react to the outputs in every form that a plan may have."""

from __future__ import annotations

from disttrack.adversaries import Adversary, Burst, Labels, Rotation, Runs, View
from disttrack.adversaries.schedules import Schedule


class Turning(Adversary):
    """Goes over all sites in turn, from another one whenever the output has changed."""

    kind = "turning"

    def plan(self, view: View) -> Schedule:
        return Rotation(view.sites, 7 * view.changes)


class Rushing(Adversary):
    """Three bursts in a row, two of which depend on the changes of the output."""

    kind = "rushing"

    def plan(self, view: View) -> Schedule:
        return Runs([view.changes % view.sites, 3 * view.changes % view.sites, 0], [5 + view.changes % 7, 30, 9])


class Stepping(Adversary):
    """Bursts of one to three items."""

    kind = "stepping"

    def plan(self, view: View) -> Schedule:
        return Burst(3 * view.sent % view.sites, 1 + view.sent % 3)


class Leaving(Adversary):
    """Gives up when its plan has run out after 400 items."""

    kind = "leaving"

    def plan(self, view: View) -> Schedule | None:
        return Burst(view.sent % view.sites, 9) if view.sent < 400 else None


class Mixing(Adversary):
    """Every form of an answer in turn: bursts with and without an end, lists, rotations, the same plan again, none."""

    kind = "mixing"

    def __init__(self) -> None:
        self.asked = 0
        self.last: Schedule | None = None

    def plan(self, view: View) -> Schedule | None:
        self.asked += 1
        if self.asked % 3 == 0 and view.changes % 2:
            return None if self.asked % 2 else self.last
        answers: list[Schedule] = [
            Burst(self.asked % view.sites),
            Rotation(view.sites, self.asked),
            Burst(0, 4),
            Runs([0, view.sites - 1], [3, 3]),
            Labels([view.sites - 1, 0, view.changes % view.sites], view.sites),
        ]
        self.last = answers[self.asked % len(answers)]
        return self.last


REACTIONS: tuple[type[Adversary], ...] = (Turning, Rushing, Stepping, Leaving, Mixing)
