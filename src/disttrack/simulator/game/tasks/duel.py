"""Games of one mechanism against one adversary, duels among them, played by one loop (`simulator.game.tasks.loop`)."""

from __future__ import annotations

import copy
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from traceback import walk_tb
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

import numpy as np

from disttrack.mechanisms.checks import plain
from disttrack.mechanisms.shortcuts import void_by
from disttrack.simulator.errors import MoveError, accepted, explained, must_be, must_be_one_of
from disttrack.simulator.game.columns import KINDS_CSV, SERIES_CSV, VERDICT
from disttrack.simulator.game.engine_choice import (
    ARRAYS,
    ASKED_FOR,
    AUTO,
    FORMER,
    STEP,
    EngineError,
    ObjectRuleError,
    check_as_written,
    named,
    reacts,
    refuse,
    void,
)
from disttrack.simulator.game.reference import STRETCHES, DifferenceError, difference, identity, own_code
from disttrack.simulator.game.short_games import LONG, WHOLE, Length, Trial, untried
from disttrack.simulator.game.sides import check_task, counted, no_object
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.adversary import adversary_of, of_side
from disttrack.simulator.game.tasks.base import COST, OF_ERROR, Columns, Record, Row, Size, Task
from disttrack.simulator.game.tasks.loop import Sides, duel
from disttrack.simulator.kinds.installed import is_compared
from disttrack.simulator.kinds.lines import asked_at
from disttrack.simulator.kinds.point import Point, PointError
from disttrack.simulator.kinds.registry import advice_on, kinds, parameters
from disttrack.simulator.kinds.source import is_reference

M = TypeVar("M")
A = TypeVar("A")
"""The classes of mechanisms and of adversaries that play a kind of game."""
STEPS = Size("steps", "items", "Steps of the clock.", needed=True)
Sizes = Mapping[str, Any]
"""The sizes of a game, by their keys in scenario files."""
Rngs = Mapping[str, np.random.Generator]
"""The random streams of a game, by role."""
_trials: dict[object, Trial] = {}
"""The trials of the points with code of the user's."""
DELTA = 0.05
"""Probability that a mechanism exceeds its own bound in a game."""


