"""The loop of all games between one mechanism and one opponent, and the parts that it joins.

A *run* is a mechanism at work, an *opponent* chooses the moves from its *view*, and a *referee* knows the truth. A kind
of game is a `Duel` (`simulator.game.tasks.duel`), which makes these parts. Tracking is no duel: there a game costs its
messages and not its items, so it has engines instead (`simulator.game`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from disttrack.adversaries.base import Opponent
from disttrack.simulator.game.columns import FAILED, OK, UNDECIDED
from disttrack.simulator.game.tasks.base import Row

Moves = TypeVar("Moves", contravariant=True)
Answers = TypeVar("Answers", contravariant=True)
"""Several moves and the answers to them, lists or arrays."""


class Run(Protocol):
    """A mechanism at work. Subclasses define `step`; an array form in `release` must give the same answers."""

    def step(self, move: Any, /) -> Any:
        """Take a move and return the answer."""

    def release(self, moves: Any, /) -> Any:
        """Take many moves at once and return the answers."""
        return [self.step(move) for move in moves]


class Referee(ABC, Generic[Moves, Answers]):
    """Knows the truth, judges every answer, and gives the columns of the game.

    Attributes
    ----------
    series
        Columns of ``series.csv``.
    judged
        Whether any answer was judged; the loop sets it.
    """

    block: int = 1 << 12
    """Number of moves judged at a time, if they are made one at a time."""
    series: Mapping[str, list[Any]] = {}
    judged: bool = False

    @abstractmethod
    def judge(self, moves: Moves, answers: Answers) -> None:
        """Compare the answers to the next moves with the truth."""

    @abstractmethod
    def row(self) -> Row:
        """Return the columns of the finished game, with its `verdict`."""


def kept(promise: bool | None) -> str:
    """Return the verdict on a promise: ok if it was kept, else failed; undecided if there is none."""
    return UNDECIDED if promise is None else OK if promise else FAILED


@dataclass(frozen=True)
class Sides:
    """The parts of one game.

    Parameters
    ----------
    run, opponent, referee
        The two sides, and the judge.
    view
        Everything that the opponent sees.
    steps
        Number of moves at most.
    hears
        Whether the opponent's `stretches` takes the answers to each stretch before it yields the next one. The run then
        has a method `follow`, which takes the first moves of a stretch, at most a number of them, and returns them
        with their answers; None if they are to be made one by one.
    """

    run: Run
    opponent: Opponent
    referee: Referee[Any, Any]
    view: Any
    steps: int
    hears: bool = False


def duel(sides: Sides, *, arrays: bool = False) -> None:
    """Play one game.

    Parameters
    ----------
    arrays
        Make the moves in arrays, which is exact only if the opponent reacts at most to the answers to whole arrays.
    """
    run, opponent, referee, view = sides.run, sides.opponent, sides.referee, sides.view
    if arrays and sides.hears:
        if in_stretches(sides):
            return
    elif arrays:
        for block in opponent.stretches(view):
            referee.judge(block, run.release(block))
            referee.judged = referee.judged or len(block) > 0
        return
    moves: list[Any] = []
    answers: list[Any] = []
    choose, step, observe, block = opponent.move, run.step, view.observe, referee.block
    for _ in range(sides.steps):
        move = choose(view)
        if move is None:
            break
        answer = step(move)
        observe(answer)
        referee.judged = True
        moves.append(move)
        answers.append(answer)
        if len(moves) == block:
            referee.judge(moves, answers)
            moves, answers = [], []
    if moves:
        referee.judge(moves, answers)


def in_stretches(sides: Sides) -> bool:
    """Play one game of an opponent that reacts only to the answers to whole stretches of moves.

    Return False if no move was made, as where the run can follow none of them.
    """
    referee, view, left = sides.referee, sides.view, sides.steps
    run: Any = sides.run
    stretches: Any = sides.opponent.stretches(view)
    moves: list[Any] = []
    answers: list[Any] = []
    pending, last = 0, None
    while left:
        try:
            followed = run.follow(stretches.send(last), left)
        except StopIteration:
            break
        if followed is None:
            break
        stretch, last = followed
        view.observe_many(last)
        left -= len(stretch)
        moves.append(stretch)
        answers.append(last)
        pending += len(stretch)
        if pending >= referee.block or not left:
            referee.judge(np.concatenate(moves), np.concatenate(answers))
            moves, answers, pending = [], [], 0
    if pending:
        referee.judge(np.concatenate(moves), np.concatenate(answers))
    referee.judged = left < sides.steps
    return referee.judged
