"""The games that a claim is about: in groups of equal values, each game once, and those that an error ended.

A game in which chance had no part is the same for every seed, and points that are equal have the same games: however
often such a game was played, it is one observation. It is counted once in all that is measured.

A game that an error ended shows nothing of its protocol: it is left out of every measure, and a claim that may be about
it is undecided.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from disttrack.simulator.claims.claim import Claim
from disttrack.simulator.claims.expressions import Columns, condition, length, select
from disttrack.simulator.claims.grammar import ExpressionError, columns_of, parse

GAME: Final = "which game "
"""A number that games share if they are the same game: a column that no expression can name."""
COINLESS: Final = "without coins "
"""Whether chance had no part in a game, so that another seed gives it again."""


def distinct_games(table: Columns) -> Columns:
    """Return the first of all rows that are the same game; the table as it is if that is not known.

    Examples
    --------
    >>> distinct_games({"words": np.array([5, 5, 7]), GAME: np.array([0, 0, 1])})["words"].tolist()
    [5, 7]
    """
    if GAME not in table:
        return table
    _, first = np.unique(table[GAME], return_index=True)
    return table if len(first) == length(table) else select(table, np.sort(first))


def groups(names: Sequence[str], table: Columns) -> list[tuple[str, Columns]]:
    """Return the groups of equal values in these columns, each with its condition, in order of appearance."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for name in names:
        if name not in table:
            raise ExpressionError(f"there is no column {name!r} for each")
    for number, values in enumerate(zip(*(table[name] for name in names), strict=True)):
        places.setdefault(tuple(map(_plain, values)), []).append(number)
    if not names:
        return [("", table)]
    return [
        (" and ".join(f"{name} == {value!r}" for name, value in zip(names, values, strict=True)),
         select(table, np.array(numbers)))
        for values, numbers in places.items()
    ]  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a value as Python's own; None for not-a-number, which equals no other and would be a group per game."""
    plain = value.item() if hasattr(value, "item") else value
    return None if plain != plain else plain


def lost_games(claim: Claim, lost: Columns) -> int:
    """Return how many of the games that an error ended a claim may be about.

    Parameters
    ----------
    lost
        The columns of these games that are known without playing them. A part of the claim's condition on other
        columns is taken as true.

    Examples
    --------
    >>> lost = {"protocol": np.array(["a", "b", "b"])}
    >>> lost_games(Claim(name="c", where="protocol == 'b' and words > 3", measure="fraction(ok)", at_least=1), lost)
    2
    """
    tree = parse(claim.where or "True")
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    may = np.ones(length(lost), dtype=bool)
    for part in map(ast.unparse, parts):
        if columns_of(part) <= set(lost):
            with suppress(ExpressionError):  # the finding of the claim has the reason
                may &= condition(part, lost)
    return int(may.sum())