class MechanismGame(Task, Generic[M, A]):
    """A kind of game of one mechanism and one adversary: makes both, chooses the engine, and completes the row.

    Subclasses name the random streams, the classes of mechanisms and the sizes, and play a game in `result`.
    """

    axes: ClassVar = {"steps": "steps, T"}
    empty: ClassVar[Collection[str]] = (*COST, *OF_ERROR, KINDS_CSV, SERIES_CSV)
    roles: ClassVar[Sequence[str]] = ("", "mechanism", "adversary")
    """The random streams. The place of a role is its key in the tree of seeds: another order gives other games."""
    takes: ClassVar[tuple[type[object], ...]] = ()
    """Classes of the mechanisms that can play it."""
    wanted: ClassVar[str] = ""
    """Description of such a mechanism in messages, if the names of the classes do not say it."""
    engines: ClassVar[Sequence[str]] = (STEP,)
    reason: ClassVar[str] = ""
    """Reason for the engine, if there is only one."""
    single: ClassVar[bool] = False
    """Whether it is a single game of both sides, which `play_duel` plays too."""
    options: ClassVar[Sequence[str]] = ()
    """Further arguments of a game, which travel with its sizes."""
    bases: ClassVar[Mapping[str, str]] = {**Task.bases, "protocol": ""}

    @abstractmethod
    def result(self, mechanism: M, adversary: A, sizes: Sizes, *, seed: int, arrays: bool) -> tuple[Row, Columns]:
        """Play one game, and return its columns, with the `verdict`, and the columns of ``series.csv``.

        `judged` among the columns becomes that of the `Record`, and is not written.
        """

    @classmethod
    def meant_for(cls, maker: type) -> bool:
        return not cls.takes or issubclass(maker, cls.takes)

    def accepts(self, mechanism: object) -> bool:
        """Return whether a mechanism can play this kind of game."""
        return isinstance(mechanism, self.takes)

    def sized(self, sizes: Sizes) -> Sizes:
        """Return the sizes of a game, with the usual values for those left out."""
        return sizes

    def fits(self, mechanism: M, adversary: A, sizes: Sizes) -> None:
        """Raise PointError if the two sides cannot play a game of these sizes."""

    def fits_horizon(self, mechanism: Any, steps: int) -> None:
        """Raise PointError if the mechanism ends before the game."""
        if mechanism.horizon is not None and mechanism.horizon < steps:
            raise PointError(("protocol", "horizon"), must_be(f"at least {steps:,}, the steps", mechanism.horizon))

    def obstacle(self, mechanism: M, adversary: Any) -> str:
        """Return the reason why a game cannot be played in arrays; empty if there is none."""
        if not adversary.oblivious:
            return reacts(adversary)
        if rule := void_by(type(adversary), "stretches"):
            return void("array of moves", adversary, rule)
        return ""

    def in_stretches(self, mechanism: M, adversary: A) -> bool:
        """Return whether `auto` plays the moves between two looks of the adversary at once: the game of `step`."""
        return False

    def game(self, mechanism: M, adversary: A, sizes: Sizes, *, seed: int = 0, engine: str = AUTO) -> Record:
        """Play one game and return its record."""
        begun = time.perf_counter()
        self.fits(mechanism, adversary, sizes)
        chosen, reason = self._engine(engine, mechanism, adversary)
        reason += untried(self._compare(mechanism, adversary, sizes, chosen))
        arrays = chosen != STEP or (engine == AUTO and self.in_stretches(mechanism, adversary))
        row, series = self.result(mechanism, adversary, sizes, seed=seed, arrays=arrays)
        common = {name: sizes[size.key] for size in self.sizes for name in (size.key, size.column)}
        common["alpha"] = getattr(mechanism, "alpha", None)
        judged = bool(row.pop("judged", True))
        closing = {"ok": row[VERDICT] == "ok", "engine": chosen, "seconds": time.perf_counter() - begun}
        return Record(common | row | closing, series, engine_reason=reason, judged=judged)

    def _compare(self, mechanism: M, adversary: A, sizes: Sizes, engine: str) -> Set[str]:
        """Compare the array form with single moves, if a side is of a user's class; return what stays untried."""
        own = own_code(mechanism) or (own_code(adversary) if engine == ARRAYS else "")
        if not own or engine == STEP or STEP not in self.engines:
            return set()
        keys = [size.key for size in self.sizes if size.column == "items"]
        moves = sizes[keys[0]] if keys else 0
        sides = identity(mechanism), identity(adversary)
        trial = _trials.setdefault((self.kind, *sides, repr(sizes), engine), Trial(1, moves))

        def check(length: Length) -> DifferenceError | None:
            def facts(engine: str, seed: int) -> Row:
                row, series = self.result(mechanism, adversary, short, seed=seed, arrays=engine != STEP)
                return {**row, "series": series}

            short = {**sizes, **dict.fromkeys(keys, length.items)}
            return difference(own, facts, engine, short, STRETCHES)

        return trial.go_on(check, {WHOLE})

    def compare(self, point: Point) -> None:
        mechanism, adversary = self.sides(point)
        engine, _ = self._engine(point.engine, mechanism, adversary)
        sizes = self.sizes_of(point)
        most = {size.key: min(LONG, sizes[size.key]) for size in self.sizes if size.column == "items"}
        self._compare(mechanism, adversary, {**sizes, **most}, engine)

    def check(self, point: Point) -> None:
        point.check_no_network()
        mechanism, adversary = self.sides(point)
        self.fits(mechanism, adversary, self.sizes_of(point))
        try:
            self._engine(point.engine, mechanism, adversary)
        except ObjectRuleError as error:
            raise of_side(point, error, adversary) from error
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

    def sides(self, point: Point) -> tuple[M, A]:
        """Return the mechanism and the adversary of a point."""
        adversary: A = adversary_of(point)
        return self.mechanism_of(point), adversary

    def mechanism_of(self, point: Point) -> M:
        """Return the mechanism of a point; parameters that are sizes of the game need not be given."""
        sizes = self.sizes_of(point)
        mechanism: M = mechanism_of(point, {**sizes, "horizon": sizes.get("steps")})
        if not self.accepts(mechanism):
            refuse_mechanism(point, self.wanted or " or ".join(one.__name__ for one in self.takes))
        return mechanism

    def _engine(self, asked: str, mechanism: M, adversary: A) -> tuple[str, str]:
        """Return the engine to use, and the reason."""
        check_as_written(mechanism, adversary)
        if len(self.engines) > 1:
            slow, fast = self.engines
            obstacle = self.obstacle(mechanism, adversary)
            asked = named(asked, self.engines)
            if asked == fast and obstacle:
                refuse(fast, obstacle, slow)
            if asked != AUTO:
                return asked, ASKED_FOR
            if obstacle:
                return slow, f"exact for every game; not {fast}, since {obstacle}"
            return fast, "fastest; exact: the schedule does not react"
        if asked not in (AUTO, *self.engines, *FORMER):
            raise EngineError(f"{must_be_one_of((AUTO, *self.engines), asked, 'engine')}: {self.reason}")
        return self.engines[0], self.reason


