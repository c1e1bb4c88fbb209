"""What answers the question of a task: which columns of its games a table shows, and how a point's games become a cell.

A task declares its answers once. The table on the terminal, the page of a result and notebooks are all made from them
by `simulator.results.answers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

if TYPE_CHECKING:
    import pandas as pd

How = Literal["median", "mean", "largest", "least", "share", "held", "fact"]
"""How the games of a point become one cell."""


@dataclass(frozen=True)
class Answer:
    """One column of a task's table.

    Parameters
    ----------
    header
        What stands above it: a word or two.
    says
        What it means, in one sentence without the full stop.
    of
        The column of ``trials.csv``, or a function that makes one of the games of a point. With `how` fact it is an
        attribute of the protocol's class.
    how
        How the games of a point become a cell: median, mean, largest and least of numbers; share of the games in which
        it is true; held, the share of the games in which the promise was kept, of those in which one was made; fact,
        what the protocol's class says of itself.
    rank
        Where room is short, columns of the highest rank are left out first; those of rank 0 never.

    Examples
    --------
    >>> Answer("words", "words sent in both directions", "words").how
    'median'
    """

    header: str
    says: str
    of: str | Callable[[pd.DataFrame], Any]
    how: How = "median"
    rank: int = 1

    def __post_init__(self) -> None:
        if self.how not in get_args(How):
            raise ValueError(f"how must be one of {', '.join(get_args(How))}; got {self.how!r}")


def held(says: str, header: str = "held") -> Answer:
    """Return the answer that tells in how many games a promise was kept."""
    return Answer(header, says, "verdict", "held", rank=0)


def ratio(numerator: str, denominator: str) -> Callable[[pd.DataFrame], Any]:
    """Return the function that divides one column by another; nothing where the latter is 0."""

    def divided(games: pd.DataFrame) -> Any:
        below = games[denominator].astype(float)
        return games[numerator].astype(float) / below.where(below != 0)

    return divided


def over_alpha(games: pd.DataFrame) -> Any:
    """Return the error by which games are judged over alpha: on a network the lag-aware one."""
    return ratio("max_lag_error" if "max_lag_error" in games else "max_rel_error", "alpha")(games)


WORDS: Final = Answer("words", "words sent in both directions", "words", rank=0)
LARGEST_RELATIVE: Final = Answer(
    "largest error", "largest relative error over all steps of a game", "max_rel_error", rank=2
)
OVER_ALPHA: Final = Answer(
    "error/alpha",
    "largest relative error over all steps, in units of alpha: above 1 the promise is broken",
    over_alpha,
    rank=0,
)
LARGEST: Final = Answer("largest error", "largest absolute error over all steps of a game", "max_abs_error", rank=0)
RMS: Final = Answer("rms error", "root mean squared error over all steps", "rms_error", rank=2)
USUAL: Final = (held("games in which the promise was kept"), LARGEST_RELATIVE, WORDS)
"""Answers of a task that declares none; its own columns follow."""


def answers_of(task: type[Any]) -> list[Answer]:
    """Return the answers of a task; columns that a class adds without saying which of them answer follow, by name."""
    declared = list(task.answers)
    by, beside = (next(each for each in task.__mro__ if name in vars(each)) for name in ("answers", "columns"))
    if beside is by or not issubclass(beside, by):
        return declared
    added = [Answer(name.replace("_", " "), f"column {name} of trials.csv", name) for name in task.columns]
    return [*declared, *added]
