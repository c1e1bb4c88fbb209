"""The grammar of measures: what is a part of the language of `simulator.claims.expressions`, and what is refused.

Every part of an expression has a type (number, truth value or text) and is either one value or one per row. What a
column holds is known for most of them; an unknown one passes for whatever is asked of it.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from simulator.claims.columns import Holds
from simulator.claims.statistics import AGGREGATES, ROWWISE
from simulator.errors import nearest

MOST_LETTERS: Final = 2_000
"""Letters of an expression at most."""
MOST_LEVELS: Final = 60
"""How deep its parts may stand in one another."""


class ExpressionError(Exception):
    """An expression that cannot be read or evaluated; one line says why."""


def parse(text: str) -> ast.expr:
    """Return the tree of an expression."""
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
    raise ExpressionError(f"{text[:40]!r}…: its parts stand more than {MOST_LEVELS} deep in one another")


BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.Pow: np.power,
    ast.Mod: np.mod,
}
COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}

_CONDITIONS: Final = ("condition", "one", "other")
"""Arguments of measures that are conditions; the others are numbers."""
SHARE: Final = "share"
"""The argument that is one number and not one per row."""


class Part(NamedTuple):
    """What a part of an expression is: its type, and whether it is one value and not one per row."""

    holds: Holds
    single: bool


@dataclass
class Shape:
    """Tells what an expression is, and refuses what is not part of the language.

    Parameters
    ----------
    text
        The expression, for messages.
    columns
        What its columns hold; one that is not named here is unknown.
    """

    text: str
    columns: Mapping[str, Holds] = field(default_factory=dict)
    sums_up: bool = field(default=False, init=False)

    def of(self, node: ast.expr) -> Part:
        """Return what a part of the expression is."""
        match node:
            case ast.Constant(value=bool()):
                return Part("truth", True)
            case ast.Constant(value=int() | float()):
                return Part("number", True)
            case ast.Constant(value=str()):
                return Part("text", True)
            case ast.Name(id=name):
                return Part(self.columns.get(name, "unknown"), False)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Part("truth", self._truth(operand))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return Part("number", self._number(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return Part("number", self._all(self._number, left, right))
            case ast.BoolOp(values=values):
                return Part("truth", self._all(self._truth, *values))
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._compare(left, operators, others)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                return self._call(name, arguments, keywords)
            case ast.List() | ast.Tuple():
                raise self._refused("a list stands after 'in' only, as in protocol in ['robust', 'block']")
        raise self._refused("only columns, numbers, texts, + - * / **, comparisons, and, or, not, in, and measures")

    def _number(self, node: ast.expr) -> bool:
        """Refuse a part that is a text; tell whether it is one value. A truth value counts as 0 or 1."""
        part = self.of(node)
        if part.holds == "text":
            raise self._refused(f"{ast.unparse(node)} is not a number")
        return part.single

    def _truth(self, node: ast.expr) -> bool:
        """Refuse a part that is no truth value; tell whether it is one value."""
        part = self.of(node)
        if part.holds not in ("truth", "unknown"):
            raise self._refused(f"{ast.unparse(node)} is neither true nor false")
        return part.single

    @staticmethod
    def _all(check: Callable[[ast.expr], bool], *nodes: ast.expr) -> bool:
        singles = [check(node) for node in nodes]  # every part is looked at, not only the first few
        return all(singles)

    def _compare(self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr]) -> Part:
        first = self.of(left)
        single = first.single
        for operator, other in zip(operators, others, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                if len(operators) > 1:
                    raise self._refused("'in' does not stand in a chain of comparisons; join them by and")
                self._list_of_values(first, other)
                continue
            if type(operator) not in COMPARE:
                raise self._refused("compare with ==, !=, <, <=, >, >= or in")
            second = self.of(other)
            self._alike(first, second)
            single = single and second.single
            first = second
        return Part("truth", single)

    def _list_of_values(self, first: Part, node: ast.expr) -> None:
        if not isinstance(node, ast.List | ast.Tuple) or not node.elts:
            raise self._refused("after 'in' stands a list, for example ['robust', 'block']")
        for element in node.elts:
            plain = element.operand if isinstance(element, ast.UnaryOp) else element
            if not isinstance(plain, ast.Constant):
                raise self._refused(f"a list holds numbers and texts; got {ast.unparse(element)}")
            self._alike(first, self.of(element))

    def _alike(self, one: Part, other: Part) -> None:
        if "unknown" not in (one.holds, other.holds) and (one.holds == "text") != (other.holds == "text"):
            raise self._refused("a number is compared with a text")

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Part:
        if name in ROWWISE:
            if len(arguments) != 1 or keywords:
                raise self._refused(f"{name} takes one value")
            return Part("number", self._number(arguments[0]))
        if name not in AGGREGATES:
            names = [*AGGREGATES, *ROWWISE]
            raise self._refused(f"there is no measure {name!r}{nearest(name, names)} (accepted: {', '.join(names)})")
        self.sums_up = True
        wanted = AGGREGATES[name].arguments
        if len(arguments) != len(wanted):
            raise self._refused(f"{name} is written {name}({', '.join(wanted)})")
        for argument, role in zip(arguments, wanted, strict=True):
            self._argument(name, role, argument)
        for place, keyword in enumerate(keywords):
            if keyword.arg != "where":
                raise self._refused(f"{name} takes no {keyword.arg!r}; a condition is written where=(…)")
            if place:
                raise self._refused(f"{name} takes one condition; join several by and")
            self._truth(keyword.value)
        return Part("number", True)

    def _argument(self, name: str, role: str, node: ast.expr) -> None:
        """Refuse what is no such argument of a measure."""
        if name == "fraction" and isinstance(node, ast.Name) and self.columns.get(node.id) == "number":
            raise self._refused(f"{node.id} is neither true nor false; write a condition on it")
        single = self._truth(node) if role in _CONDITIONS and name != "fraction" else self._number(node)
        if role == SHARE and not single:
            raise self._refused(f"{name} takes one {role}, a number from 0 to 1; {ast.unparse(node)} is a column")
        if role != SHARE and single:
            raise self._refused(f"{name} sums a column up; {ast.unparse(node)} is one value")

    def _refused(self, why: str) -> ExpressionError:
        return ExpressionError(f"{self.text!r}: {why}")
