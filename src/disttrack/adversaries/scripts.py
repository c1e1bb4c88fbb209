"""Opponents written as one generator, whose local variables are their memory: it reads like the algorithm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from inspect import isgeneratorfunction, signature
from types import GeneratorType
from typing import Any, ClassVar, Final, NamedTuple

from disttrack.adversaries.base import Adversary, Choice, Opponent, View
from disttrack.adversaries.schedules import NEVER, OVER, Burst, Schedule

_NONE_LEFT: Final = object()
_FIRST: Final = "yielded None in place of its first plan"
_RAN_OUT: Final = "yielded None when its plan had run out: return ends the game"


class NoPlan(NamedTuple):
    """What was done in place of giving a plan, in words; a game refuses it."""

    did: str


def _without_plan(present: object, begun: int, view: Any, begin: str = "") -> Any:
    """Return what a script did that yielded None, with what its message begins; None if its present plan goes on."""
    if present is not None and view.steps < _end_of(present, begun):
        return None
    return NoPlan(f"{begin}{_FIRST if present is None else _RAN_OUT}")


def _end_of(plan: object, begun: int) -> int:
    """Return the step at which a plan runs out that was given at a step; the game refuses what is none."""
    length = getattr(plan, "length", NEVER)
    return begun + length if isinstance(length, int) else NEVER


def after(plan: object) -> Schedule | None:
    """Return what follows the last plan of a script, when it is asked again.

    A burst without a length lasts until the output changes: that was its end, and the game's. Any other plan is played
    to its own end, with which the game ends.
    """
    return OVER if isinstance(plan, Burst) and plan.length >= NEVER else None


class Scripted(Opponent):
    """An opponent whose answers are yielded in turn. Subclasses define `script`; its local variables are their memory.

    It is listed before the base class of its role: ``class Freeze(Scripted, Adversary)``.
    """

    says: ClassVar[str] = "script() yielded"
    """What it does with an answer, for messages about it."""

    _script: Iterator[object] | None = None
    _present: object = None
    """The present plan."""
    _begun: int = 0
    """The step at which it was given."""

    @abstractmethod
    def script(self, view: Any) -> Iterator[Any]:
        """Yield the answer to each request of a game: a plan to feed sites, else a move.

        Each ``yield`` gives the view, which contains what has been seen since.
        """

    def move(self, view: Any) -> Any:
        """Return the next answer, None after the last."""
        answer = self._answer(view)
        if isinstance(answer, NoPlan):
            raise TypeError(f"{type(self).__name__}.{answer.did}; write yield before each move")
        if answer is None:
            raise TypeError(f"{type(self).__name__}.script() yielded None; yield a move, or return to end the game")
        return None if answer is _NONE_LEFT else answer

    def plan(self, view: Any) -> Any:
        """Return the next plan; after the last, what `after` says."""
        answer = self._answer(view)
        if answer is _NONE_LEFT:
            return after(self._present)
        if answer is None:
            return _without_plan(self._present, self._begun, view, "script() ")
        self._present, self._begun = answer, view.steps
        return answer

    def _answer(self, view: Any) -> Any:
        """Return what the script yields next, `_NONE_LEFT` after the last."""
        running = self._script
        try:
            if type(running) is GeneratorType and running.gi_yieldfrom is None:
                return running.send(view)  # the usual case, without a call more
            if running is not None:
                return _resumed(running, view)
            script = self.script(view)
            if not isinstance(script, Iterator):
                return NoPlan(f"script() returned {script!r} and yielded nothing")
            self._script = script
            return next(script)
        except StopIteration:
            return _NONE_LEFT

    def __getstate__(self) -> dict[str, object]:
        """Return what is copied for a game, which plays the script from its beginning."""
        return {name: value for name, value in vars(self).items() if name not in ("_script", "_present", "_begun")}


def _resumed(running: Any, view: Any) -> Any:
    """Return what a generator yields next; the view is sent to where it waits, unless in a ``yield from`` of a list."""
    if type(running) is GeneratorType and running.gi_yieldfrom is None:
        return running.send(view)  # the usual case: once per change of the output
    inner = running
    while (next_one := getattr(inner, "gi_yieldfrom", None)) is not None:
        inner = next_one
    return running.send(view) if hasattr(inner, "send") else next(running)


class Script(Choice):
    """An adversary of a generator function: it yields plans, and each ``yield`` gives the view when it is asked again.

    Examples
    --------
    >>> from disttrack import Burst, Randomized, play
    >>> def freeze(view):
    ...     site = 0
    ...     while True:
    ...         view = yield Burst(site)  # until the output changes
    ...         site = (site + 1) % view.sites
    >>> play(Randomized(alpha=0.1), freeze, sites=256, items=100_000, seed=1).verdict
    'failed'
    """

    kind = "script"
    each_item = False
    ends_by = "return from the function to end the game"
    says = "yielded"

    _running: Generator[Schedule, View, None] | None = None
    _present: Any = None
    _begun: int = 0

    def plan(self, view: View) -> Schedule | None:
        running, answer = self._running, None
        try:
            if type(running) is GeneratorType and running.gi_yieldfrom is None:
                answer = running.send(view)  # the usual case, without a call more
            elif running is not None:
                answer = _resumed(running, view)
            else:
                self._running = self.choose(view)
                answer = next(self._running)
        except StopIteration:
            return after(self._present)
        if answer is None:
            return _without_plan(self._present, self._begun, view)  # type: ignore[no-any-return]
        self._present, self._begun = answer, view.steps
        return answer

    def __getstate__(self) -> dict[str, object]:
        """Return what is copied for a game, which runs the function from its beginning."""
        return {"choose": self.choose, "kind": self.kind}


def from_function(function: Callable[[View], Any]) -> Adversary:
    """Return the adversary of a function of the view: of a site for each step or, as a generator, of plans.

    Raises
    ------
    TypeError
        The function does not take the view alone.
    """
    try:
        signature(function).bind(None)
    except TypeError as error:
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"adversary {name} is called with the view: write def {name}(view): … ({error})") from None
    except ValueError:  # built in, without a signature
        pass
    return (Script if isgeneratorfunction(function) else Choice)(function)
