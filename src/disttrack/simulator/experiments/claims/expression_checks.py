"""An expression checked before anything is played, by evaluating it on a sample table.

A column of a type that is not known can be used as a value of any type.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

import numpy as np

from disttrack.simulator.experiments.claims.expressions import (
    Columns,
    ExpressionError,
    column_of,
    columns_of,
    condition,
    length,
    measure,
    parse,
    rows,
)
from disttrack.simulator.experiments.claims.statistics import AGGREGATES, Estimate, Values
from disttrack.simulator.game.columns import ENDED_COLUMNS, NETWORK_COLUMNS, TRIAL_COLUMNS, ColumnType

_SAMPLES: Final[Mapping[ColumnType, Values]] = {
    "number": np.arange(1.0, 13.0),
    "truth": np.arange(12) % 2 == 0,
    "text": np.array(["t0", "t1", "t2"] * 4),
    "unknown": np.zeros(12, dtype="V1"),
}
_BY_DTYPE: Final[dict[str, ColumnType]] = {"b": "truth", "f": "number", "U": "text"}
_UNMEASURED: Final = {name: replace(one, compute=lambda *_: Estimate(1.0)) for name, one in AGGREGATES.items()}


def check_measure(text: str, columns: Mapping[str, ColumnType] | None = None) -> None:
    """Raise ExpressionError unless `text` is a measure: one number for a table.

    Parameters
    ----------
    columns
        The type of each column, as far as it is known.
    """
    measure(text, _sample(text, columns), _UNMEASURED, masking=False)


def check_rows(text: str, columns: Mapping[str, ColumnType] | None = None) -> None:
    """Raise ExpressionError unless `text` is a condition or a quantity of each row."""
    rows(text, _sample(text, columns))


def check_condition(text: str, columns: Mapping[str, ColumnType] | None = None) -> None:
    """Raise ExpressionError unless `text` is true or false of each row."""
    condition(text, _sample(text, columns))


def possible_rows(text: str, table: Columns) -> Values:
    """Return for each row whether a condition may hold in it, by the columns that the table has; an empty one does.

    A part of a conjunction that is wrong, or on columns that are not in the table, is taken as true.

    Examples
    --------
    >>> possible_rows("sites > 1 and words > 5", {"sites": np.array([1, 2])})
    array([False,  True])
    """
    waiting, may = [parse(text or "True")], np.ones(length(table), dtype=bool)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.And):
            waiting += part.values
        elif columns_of(ast.unparse(part)) <= set(table):
            with suppress(ExpressionError):  # the check of the condition has the reason
                may &= condition(ast.unparse(part), table)
    return may


def is_column(name: str, columns: Mapping[str, ColumnType]) -> bool:
    """Return whether the results have a column; those of kinds of messages are not known before a game is played."""
    return name in columns or name.startswith(("words_", "messages_"))


def _sample(text: str, columns: Mapping[str, ColumnType] | None) -> Columns:
    """Return a table with the columns of an expression; with no others than those that are known, if any are."""
    names = [name for name in columns_of(text) or {"none"} if not columns or is_column(name, columns)]
    return {name: _SAMPLES[(columns or {}).get(name, "unknown")] for name in [*(columns or ()), *names]}


def column_types(
    names: Sequence[str], swept: Mapping[str, Sequence[object]], called: Mapping[str, str]
) -> dict[str, ColumnType]:
    """Return the type of each column of trials.csv.

    Parameters
    ----------
    names
        The columns.
    swept
        Swept parameters that are columns, with their values.
    called
        Columns that have a second name, and that name.

    Examples
    --------
    >>> column_types(("ok", "words", "ratio", "spread"), {"spread": ["wide", "narrow"]}, {"words": "letters"})
    {'ok': 'truth', 'words': 'number', 'ratio': 'unknown', 'spread': 'text', 'letters': 'number'}
    """
    columns = (*TRIAL_COLUMNS, *NETWORK_COLUMNS, *ENDED_COLUMNS)
    types: dict[str, ColumnType] = {column.name: column.holds for column in columns}
    known: dict[str, ColumnType] = {name: types.get(name, "unknown") for name in names}
    known |= {name: _BY_DTYPE[column_of(values).dtype.kind] for name, values in swept.items()}
    return {**known, **{second: known[name] for name, second in called.items() if name in known}}
