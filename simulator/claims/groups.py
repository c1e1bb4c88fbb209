"""The games that a claim is about: in groups of equal values, each game once, and those that an error ended.

A game in which chance had no part is the same for every seed, and points that are equal have the same games: however
often such a game was played, it is one observation. It is counted once in all that is measured.

A game that an error ended shows nothing of its protocol: it is left out of every measure. Only what was set beforehand
is known of it, so a condition on what games show may or may not have held: it counts as held, and the claim is left
undecided.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from disttrack.simulator.claims.claim import Claim
from disttrack.simulator.claims.expressions import Columns, length, rows, select
from disttrack.simulator.claims.grammar import ExpressionError, columns_of, parse
from disttrack.simulator.claims.statistics import AGGREGATES, Values

GAME: Final = "which game "
"""A number that games share if they are the same game: a column that no expression can name."""
COINLESS: Final = "without coins "
"""Whether chance had no part in a game, so that another seed gives it again."""


def once(table: Columns) -> Columns:
    """Return the first of all rows that are the same game; the table as it is if that is not known.

    Examples
    --------
    >>> once({"words": np.array([5, 5, 7]), GAME: np.array([0, 0, 1])})["words"].tolist()
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


def lost_of(claim: Claim, lost: Columns) -> Counter[str]:
    """Return how many of the lost games each group of a claim may have had.

    Parameters
    ----------
    lost
        What was known beforehand of the games that an error ended.

    Examples
    --------
    >>> lost = {"protocol": np.array(["a", "b", "b"])}
    >>> claim = Claim(name="c", where="protocol == 'b' and words > 3", measure="fraction(ok)", at_least=1)
    >>> lost_of(claim, lost)
    Counter({'': 2})
    """
    if not length(lost):
        return Counter()
    summed = np.any([_may_hold(condition, lost) for condition in _conditions(claim.measure)], axis=0)
    mine = select(lost, _may_hold(claim.where, lost) & summed)
    known = [name for name in claim.columns if name in lost]
    return Counter({group: length(games) for group, games in groups(known, mine) if length(games)})


def _conditions(measure: str) -> set[str]:
    """Return the conditions under which a measure sums games up; an empty one if it sums all of them up."""
    calls = [node for node in ast.walk(parse(measure)) if isinstance(node, ast.Call)]
    conditions = {
        ast.unparse(call.keywords[0].value) if call.keywords else ""
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in AGGREGATES
    }
    return conditions or {""}


def _may_hold(condition: str, lost: Columns) -> Values:
    """Return, for each lost game, whether a condition may have held of it."""
    may = np.ones(length(lost), dtype=bool)
    if not condition:
        return may
    tree = parse(condition)
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    for part in map(ast.unparse, parts):
        if columns_of(part) <= set(lost):
            try:
                may &= rows(part, lost).astype(bool)
            except ExpressionError:  # the finding of the claim has the reason
                continue
    return may
