"""Duels: kinds of games of one mechanism against one opponent, all played by one loop (`simulator.tasks.loop`)."""

from __future__ import annotations

import copy
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar

from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.engine_choice import REACTS, EngineError, choose
from disttrack.simulator.game.streams import streams
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family, kinds, parameters
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.base import Record, Task
from disttrack.simulator.tasks.loop import Sides, duel
from disttrack.simulator.tasks.sizes import Size

STEPS = Size("steps", "items", "Steps of the clock.", needed=True)
DELTA = 0.05
"""Probability that a mechanism exceeds its own bound in a game."""


class Duel(Task):
    """A kind of game of one mechanism against one opponent.

    Subclasses name the random streams, the classes of mechanisms and the sizes, and make the parts of a game in
    `begin`, whose keyword arguments are the sizes by their keys.
    """

    roles: ClassVar[Sequence[str]] = ("", "mechanism", "adversary")
    """The random streams. The place of a role is its key in the tree of seeds: another order gives other games."""
    takes: ClassVar[tuple[type[Any], ...]] = ()
    """Classes of the mechanisms that can play it."""
    engines: ClassVar[Sequence[str]] = ("step", "bulk")
    reason: ClassVar[str] = ""
    """Reason for the engine, if there is only one."""
    refusals: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors of a run or an opponent that mean an invalid move."""
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    @abstractmethod
    def begin(self, mechanism: Any, adversary: Any, rngs: Mapping[str, Any], **sizes: Any) -> Sides:
        """Return the parts of one game; the adversary is this game's copy."""

    def accepts(self, mechanism: Any) -> bool:
        """Return whether a mechanism can play this kind of game."""
        return isinstance(mechanism, self.takes)

    def sized(self, **sizes: Any) -> dict[str, Any]:
        """Return the sizes of a game, with the usual values for those left out."""
        return sizes

    def fits(self, mechanism: Any, adversary: Any, **sizes: Any) -> None:
        """Raise PointError if the two sides cannot play a game of these sizes."""

    def obstacle(self, mechanism: Any, adversary: Any) -> str:
        """Return the reason why a game cannot be played in bulk; empty if there is none."""
        return "" if adversary.oblivious else REACTS

    def finish(self, sides: Sides) -> dict[str, Any]:
        """Return the columns of a game after its last move."""
        return sides.referee.row()

    def match(self, mechanism: Any, adversary: Any, *, seed: int, bulk: bool, **sizes: Any) -> Sides:
        """Play one game, and return its parts as they are after the last move."""
        sides = None
        try:
            sides = self.begin(mechanism, copy.deepcopy(adversary), streams(seed, self.roles), **sizes)
            duel(sides.run, sides.opponent, sides.referee, sides.view, steps=sides.steps, bulk=bulk)
        except self.refusals as error:
            steps = sides.view.steps if sides else 0
            raise MoveError(f"adversary {adversary.kind}: after step {steps}: {error}") from error
        return sides

    def game(self, mechanism: Any, adversary: Any, *, seed: int = 0, engine: str = "auto", **sizes: Any) -> Record:
        """Play one game and return its record."""
        begun = time.perf_counter()
        sizes = self.sized(**sizes)
        self.fits(mechanism, adversary, **sizes)
        chosen, reason = self._engine(engine, mechanism, adversary)
        sides = self.match(mechanism, adversary, seed=seed, bulk=chosen == "bulk", **sizes)
        row = self.finish(sides)
        row |= {"ok": row["verdict"] == "ok", "engine": chosen, "seconds": time.perf_counter() - begun}
        return Record(row, dict(sides.referee.series), engine_reason=reason)

    def check(self, point: Point) -> None:
        if point.network is not None:
            raise PointError(("network",), f"must be left out: task {point.task.label} sends no messages")
        mechanism, adversary = self.sides(point)
        self.fits(mechanism, adversary, **self.sizes_of(point))
        try:
            self._engine(point.engine, mechanism, adversary)
        except EngineError as error:
            raise PointError(("engine",), str(error).removeprefix("engine ")) from error

    def play(self, point: Point, seed: int) -> Record:
        try:
            return self.game(*self.sides(point), seed=seed, engine=point.engine, **self.sizes_of(point))
        except MoveError as error:
            raise MoveError(f"{point.describe()}: {error}") from error

    def sizes_of(self, point: Point) -> dict[str, Any]:
        """Return the sizes of a point's games, by their keys."""
        return self.sized(**{size.key: getattr(point, size.column) for size in self.sizes})

    def sides(self, point: Point) -> tuple[Any, Any]:
        """Return the mechanism and the adversary of a point."""
        adversary = adversary_of(point)
        return self.mechanism_of(point), adversary

    def mechanism_of(self, point: Point) -> Any:
        """Return the mechanism of a point; parameters that are sizes of the game need not be given."""
        sizes = self.sizes_of(point)
        return mechanism_of(point, self.accepts, self.takes, **sizes, horizon=sizes.get("steps"))

    def _engine(self, asked: str, mechanism: Any, adversary: Any) -> tuple[str, str]:
        """Return the engine to use, and the reason."""
        if len(self.engines) > 1:
            return choose(asked, self.obstacle(mechanism, adversary), self.engines)
        if asked not in ("auto", *self.engines):
            raise EngineError(f"engine must be auto or {self.engines[0]}; got {asked!r}: {self.reason}")
        return self.engines[0], self.reason