class Duel(MechanismGame[M, A]):
    """A kind of game that one loop plays, move by move: subclasses make the parts of a game in `begin`."""

    engines: ClassVar[Sequence[str]] = (STEP, ARRAYS)
    single: ClassVar[bool] = True
    refusals: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors of a run or an opponent that mean an invalid move."""

    @abstractmethod
    def begin(self, mechanism: M, adversary: A, sizes: Sizes, rngs: Rngs) -> Sides:
        """Return the parts of one game; the adversary is this game's copy."""

    def finish(self, sides: Sides) -> Row:
        """Return the columns of a game after its last move."""
        return sides.referee.row()

    def match(self, mechanism: M, adversary: A, sizes: Sizes, *, seed: int, arrays: bool) -> Sides:
        """Play one game, and return its parts as they are after the last move."""
        begin = partial(self.begin, mechanism, copy.deepcopy(adversary), sizes, streams(seed, self.roles))
        return played(begin, mechanism, adversary, self.refusals, arrays=arrays)

    def result(self, mechanism: M, adversary: A, sizes: Sizes, *, seed: int, arrays: bool) -> tuple[Row, Columns]:
        sides = self.match(mechanism, adversary, sizes, seed=seed, arrays=arrays)
        return {**self.finish(sides), "judged": sides.referee.judged}, dict(sides.referee.series)


def played(
    begin: Callable[[], Sides],
    mechanism: object,
    adversary: Any,
    refusals: tuple[type[Exception], ...],
    *,
    arrays: bool = False,
) -> Sides:
    """Make the parts of a game by `begin`, play it, and return them as they are after the last move.

    Raises
    ------
    MoveError
        One of the `refusals` was raised, and not by the code of a user's side.
    """
    sides = None
    try:
        sides = begin()
        duel(sides, arrays=arrays)
    except refusals as error:
        if own_error(error, mechanism, adversary):
            raise
        steps = sides.view.steps if sides else 0
        raise MoveError(f"adversary {adversary.kind}: after step {steps}: {error}{asked_at(adversary)}") from error
    return sides


def own_error(error: Exception, *sides: object) -> bool:
    """Return whether the code of a user's side raised an error, which is no invalid move then."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    name = str(frame.f_globals.get("__name__"))
    return name in [type(side).__module__ for side in sides] and not is_compared(name)


def mechanism_of(point: Point, usual: Mapping[str, object]) -> Any:
    """Return the mechanism of a point, with the usual values for parameters that the scenario does not give."""
    part = point.protocol
    taken = parameters(part.maker())
    filled = {name: value for name, value in usual.items() if name in taken and value is not None}
    return replace(part, arguments={**filled, **part.arguments}).make()


def refuse_mechanism(point: Point, wanted: str) -> NoReturn:
    """Raise PointError for a mechanism that cannot play this kind of game."""
    message = f"task {point.task.label} takes a {wanted}, not {point.protocol.label}"
    if not is_reference(point.protocol.kind):
        message += f": {advice_on(point.protocol.maker())}"
    raise point.protocol.wrong(message)


def known(mechanism: Any) -> dict[str, object]:
    """Return the public facts of a mechanism: its kind and parameters."""
    return {"kind": mechanism.kind, **mechanism.as_mapping()}


@explained()
def play_duel(mechanism: object, adversary: object, *, seed: int = 0, engine: str = AUTO, **sizes: object) -> Record:
    """Play one game of a mechanism against an adversary; the kind of game follows from the mechanism.

    Parameters
    ----------
    mechanism
        A counter, threshold monitor, solver of threshold queries, combiner of experts, learner, mirror, sketch,
        mechanism for statistical queries, static or dynamic mechanism, or tracker of items.
    adversary
        An adversary of that kind of game. It is copied.
    seed
        Root of all random streams of the game.
    engine
        auto, step or arrays; leap for trackers of items.
    sizes
        The sizes of the game, as in scenario files: `steps`, `updates`, `queries`, …. Sizes that are parameters of the
        mechanism, such as `domain`, follow from it.

    Returns
    -------
    Record
        Its columns are attributes: ``play_duel(…).max_abs_error``.

    Examples
    --------
    >>> from disttrack import FrequencyDeterministic, ZipfItems, play_duel
    >>> game = play_duel(FrequencyDeterministic(alpha=0.1), ZipfItems(), sites=4, items=1000)
    >>> game.ok, game.max_rel_error <= 0.1
    (True, True)
    """
    for name, side in (("mechanism", mechanism), ("adversary", adversary)):
        if isinstance(side, type):
            raise no_object(name, side)
    for kind in kinds("task").values():
        task = kind.load()
        if issubclass(task, MechanismGame) and task.single and task().accepts(mechanism):
            game: MechanismGame[Any, Any] = task()
            keys = [size.key for size in game.sizes]  # a counter without a horizon has no `steps` to read
            stated = {key: None if key in sizes else getattr(mechanism, key, None) for key in keys}
            stated = {key: None if callable(value) else value for key, value in stated.items()}  # a tracker's `sites`
            given = {**stated, **{name: counted(value) for name, value in sizes.items()}}
            wrong = [name for name in sizes if name not in (*stated, *game.options)]
            wrong += [size.key for size in game.sizes if size.needed and given[size.key] is None]
            if wrong:
                raise TypeError(f"{wrong[0]}: unknown or missing size ({accepted((*stated, *game.options))})")
            check_task(adversary, kind.name)
            return game.game(mechanism, adversary, game.sized(given), seed=plain(seed), engine=engine)
    raise TypeError(must_be("one that plays duels", mechanism, "mechanism"))
