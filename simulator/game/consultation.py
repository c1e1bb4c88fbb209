"""When an adversary is asked for a plan, and what its answer means: one rule for all engines and all kinds of games.

Between two changes of what it watches an adversary learns nothing. So it is asked at the start, whenever that has
changed, and when its plan has run out. An answer is a plan that takes over with the next step, or None: the present
plan goes on, and if it has run out there is nothing more to come.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Rest, Schedule
from disttrack.simulator.errors import MoveError

LATER: Final = Rest()
"""The answer of one who is played from outside and has none yet: it stays due, and the game must stand still."""


class Consultation:
    """One adversary and its plans in one game.

    Parameters
    ----------
    adversary
        This game's own.
    view
        What it sees; whoever asks brings it up to date before.

    Attributes
    ----------
    due
        The step after which it is to be asked: the last one of its plan, or one before if there is news.
    plan, begun, end
        The plan in force: its first step is the one after `begun`, its last one is `end`.
    over
        Whether it has nothing more to do.
    reacts
        Whether what it watches plays a part.
    """

    __slots__ = ("_known", "adversary", "begun", "due", "end", "over", "plan", "reacts", "view")

    def __init__(self, adversary: Adversary, view: View) -> None:
        self.adversary, self.view = adversary, view
        self.reacts = not adversary.oblivious
        self.plan: Schedule = Rest()
        self.begun = self.end = self.due = 0  # at the start there is no plan: it has run out
        self.over = False
        self._known: set[type] = set()
        """Classes of the plans so far."""

    def news(self, step: int) -> None:
        """Take note that what it watches has changed in this step."""
        if self.reacts:
            self.due = step

    def ask(self, step: int) -> Schedule | None:
        """Ask it after this step, and return the plan that takes over; None if none does."""
        return self.accept(self.adversary.plan(self.view), step)

    def accept(self, answer: Schedule | None, step: int) -> Schedule | None:
        """Take its answer after this step, and return the plan that takes over; None if none does.

        Raises
        ------
        MoveError
            The answer is no plan, or one that names a site that is not there.
        """
        if answer is None or (answer is self.plan and step < self.end):
            self.due = self.end
            self.over = step >= self.end
            return None
        if answer is LATER:
            return None
        if type(answer) not in self._known:  # isinstance of an abstract class takes its time
            if not isinstance(answer, Schedule):
                self._refuse(answer, step)
            self._known.add(type(answer))
        if answer.lowest() < 0 or answer.highest() >= self.view.sites:
            self._refuse(answer, step)
        return answer

    def follow(self, plan: Schedule, step: int) -> None:
        """Put a plan in force from the step after this one on."""
        self.plan, self.begun = plan, step
        self.end = self.due = step + plan.length
        self.over = False

    def _refuse(self, answer: Any, step: int) -> NoReturn:
        who = f"adversary {self.adversary.kind or type(self.adversary).__name__}"
        if not isinstance(answer, Schedule):
            raise MoveError(
                f"{who}: plan() returned {answer!r} after step {step}; accepted: a schedule "
                "(Burst, Rest, Rotation, Labels, Runs) or None"
            )
        lowest, highest = answer.lowest(), answer.highest()
        site = lowest if lowest < 0 else highest
        raise MoveError(
            f"{who}: named site {site} at step {step + answer.first_step(site)}; "
            f"this game has sites 0 … {self.view.sites - 1}"
        )
