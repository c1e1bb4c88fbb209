"""The answers of a task: the columns of its games in a table, and the function from a point's games to a cell.

A task declares its answers once. `simulator.experiments.results.answers` makes the table in the terminal, the page of a
result and notebooks from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from disttrack.simulator.errors import must_be_one_of, no_such
from disttrack.simulator.game.columns import MAX_LAG_ERROR, MAX_REL_ERROR

if TYPE_CHECKING:
    import pandas as pd

    Numbers = pd.Series[Any]

How = Literal["median", "mean", "largest", "least", "share", "held", "fact"]
"""Functions from the games of a point to one cell."""


@dataclass(frozen=True)
class Answer:
    """One column of a task's table.

    Parameters
    ----------
    header
        Header of the column: a word or two.
    says
        Meaning of the column, in one sentence without the full stop.
    of
        The column of ``trials.csv``, or a function of the games of a point. If `how` is fact, an
        attribute of the protocol's class.
    how
        Function from the games of a point to a cell: median, mean, largest and least of numbers; share of the games in
        which it is true; held, the share of the games in which the promise was kept, among games with a promise; fact,
        an attribute of the protocol's class.
    rank
        In narrow tables, columns of the highest rank are left out first, and columns of rank 0 never.
    on_network
        Its meaning where some of the games were judged by the lag-aware error; the same if left out.
    equal
        If `of` is a function, an equal expression of columns of ``trials.csv``, for the advice on a claim.

    Examples
    --------
    >>> Answer("words", "words in both directions", "words").how
    'median'
    """

    header: str
    says: str
    of: str | Callable[[pd.DataFrame], Numbers]
    how: How = "median"
    rank: int = 1
    on_network: str = ""
    equal: str = ""

    def __post_init__(self) -> None:
        if self.how not in get_args(How):
            raise ValueError(must_be_one_of(get_args(How), self.how, "how"))

    @property
    def column(self) -> str:
        """Column of ``trials.csv``, or expression, for a claim on this answer; empty if there is none."""
        if self.how in ("held", "fact"):
            return "ok" if self.how == "held" else ""
        return self.of if isinstance(self.of, str) else self.equal


def held(says: str, header: str = "held", on_network: str = "") -> Answer:
    """Return the answer with the share of games in which a promise was kept."""
    return Answer(header, says, "verdict", "held", rank=0, on_network=on_network)


def ratio(numerator: str, denominator: str) -> Callable[[pd.DataFrame], Numbers]:
    """Return the function that divides one column by another; empty if the latter is 0."""

    def divided(games: pd.DataFrame) -> Numbers:
        below = games[denominator].astype(float)
        return games[numerator].astype(float) / below.where(below != 0)

    return divided


def judged_error(games: pd.DataFrame) -> pd.Series[float]:
    """Return the largest relative error of each game by which it was judged: on a network the lag-aware one.

    The tables of figures have an underscore before the latter, as before all columns that some games have only.
    """
    error = games[MAX_REL_ERROR].astype(float)
    aware = games.columns.intersection([MAX_LAG_ERROR, "_max_lag_error"])
    return games[aware[0]].astype(float).fillna(error) if len(aware) else error


def over_alpha(games: pd.DataFrame) -> Any:
    """Return the error by which each game was judged in units of alpha, absent where nothing was promised."""
    alpha = games["alpha"].astype(float)
    return judged_error(games) / alpha.where(alpha > 0)


WORDS: Final = Answer("words", "words in both directions", "words", rank=0)
LARGEST_RELATIVE: Final = Answer("largest error", "largest relative error of a game", MAX_REL_ERROR, rank=2)
_LAG_AWARE: Final = "; on a network lag-aware, after the warm-up"
_WITHIN: Final = "games with the relative error within alpha at every step"
HELD: Final = held(_WITHIN, on_network=f"{_WITHIN}{_LAG_AWARE}")
_IN_ALPHA: Final = "in units of alpha"
OVER_ALPHA: Final = Answer(
    "error/alpha",
    f"{LARGEST_RELATIVE.says}, {_IN_ALPHA}",
    over_alpha,
    rank=0,
    on_network=f"{LARGEST_RELATIVE.says}{_LAG_AWARE}, {_IN_ALPHA}",
    equal="max_rel_error / alpha",
)
LARGEST: Final = Answer("largest error", "largest absolute error of a game", "max_abs_error", rank=0)
RMS: Final = Answer("rms error", "root mean squared error", "rms_error", rank=2)
USUAL: Final = (held("games with the promise kept"), LARGEST_RELATIVE, WORDS)
"""Answers of a task that declares none; its own columns follow."""


def meaning_of_held(task: Any) -> str:
    """Return what a game that held has kept, of a task where this alone would mislead; empty for others."""
    says = next((one.says for one in answers_of(task) if one.how == "held"), "")
    return says.removeprefix("games in which ") if task.beside else ""


def shown_in_tables(text: str, task: type[Any], columns: Collection[str]) -> str:
    """Return the refusal of a table header used as a column, with the matching column; empty if there is none.

    Examples
    --------
    >>> from disttrack.simulator.game.tasks.tracking import Count
    >>> shown_in_tables("fraction(held)", Count, ["ok"])
    "there is no column 'held'; tables show ok as 'held' (accepted: ok)"
    """
    for one in answers_of(task):
        words = re.findall(r"\w+", one.header)
        name = re.search(rf"\b{r'[^a-zA-Z0-9]+'.join(words)}\b", text)
        if name and one.column and not {one.header, "_".join(words)} & {*columns}:
            return no_such("column", name.group(), columns, f"; tables show {one.column} as {one.header!r}")
    return ""


def answers_of(task: type[Any]) -> list[Answer]:
    """Return the answers of a task; other columns declared by the class follow, by name."""
    declared = list(task.answers)
    by, beside = (next(each for each in task.__mro__ if name in vars(each)) for name in ("answers", "columns"))
    if beside is by or not issubclass(beside, by):
        return declared
    added = [Answer(name.replace("_", " "), f"column {name} of trials.csv", name) for name in task.columns]
    return [*declared, *added]
