"""Common parts of the tasks with a clock: making both sides of a point, and the adversary's view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from disttrack.adversaries.base import Adversary, View
from disttrack.simulator.game.engine_choice import REACTS, EngineError, choose
from disttrack.simulator.points.point import Part, Point, PointError
from disttrack.simulator.points.registry import parameters
from disttrack.simulator.tasks.sizes import Size

STEPS = Size("steps", "items", "Steps of the clock.", needed=True)

DELTA = 0.05
"""Probability that a mechanism exceeds its own bound in a game."""


class ContinualView(View):
    """The view in games with a clock; an adversary granted the state may look at it and guess at a challenge.

    Attributes
    ----------
    looks
        Number of looks at the state.
    guessed
        The answer to the challenge: True if the item is thought to be present; None if none was given.
    """

    __slots__ = ("_state", "guessed", "look", "looks")

    def __init__(self, *, state: Callable[[], Mapping[str, Any]] | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.looks = 0
        self.guessed: bool | None = None
        self._state = state
        self.look = None if state is None else self._look

    def _look(self) -> Mapping[str, Any]:
        """Return the mechanism's inner state between two steps."""
        assert self._state is not None
        self.looks += 1
        return self._state()

    def guess(self, there: bool) -> None:
        """Answer whether the item of the challenge was present."""
        self.guessed = bool(there)


def known(mechanism: Any) -> dict[str, Any]:
    """Return the public facts of a mechanism: its kind and parameters."""
    given = {field.name: getattr(mechanism, field.name) for field in fields(mechanism) if field.init}
    return {"kind": mechanism.kind, **given}


def mechanism_of(point: Point, base: type[Any] | tuple[type[Any], ...], **usual: Any) -> Any:
    """Return the mechanism of a point.

    Parameters
    ----------
    base
        The class, or classes, accepted by the task.
    usual
        Default parameters given by the game, if the mechanism has them and the scenario does not
        give them.
    """
    part = point.protocol
    maker = part.maker()
    taken = parameters(maker)
    filled = {name: value for name, value in usual.items() if name in taken and value is not None}
    mechanism = _with(part, {**filled, **part.arguments}).make()
    if not isinstance(mechanism, base):
        wanted = " or ".join(one.__name__ for one in (base if isinstance(base, tuple) else (base,)))
        raise PointError(("protocol", "kind"), f"task {point.task.label} takes a {wanted}; {part.label} is none")
    return mechanism


def _with(part: Part, arguments: dict[str, Any]) -> Part:
    return replace(part, arguments=arguments)


def steps_of(point: Point) -> int:
    """Return the number of steps, given in the scenario by the task's own key: steps, or queries."""
    assert point.items is not None  # the key is needed, which the scenario has checked
    return point.items


def only_usual(point: Point) -> None:
    """Refuse options that apply only to games with messages: a network, and the engine leap."""
    if point.network is not None:
        raise PointError(("network",), f"must be left out: task {point.task.label} sends no messages")
    if point.engine == "leap":
        reason = f"must be auto, step or bulk: task {point.task.label} has no messages to leap to"
        raise PointError(("engine",), reason)


def engine_of(asked: str, adversary: Adversary) -> tuple[str, str]:
    """Return the engine to use, and the reason; `EngineError` if it cannot play against this adversary."""
    return choose(asked, "" if adversary.oblivious else REACTS, ("step", "bulk"))


def check_engine(point: Point, adversary: Adversary) -> None:
    """Refuse an engine that cannot play a point against this adversary."""
    try:
        engine_of(point.engine, adversary)
    except EngineError as error:
        raise PointError(("engine",), str(error).removeprefix("engine ")) from error