def known(mechanism: Any) -> dict[str, Any]:
    """Return the public facts of a mechanism: its kind and parameters."""
    given = {field.name: getattr(mechanism, field.name) for field in fields(mechanism) if field.init}
    return {"kind": mechanism.kind, **given}


def mechanism_of(point: Point, accepts: Callable[[Any], bool], takes: Sequence[type[Any]], **usual: Any) -> Any:
    """Return the mechanism of a point.

    Parameters
    ----------
    accepts
        Whether a mechanism can play the game.
    takes
        The classes of mechanisms that can, for the error message.
    usual
        Parameters given by the game, if the mechanism has them and the scenario does not give them.
    """
    part = point.protocol
    taken = parameters(part.maker())
    filled = {name: value for name, value in usual.items() if name in taken and value is not None}
    mechanism = replace(part, arguments={**filled, **part.arguments}).make()
    if not accepts(mechanism):
        wanted = " or ".join(one.__name__ for one in takes)
        raise PointError(("protocol", "kind"), f"task {point.task.label} takes a {wanted}; {part.label} is none")
    return mechanism


def play_duel(mechanism: Any, adversary: Any, *, seed: int = 0, engine: str = "auto", **sizes: Any) -> Record:
    """Play one game of a mechanism against an adversary; the kind of game follows from the mechanism.

    Parameters
    ----------
    mechanism
        A counter, threshold monitor, solver of threshold queries, combiner of experts, learner, mirror, sketch,
        mechanism for statistical queries, or static or dynamic mechanism.
    adversary
        An adversary of that kind of game. It is copied.
    seed
        Root of all random streams of the game.
    engine
        auto, step or bulk.
    sizes
        The sizes of the game, as in scenario files: `steps`, `updates`, `queries`, …

    Returns
    -------
    Record
        Its columns are attributes: ``play_duel(…).max_abs_error``.

    Examples
    --------
    >>> from disttrack.adversaries import RoundRobin
    >>> from disttrack.mechanisms import Binary
    >>> game = play_duel(Binary(epsilon=1.0, horizon=1000), RoundRobin(), steps=1000)
    >>> game.sent, game.ok
    (1000, True)
    """
    for kind in kinds("task").values():
        task = kind.load()
        if issubclass(task, Duel) and task().accepts(mechanism):
            return task().game(mechanism, adversary, seed=seed, engine=engine, **sizes)
    raise TypeError(f"mechanism must be one of a duel (see `disttrack list mechanisms`); got {mechanism!r}")
