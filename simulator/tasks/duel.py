"""Duels: kinds of games of one mechanism against one opponent, all played by one loop (`simulator.tasks.loop`)."""

from __future__ import annotations

import copy
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np

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
Sizes = Mapping[str, Any]
"""The sizes of a game, by their keys in scenario files."""
Rngs = Mapping[str, np.random.Generator]
"""The random streams of a game, by role."""
DELTA = 0.05
"""Probability that a mechanism exceeds its own bound in a game."""


class Duel(Task):
    """A kind of game of one mechanism against one opponent.

    Subclasses name the random streams, the classes of mechanisms and the sizes, and make the parts of a game in
    `begin`.
    """

    roles: ClassVar[Sequence[str]] = ("", "mechanism", "adversary")
    """The random streams. The place of a role is its key in the tree of seeds: another order gives other games."""
    takes: ClassVar[tuple[type[Any], ...]] = ()
    """Classes of the mechanisms that can play it."""
    engines: ClassVar[Sequence[str]] = ("step", "bulk")
    reason: ClassVar[str] = ""
    """Reason for the engine, if there is only one."""
    options: ClassVar[Sequence[str]] = ()
    """Further arguments of a game, which travel with its sizes."""
    refusals: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors of a run or an opponent that mean an invalid move."""
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    @abstractmethod
    def begin(self, mechanism: Any, adversary: Any, sizes: Sizes, rngs: Rngs) -> Sides:
        """Return the parts of one game; the adversary is this game's copy."""

    def accepts(self, mechanism: Any) -> bool:
        """Return whether a mechanism can play this kind of game."""
        return isinstance(mechanism, self.takes)

    def sized(self, sizes: Sizes) -> Sizes:
        """Return the sizes of a game, with the usual values for those left out."""
        return sizes

    def fits(self, mechanism: Any, adversary: Any, sizes: Sizes) -> None:
        """Raise PointError if the two sides cannot play a game of these sizes."""

    def obstacle(self, mechanism: Any, adversary: Any) -> str:
        """Return the reason why a game cannot be played in bulk; empty if there is none."""
        return "" if adversary.oblivious else REACTS

    def finish(self, sides: Sides) -> dict[str, Any]:
        """Return the columns of a game after its last move."""
        return sides.referee.row()

    def match(self, mechanism: Any, adversary: Any, sizes: Sizes, *, seed: int, bulk: bool) -> Sides:
        """Play one game, and return its parts as they are after the last move."""
        sides = None
        try:
            sides = self.begin(mechanism, copy.deepcopy(adversary), sizes, streams(seed, self.roles))
            duel(sides.run, sides.opponent, sides.referee, sides.view, steps=sides.steps, bulk=bulk)
        except self.refusals as error:
            steps = sides.view.steps if sides else 0
            raise MoveError(f"adversary {adversary.kind}: after step {steps}: {error}") from error
        return sides

    def game(self, mechanism: Any, adversary: Any, sizes: Sizes, *, seed: int = 0, engine: str = "auto") -> Record:
        """Play one game and return its record."""
        begun = time.perf_counter()
        self.fits(mechanism, adversary, sizes)
        chosen, reason = self._engine(engine, mechanism, adversary)
        sides = self.match(mechanism, adversary, sizes, seed=seed, bulk=chosen == "bulk")
        row = self.finish(sides)
        row |= {"ok": row["verdict"] == "ok", "engine": chosen, "seconds": time.perf_counter() - begun}
        return Record(row, dict(sides.referee.series), engine_reason=reason)

    def check(self, point: Point) -> None:
        refuse_network(point)
        mechanism, adversary = self.sides(point)
        self.fits(mechanism, adversary, self.sizes_of(point))
        try:
            self._engine(point.engine, mechanism, adversary)
        except EngineError as error:
            raise PointError(("engine",), str(error).removeprefix("engine ")) from error

    def play(self, point: Point, seed: int) -> Record:
        try:
            return self.game(*self.sides(point), self.sizes_of(point), seed=seed, engine=point.engine)
        except MoveError as error:
            raise MoveError(f"{point.describe()}: {error}") from error

    def sizes_of(self, point: Point) -> Sizes:
        """Return the sizes of a point's games, by their keys."""
        return self.sized({size.key: getattr(point, size.column) for size in self.sizes})

    def sides(self, point: Point) -> tuple[Any, Any]:
        """Return the mechanism and the adversary of a point."""
        adversary = adversary_of(point)
        return self.mechanism_of(point), adversary

    def mechanism_of(self, point: Point) -> Any:
        """Return the mechanism of a point; parameters that are sizes of the game need not be given."""
        sizes = self.sizes_of(point)
        return mechanism_of(point, self.takes, self.accepts, **sizes, horizon=sizes.get("steps"))

    def _engine(self, asked: str, mechanism: Any, adversary: Any) -> tuple[str, str]:
        """Return the engine to use, and the reason."""
        if len(self.engines) > 1:
            return choose(asked, self.obstacle(mechanism, adversary), self.engines)
        if asked not in ("auto", *self.engines):
            raise EngineError(f"engine must be auto or {self.engines[0]}; got {asked!r}: {self.reason}")
        return self.engines[0], self.reason


