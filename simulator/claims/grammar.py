"""The grammar of measures: what is a part of the language of `simulator.claims.expressions`, and what is refused."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from simulator.claims.statistics import AGGREGATES, ROWWISE
from simulator.errors import nearest


class ExpressionError(Exception):
    """An expression that cannot be read or evaluated; one line says why."""


def parse(text: str) -> ast.expr:
    """Return the tree of an expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ExpressionError(f"{text!r} cannot be read: {getattr(error, 'msg', error)}") from error


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


@dataclass
class Shape:
    """Tells numbers from columns, and refuses what is not part of the language."""

    text: str
    sums_up: bool = field(default=False)

    def is_number(self, node: ast.expr) -> bool:
        """Tell whether a part of the expression is one number, and not one a row."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str()):
                return True
            case ast.Name():
                return False
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not(), operand=operand):
                return self.is_number(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return self._all(left, right)
            case ast.BoolOp(values=values):
                return self._all(*values)
            case ast.Compare(left=left, ops=operators, comparators=others):
                for operator, other in zip(operators, others, strict=True):
                    if isinstance(operator, ast.In | ast.NotIn):
                        if not isinstance(other, ast.List | ast.Tuple):
                            self._refuse("after 'in' stands a list, for example ['robust', 'block']")
                    elif type(operator) not in COMPARE:
                        self._refuse("compare with ==, !=, <, <=, >, >= or in")
                return self._all(left, *others)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return self._all(*elements)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                return self._call(name, arguments, keywords)
        self._refuse("only columns, numbers, texts, + - * / **, comparisons, and, or, not, in, and measures")
        return False

    def _all(self, *nodes: ast.expr) -> bool:
        numbers = [self.is_number(node) for node in nodes]  # every part is looked at, not only the first few
        return all(numbers)

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> bool:
        if name in ROWWISE:
            if len(arguments) != 1 or keywords:
                self._refuse(f"{name} takes one value")
            return self.is_number(arguments[0])
        if name not in AGGREGATES:
            names = [*AGGREGATES, *ROWWISE]
            self._refuse(f"there is no measure {name!r}{nearest(name, names)} (accepted: {', '.join(names)})")
        self.sums_up = True
        wanted = AGGREGATES[name].arguments
        if len(arguments) != len(wanted):
            self._refuse(f"{name} is written {name}({', '.join(wanted)})")
        for argument in arguments:
            self.is_number(argument)
        for keyword in keywords:
            if keyword.arg != "where":
                self._refuse(f"{name} takes no {keyword.arg!r}; a condition is written where=(…)")
            self.is_number(keyword.value)
        return True

    def _refuse(self, why: str) -> None:
        raise ExpressionError(f"{self.text!r}: {why}")
