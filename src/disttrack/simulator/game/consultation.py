"""When an adversary is asked for a plan, and how its answer is used: one rule for all engines and kinds of games.

Between two changes of the data that it watches an adversary learns nothing. So it is asked at the start, after each
change, and when its plan has run out. An answer is a plan that takes over with the next step, or None: the present
plan continues, and if it has run out the game ends.
"""

from __future__ import annotations

from collections import Counter
from inspect import isasyncgen, isclass, iscoroutine, isfunction, isgenerator
from typing import Any, Final, NoReturn

import numpy as np

from disttrack.adversaries.base import Adversary, BlindView, Choice, View
from disttrack.adversaries.replay import SKIP, Recorder
from disttrack.adversaries.schedules import Rest, Schedule
from disttrack.adversaries.scripts import NoPlan, Script, Scripted
from disttrack.simulator.errors import MoveError, must_be, shortened, sites_of_game
from disttrack.simulator.kinds.installed import is_compared
from disttrack.simulator.kinds.names import side_name

CHECKED: Final = 200
"""Steps of a user's plan whose methods are compared."""
LATER: Final = Rest()
"""The answer of an adversary played from outside that has none yet: it stays due, and the game must wait."""


class Consultation:
    """One adversary and its plans in one game.

    Parameters
    ----------
    adversary
        This game's copy.
    view
        Its view, which the caller updates before asking.
    takes
        The class of its plans.

    Attributes
    ----------
    due
        The step after which it is to be asked: the last one of its plan, or earlier if the watched data changed.
    plan, begun, end
        The plan in force: its first step is the one after `begun`, its last one is `end`.
    over
        Whether it has no further moves.
    reacts
        Whether the watched data can influence it.
    """

    __slots__ = ("_known", "_sites", "adversary", "begun", "due", "end", "over", "plan", "reacts", "takes", "view")

    def __init__(self, adversary: Adversary, view: View, takes: type[Any] = Schedule) -> None:
        self.adversary, self.view, self.takes = adversary, view, takes
        self._sites = view.sites  # read once per plan
        self.reacts = not adversary.oblivious
        if adversary.oblivious and type(view) is View:
            view.__class__ = BlindView
        self.plan: Schedule = Rest()
        self.begun = self.end = self.due = 0  # at the start there is no plan, as if it had run out
        self.over = False
        self._known: set[type] = set()
        """Classes of the plans so far."""

    def news(self, step: int) -> None:
        """Record that the watched data changed in this step."""
        if self.reacts:
            self.due = step

    def ask(self, step: int) -> Schedule | None:
        """Ask it after this step, and return the plan that takes over; None if the present one continues."""
        return self.accept(self.adversary.plan(self.view), step)

    def accept(self, answer: Schedule | None, step: int) -> Schedule | None:
        """Take its answer after this step, and return the plan that takes over; None if the present one continues.

        Raises
        ------
        MoveError
            The answer is no plan, or names a site that does not exist.
        """
        if answer is None or (answer is self.plan and step < self.end):
            if self.takes is Schedule and self.begun == self.end == step == 0 and self._forgets():
                self._refuse(NoPlan("its first plan is None"), step)
            self.due = self.end
            self.over = step >= self.end
            return None
        if answer is LATER:
            return None
        if type(answer) not in self._known:  # isinstance of an abstract class is slow
            if not isinstance(answer, self.takes):
                self._refuse(answer, step)
            if isinstance(answer, Schedule) and not is_compared(type(answer).__module__):
                self._check_plan(answer)
            self._known.add(type(answer))
        lowest, highest = answer.named()
        if lowest < 0 or highest >= self._sites:
            self._refuse(answer, step)
        return answer

    def follow(self, plan: Schedule, step: int) -> None:
        """Put a plan in force from the step after this one."""
        self.plan, self.begun = plan, step
        self.end = self.due = step + plan.length
        self.over = False

    def _check_plan(self, plan: Schedule) -> None:
        """Raise MoveError if methods of a user's plan describe different plans: engines ask different ones."""
        counts: Counter[int] = Counter()
        for step in range(1, min(plan.length, CHECKED) + 1):
            site = plan.at(step)
            if site is None:
                continue
            counts[site] += 1
            told = plan.count(site, step), plan.nth(site, counts[site]), plan.sent(step)
            if told != (counts[site], step, counts.total()):
                wanted = counts[site], step, counts.total()
                self._unequal(plan, f"count({site}, {step}), nth({site}, {wanted[0]}), sent({step})", wanted, told)
        lowest, highest = plan.named()
        if counts and not lowest <= min(counts) <= max(counts) <= highest:
            self._unequal(plan, "named()", (min(counts), max(counts)), (lowest, highest))

    def _unequal(self, plan: Schedule, methods: str, wanted: object, returned: object) -> NoReturn:
        """Raise the error of methods of a plan that return otherwise than `at`."""
        name = f"{self._who()}: {type(plan).__name__}: {methods}"
        raise MoveError(must_be(f"{wanted} by at()", returned, name))

    def _forgets(self) -> bool:
        """Return whether None in place of a first plan is that of a user's method without return."""
        plan = getattr(type(self._played), "plan", None)
        return not is_compared(getattr(plan, "__module__", ""))

    @property
    def _played(self) -> Adversary:
        """The adversary itself, and not what records it."""
        return self.adversary.inner if isinstance(self.adversary, Recorder) else self.adversary

    def _who(self) -> str:
        return f"adversary {side_name(self._played)}"

    def _refuse(self, answer: object, step: int) -> NoReturn:
        who = self._who()
        if not isinstance(answer, self.takes):
            any_plan = "a schedule (Burst, Rest, Rotation, Labels, Runs)"
            accepted = f"{any_plan if self.takes is Schedule else self.takes.__name__} or None"
            adversary = self._played
            said = adversary.says if isinstance(adversary, Choice | Scripted) else "plan() returned"
            if self.takes is Schedule and isinstance(adversary, Choice) and adversary.each_item:
                accepted = "a site's number, a schedule or None"
            if isinstance(answer, NoPlan):
                word = "yield" if isinstance(adversary, Script | Scripted) else "return"
                raise MoveError(f"{who}: {answer.did}; {word} {any_plan if self.takes is Schedule else accepted}")
            hint = _meant(answer, adversary) if self.takes is Schedule else ""
            if hint == "" and isinstance(answer, int | np.integer) and answer == SKIP:
                hint = "; Rest(1) skips a step"
            shown = shortened(repr(answer))
            raise MoveError(f"{who}: {said} {shown} after step {step}; accepted: {accepted}{hint}")
        lowest, highest = answer.named()
        site = lowest if lowest < 0 else highest
        skip = "return None" if isinstance(self._played, Choice) and self._played.each_item else "Rest(1)"
        raise MoveError(
            f"{who}: named site {site} at step {step + answer.first_step(site)}; "
            f"{sites_of_game(self.view.sites)}" + f"; {skip} skips a step" * (site == SKIP)
        )


