"""Reading an expression: its tree, its limits, and what its names are."""

from __future__ import annotations

import ast
import warnings
from typing import Final

MOST_LETTERS: Final = 2_000
"""Length of an expression at most."""
MOST_LEVELS: Final = 60
"""Levels of nesting at most."""


class ExpressionError(Exception):
    """An expression that cannot be read or evaluated; its message is one line."""


def parse(text: str) -> ast.expr:
    """Return the tree of an expression.

    Raises
    ------
    ExpressionError
        It is not an expression, or exceeds a limit.
    """
    if len(text) > MOST_LETTERS:
        raise ExpressionError(f"{text[:40]!r}… has {len(text):,} letters; at most {MOST_LETTERS:,} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in texts
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"{text[:80]!r} cannot be read: {getattr(error, 'msg', error)}") from error
    level: list[ast.AST] = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise ExpressionError(f"{text[:40]!r}…: nested more than {MOST_LEVELS} levels deep")


def columns_of(text: str) -> set[str]:
    """Return the names of the columns that an expression uses."""
    tree = parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def outermost(text: str) -> str:
    """Return the name of the function that an expression calls; empty if it is more than a call.

    Examples
    --------
    >>> outermost("fraction(ok)"), outermost("max(words) / 2")
    ('fraction', '')
    """
    match parse(text):
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""
