"""Games that an error ended, and the claims that they leave undecided.

Such a game shows nothing of its protocol: it is left out of every measure. Only what was set beforehand is known of it,
so a condition on what games show may or may not have held: it counts as held, and the claim is left undecided.
"""

from __future__ import annotations

import ast
from collections import Counter

import numpy as np

from disttrack.simulator.claims.claim import Claim
from disttrack.simulator.claims.expressions import Columns, length, rows, select
from disttrack.simulator.claims.grammar import ExpressionError, columns_of, parse
from disttrack.simulator.claims.groups import groups
from disttrack.simulator.claims.statistics import AGGREGATES, Values


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