def refuse_network(point: Point) -> None:
    """Refuse a network in games without messages."""
    if point.network is not None:
        raise PointError(("network",), f"must be left out: task {point.task.label} sends no messages")


def only_steps(point: Point) -> None:
    """Refuse options that apply only to games with messages or with an array form."""
    refuse_network(point)
    if point.engine not in ("auto", "step"):
        raise PointError(("engine",), f"must be auto or step; got {point.engine!r}")


def known(mechanism: Any) -> dict[str, Any]:
    """Return the public facts of a mechanism: its kind and parameters."""
    given = {field.name: getattr(mechanism, field.name) for field in fields(mechanism) if field.init}
    return {"kind": mechanism.kind, **given}


def mechanism_of(
    point: Point, takes: tuple[type[Any], ...], accepts: Callable[[Any], bool] | None = None, **usual: Any
) -> Any:
    """Return the mechanism of a point.

    Parameters
    ----------
    takes
        The classes of mechanisms that can play the game.
    accepts
        Whether a mechanism can play it; any of those classes if left out.
    usual
        Parameters given by the game, if the mechanism has them and the scenario does not give them.
    """
    part = point.protocol
    taken = parameters(part.maker())
    filled = {name: value for name, value in usual.items() if name in taken and value is not None}
    mechanism = replace(part, arguments={**filled, **part.arguments}).make()
    if not (isinstance(mechanism, takes) if accepts is None else accepts(mechanism)):
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
        The sizes of the game, as in scenario files: `steps`, `updates`, `queries`, …. Sizes that are parameters of the
        mechanism, such as `domain`, follow from it.

    Returns
    -------
    Record
        Its columns are attributes: ``play_duel(…).max_abs_error``.

    Examples
    --------
    >>> from disttrack import Binary, RoundRobin, play_duel
    >>> game = play_duel(Binary(epsilon=1.0, horizon=1000), RoundRobin(), steps=1000)
    >>> game.sent, game.ok
    (1000, True)
    """
    for kind in kinds("task").values():
        task = kind.load()
        if issubclass(task, Duel) and task().accepts(mechanism):
            game: Duel = task()
            stated = {size.key: getattr(mechanism, size.key, None) for size in game.sizes}
            given = {**stated, **sizes}
            wrong = [name for name in sizes if name not in (*stated, *game.options)]
            wrong += [size.key for size in game.sizes if size.needed and given[size.key] is None]
            if wrong:
                raise TypeError(f"sizes must be {', '.join((*stated, *game.options))}; unknown or missing: {wrong[0]}")
            return game.game(mechanism, adversary, game.sized(given), seed=seed, engine=engine)
    raise TypeError(f"mechanism must be one that plays duels; got {mechanism!r}")