def _whole(answer: object) -> int | None:
    """Return a number that can be one of a site, of Python or numpy; None for anything else."""
    numbers = (int, float, np.integer, np.floating)
    if not isinstance(answer, numbers) or isinstance(answer, bool) or not 0 <= answer < np.inf or answer % 1:
        return None
    return int(answer)


def _site_meant(answer: Any, each_item: bool, word: str) -> str:
    """Return what to write in place of a number; empty if it is that of no site."""
    quotient = ": write // for /" * isinstance(answer, float | np.floating)
    site = _whole(answer)
    if site is None:
        return f"; a site is a whole number{quotient}" if quotient and 0 <= answer < np.inf else ""
    if each_item:
        return f"; return {site}, a whole number{quotient}"
    return f"; {word} Burst({site}) feeds site {site} until the output changes"


def _meant(answer: object, adversary: Adversary) -> str:
    """Return what to write in place of an answer that is no plan; empty where it cannot be guessed."""
    scripted = isinstance(adversary, Script | Scripted)
    word = "yield" if scripted else "return"
    if isgenerator(answer):
        from_method = "yield in a function, or in script(view) of a disttrack.adversaries.scripts.Scripted"
        return f"; {'write yield from' if scripted else from_method}"
    if iscoroutine(answer) or isasyncgen(answer):
        if iscoroutine(answer):
            answer.close()
        return "; write def in place of async def"
    if isinstance(answer, bool | np.bool_):
        return "; True and False are no sites"
    if isinstance(answer, int | float | np.integer | np.floating):
        return _site_meant(answer, isinstance(adversary, Choice) and adversary.each_item, word)
    if isclass(answer) and issubclass(answer, Schedule):
        return f"; {answer.__name__} is a class: {word} {answer.__name__}(…)"
    if isinstance(answer, Adversary):
        return f"; {word} a plan: {type(answer).__name__}(…).plan(view)"
    if isfunction(answer):
        return "; name its result: mine = make(3)"
    if isinstance(answer, list | tuple) and answer and all(isinstance(one, Schedule) for one in answer):
        return "; yield one plan at a time"
    listed = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if isinstance(listed, list | tuple) and listed and all(_whole(one) is not None for one in listed):
        few = f"[{', '.join(str(_whole(one)) for one in listed[:4])}{', …' * (len(listed) > 4)}]"
        pair = isinstance(answer, tuple) and len(answer) == 2
        burst = f"Burst({few[1:-1]}) feeds one site so often, " if pair else ""
        return f"; {word} {burst}Labels({few}) feeds these sites in turn"
    return ""
