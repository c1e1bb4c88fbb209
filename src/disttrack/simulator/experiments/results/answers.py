"""The table of a result that answers its question: a row per point, and the columns that its task declares.

The subtitle states the shared parameters, and each difference is a column; columns without a value do not appear.
The terminal, the page of a result, notebooks and `--json` show this one table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

import numpy as np

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results, class_of, finished, opened, without_empty_promises
from disttrack.simulator.experiments.results.formats import apart, games_per_point, in_short
from disttrack.simulator.experiments.scenario.settings import PRIVACY, SIDES, Setting
from disttrack.simulator.game.columns import ERROR, FAILED, MAX_LAG_ERROR, OK, POINT, PROTOCOL, UNSENT, VERDICT
from disttrack.simulator.game.tasks.answers import Answer, answers_of

if TYPE_CHECKING:
    import pandas as pd

WORDS_LINK: Final = "words_link"
LOST: Final = Answer("errors", "games with an error, left out elsewhere", VERDICT)
LINKS: Final = Answer("words of links", "added by reliable links", WORDS_LINK, rank=0)
ENDED: Final = Answer("ended early", "games ended early by the adversary", UNSENT)

Value = str | int | float | bool | None
"""A value of the table."""
IN_NAMES: Final = 4
"""Rank of parameters that the names of protocols and adversaries state too."""


@dataclass(frozen=True)
class Column:
    """A column of the table.

    Attributes
    ----------
    header, says
        Its name, and its meaning in a sentence.
    kind
        A setting, in which points differ, or an answer, which was measured.
    rank
        In narrow tables, columns of the highest rank are left out first, and columns of rank 0 never.
    """

    header: str
    says: str
    kind: Literal["setting", "answer"]
    rank: int = 0


@dataclass(frozen=True)
class AnswerTable:
    """The games of a result by point.

    Attributes
    ----------
    title, subtitle
        The headline of the result, and the parameters that all games share.
    columns
        Its columns.
    points
        The number of each row's point, as in ``trials.csv`` and for ``disttrack replay --point``.
    values
        A row per point: plain values, None where there is none. A share of games is a number from 0 to 1.
    texts
        The same as readers see it.
    missed
        For each row, whether a promise was broken in any of its games or a game ended with an error.
    """

    title: str
    subtitle: str
    columns: tuple[Column, ...]
    points: tuple[int, ...]
    values: tuple[tuple[Value, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    missed: tuple[bool, ...]

    @property
    def headers(self) -> list[str]:
        """Return the names of the columns."""
        return [column.header for column in self.columns]

    @property
    def meanings(self) -> dict[str, str]:
        """Return the meaning of each measured column."""
        return {column.header: column.says for column in self.columns if column.kind == "answer"}

    def records(self) -> list[dict[str, Value]]:
        """Return a mapping per row, from header to value."""
        return [dict(zip(self.headers, row, strict=True)) for row in self.values]


SHARES: Final = ("held", "share")
"""Answers that are a share of the games."""
Cell = tuple[Value, str]
"""A value, and the same as readers see it."""
NOTHING: Final[Cell] = (None, "")


def answer_table(place: str | Path | Results) -> AnswerTable:
    """Return the table of a result: its folder, or the results that were read from it; of these it is made once.

    Raises
    ------
    NoResults
        The folder holds none.
    """
    results = opened(place)
    results.answers = made = results.answers or _made(results)
    return cast(AnswerTable, made)


def _made(results: Results) -> AnswerTable:
    games = games_by_point(results)
    stated = [one for one in results.settings.columns if one.stated]
    # rows have a name also where nothing varies
    varying = [one for one in stated if one.varies] or [one for one in stated if one.name in SIDES][:1]
    columns = [*map(_setting_column, varying), *_answer_columns(results, games)]
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    number = games_per_point(results.trials[POINT])
    named = [one.name for one in varying]
    shared = filter(None, (one.words(named) for one in stated if one not in varying))
    return AnswerTable(
        title=results.headline,
        subtitle=" · ".join([*shared, number + ", medians" * (number != "1 game per point")]),
        columns=tuple(column for column, _ in columns),
        points=tuple(int(mine[POINT].iloc[0]) for mine in games),
        values=tuple(tuple(value for value, _ in row) for row in rows),
        texts=tuple(tuple(text for _, text in row) for row in rows),
        missed=tuple(bool(mine[VERDICT].isin((FAILED, ERROR)).any()) for mine in games),
    )


def _setting_column(one: Setting) -> tuple[Column, list[Cell]]:
    """Return the column of a parameter; of a side the name of each kind."""
    rank = IN_NAMES if one.in_labels else int(one.side in SIDES and one.name not in PRIVACY)
    texts = one.named() if one.unusual else apart(one.shown)
    return Column(one.header, one.says, "setting", rank), list(zip(one.shown, texts, strict=True))


def _answer_columns(results: Results, games: Sequence[pd.DataFrame]) -> Iterator[tuple[Column, list[Cell]]]:
    """Yield the columns of the answers that have a value at some point."""
    import pandas as pd  # only here: a table that need not be made again needs none

    whole = finished(pd.concat(games))
    lost = len(whole) < len(results.trials)
    of_points = [(mine, finished(mine) if lost else mine) for mine in games]
    linked = WORDS_LINK in whole and bool((whole[WORDS_LINK] > 0).any())
    lagging = MAX_LAG_ERROR in whole and bool(whole[MAX_LAG_ERROR].notna().any())
    for answer in (*answers_of(results.task), *[LINKS] * linked, ENDED, LOST):
        column = _by_point(answer, whole)
        cells = [_cell(answer, mine, left, results, column) for mine, left in of_points]
        if any(text for _, text in cells):
            says = (answer.on_network if lagging else "") or answer.says
            yield Column(answer.header, says, "answer", answer.rank), cells


def _by_point(answer: Answer, games: pd.DataFrame) -> Mapping[int, pd.Series[float]] | None:
    """Return the values of an answer at each point that has any, in one go; None if it is no column of the games.

    A function of the games is one of the games of a point.
    """
    if not isinstance(answer.of, str) or answer.how == "fact":
        return None
    values = measured(answer, games)
    return {} if values is None else dict(iter(values.groupby(games[POINT].loc[values.index])))


def games_by_point(results: Results) -> list[pd.DataFrame]:
    """Return the games of each point that was played: rows of trials.csv, undecided where nothing was promised."""
    return [mine for _, mine in without_empty_promises(results, results.trials).groupby(POINT, sort=True)]


def _cell(
    answer: Answer,
    games: pd.DataFrame,
    left: pd.DataFrame,
    results: Results,
    column: Mapping[int, pd.Series[float]] | None,
) -> Cell:
    """Return the answer of the games of a point, of which those that are left ended without an error.

    The others count as `LOST` only. The values of a `column` are known.
    """
    if answer is LOST:
        lost = len(games) - len(left)
        return (lost, f"{lost} of {len(games)}") if lost else NOTHING
    if answer is ENDED:
        ended = int((left[UNSENT] > 0).sum()) if UNSENT in left else 0
        return (ended, f"{ended} of {len(left)}") if ended else NOTHING
    if left.empty:
        return NOTHING
    if answer.how == "fact":
        return _fact(str(answer.of), str(games[PROTOCOL].iloc[0]), results)
    values = measured(answer, left) if column is None else column.get(int(games[POINT].iloc[0]))
    if values is None:
        return NOTHING
    if answer.how not in SHARES:
        return _summary(answer.how, values)
    if len(values) == 1:
        return float(values.iloc[0]), "yes" if values.iloc[0] else "no"
    return float(values.mean()), f"{int(values.sum()):,} of {len(values):,}"


def measured(answer: Answer, games: pd.DataFrame) -> pd.Series[float] | None:
    """Return the values of an answer, truth values for a share; None if there are none, or no such columns."""
    try:
        values = (games[answer.of] if isinstance(answer.of, str) else answer.of(games)).dropna()
    except KeyError:  # not all points have it, or the table is of another task than the manifest names
        return None
    if answer.how == "held":
        values = values[values.isin((OK, FAILED))] == OK
    if answer.how == "share":
        values = values.astype(str) == "True"
    return None if values.empty else values


def _summary(how: str, values: pd.Series[float]) -> Cell:
    """Return the median, mean, largest or least value; of texts, the most frequent one."""
    import pandas as pd

    numbers = pd.to_numeric(values, errors="coerce")
    if values.dtype == bool or numbers.isna().any():
        usual = str(values.mode().iloc[0])
        times = int((values.astype(str) == usual).sum())
        return usual, usual if times == len(values) else f"{usual} ({times} of {len(values)})"
    name = {"largest": "max", "least": "min"}.get(how, how)
    value = float(getattr(np, name)(numbers.to_numpy(dtype=float)))
    plain = int(value) if value.is_integer() and abs(value) < 2**53 else value
    return plain, in_short(value)


def _fact(name: str, protocol: str, results: Results) -> Cell:
    """Return an attribute of the protocol's class."""
    try:
        fact = getattr(class_of(PROTOCOL, protocol, results.own, results.task.bases[PROTOCOL]), name, None)
    except ScenarioError:
        return NOTHING  # a user's class
    return (fact, fact) if isinstance(fact, str) and fact else NOTHING
