"""A small language of measures over a table: ``fraction(ok)``, ``slope(words - words_poll, sites)``.

The grammar is a part of Python's, read with `ast` and walked here: nothing is evaluated by Python, names
are columns, and only the functions below can be called. A condition on rows (``where``) is the same
language without the functions that sum a column up: ``protocol == 'robust' and sites >= 64``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.claims.statistics import AGGREGATES, ROWWISE, Estimate
from simulator.errors import nearest

Columns = Mapping[str, np.ndarray[Any, Any]]


class ExpressionError(Exception):
    """An expression that cannot be read or evaluated; one line says why."""


def check_measure(text: str) -> None:
    """Raise ExpressionError unless `text` is a measure: a number once a table is given."""
    tree = _parse(text)
    if not _Shape(text).is_number(tree):
        raise ExpressionError(f"{text!r} is a column, not a measure; sum it up, for example {_example(text)}")


def check_rows(text: str) -> None:
    """Raise ExpressionError unless `text` is a condition or a quantity of each row."""
    tree = _parse(text)
    shape = _Shape(text)
    shape.is_number(tree)
    if shape.sums_up:
        raise ExpressionError(f"{text!r} sums columns up; a condition speaks of one row at a time")


def measure(text: str, table: Columns) -> Estimate:
    """Return the value of a measure over a table, with its confidence interval where it has one.

    Raises
    ------
    ExpressionError
        The text is no measure, or names a column that is not there.

    Examples
    --------
    >>> measure("fraction(ok)", {"ok": np.array([True, True, False, True])}).value
    0.75
    >>> linear = {"sites": np.array([1, 2, 4]), "words": np.array([3, 6, 12])}
    >>> round(measure("slope(words, sites)", linear).value, 9)
    1.0
    """
    check_measure(text)
    value = _Evaluator(text, table).value(_parse(text))
    return value if isinstance(value, Estimate) else Estimate(float(value))


def rows(text: str, table: Columns) -> np.ndarray[Any, Any]:
    """Return, for each row of a table, whether a condition holds (or what a quantity is there).

    Examples
    --------
    >>> rows("sites > 1 and kind in ['a']", {"sites": np.array([1, 2]), "kind": np.array(["a", "a"])})
    array([False,  True])
    """
    check_rows(text)
    length = len(next(iter(table.values()), ()))
    return np.broadcast_to(np.asarray(_Evaluator(text, table).value(_parse(text))), (length,)).copy()


def column_of(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Return a column for this language: of truth values, numbers or texts.

    Where there is no value (None, or not-a-number among others), a truth value is false, a number is
    not-a-number, and a text is empty.

    Examples
    --------
    >>> column_of([True, None]), column_of([1, None]), column_of(["a", None])
    (array([ True, False]), array([ 1., nan]), array(['a', ''], dtype='<U1'))
    """
    given = [value for value in values if value is not None and value == value]
    if given and all(isinstance(value, bool | np.bool_) for value in given):
        return np.array([value is not None and value == value and bool(value) for value in values], dtype=bool)
    if all(isinstance(value, int | float | np.number) for value in given):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(["" if value is None or value != value else str(value) for value in values])


def columns_of(text: str) -> set[str]:
    """Return the names of the columns that an expression uses."""
    tree = _parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ExpressionError(f"{text!r} cannot be read: {getattr(error, 'msg', error)}") from error


def _example(text: str) -> str:
    return f"median({text.strip()})"


@dataclass
class _Shape:
    """Tells numbers from columns, and refuses what is not part of the language."""

    text: str
    sums_up: bool = field(default=False)

    def is_number(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=bool() | int() | float() | str()):
                return True
            case ast.Name():
                return False
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not(), operand=operand):
                return self.is_number(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self._all(left, right)
            case ast.BoolOp(values=values):
                return self._all(*values)
            case ast.Compare(left=left, ops=operators, comparators=others):
                for operator, other in zip(operators, others, strict=True):
                    if isinstance(operator, ast.In | ast.NotIn):
                        if not isinstance(other, ast.List | ast.Tuple):
                            self._refuse("after 'in' stands a list, for example ['robust', 'block']")
                    elif type(operator) not in _COMPARE:
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


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.Pow: np.power,
    ast.Mod: np.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


class _Evaluator:
    """Walks an expression that `_Shape` has let pass."""

    def __init__(self, text: str, table: Columns) -> None:
        self.text = text
        self.table = table

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._column(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return np.logical_not(self._truth(operand))
            case ast.UnaryOp(op=op, operand=operand):
                value = self._plain(operand)
                return -value if isinstance(op, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right):
                with np.errstate(all="ignore"):
                    return _BINARY[type(op)](self._number(left), self._number(right))
            case ast.BoolOp(op=op, values=values):
                join = np.logical_and if isinstance(op, ast.And) else np.logical_or
                result = self._truth(values[0])
                for other in values[1:]:
                    result = join(result, self._truth(other))
                return result
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._compare(left, operators, others)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._plain(element) for element in elements]
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                return self._call(name, arguments, keywords)
        raise ExpressionError(f"{self.text!r} is not part of the language")

    def _column(self, name: str) -> Any:
        if name not in self.table:
            raise ExpressionError(
                f"{self.text!r}: there is no column {name!r}{nearest(name, self.table)} "
                f"(accepted: {', '.join(self.table)})"
            )
        column = self.table[name]
        return column_of(column.tolist()) if column.dtype.kind == "O" else column

    def _plain(self, node: ast.expr) -> Any:
        value = self.value(node)
        return value.value if isinstance(value, Estimate) else value

    def _number(self, node: ast.expr) -> Any:
        value = np.asarray(self._plain(node))
        if value.dtype.kind not in "biuf":
            raise ExpressionError(f"{self.text!r}: {ast.unparse(node)} is not a number")
        return value.astype(float)

    def _truth(self, node: ast.expr) -> Any:
        value = np.asarray(self._plain(node))
        if value.dtype.kind != "b":
            raise ExpressionError(f"{self.text!r}: {ast.unparse(node)} is neither true nor false")
        return value

    def _compare(self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr]) -> Any:
        result: Any = True
        first = self._plain(left)
        for operator, other in zip(operators, others, strict=True):
            second = self._plain(other)
            if isinstance(operator, ast.In | ast.NotIn):
                found = np.zeros(np.shape(first), dtype=bool)
                for element in second:
                    found = found | (np.asarray(first) == element)
                holds = ~found if isinstance(operator, ast.NotIn) else found
            else:
                try:
                    holds = _COMPARE[type(operator)](first, second)
                except TypeError as error:
                    raise ExpressionError(f"{self.text!r}: a number is compared with a text") from error
            result = np.logical_and(result, holds)
            first = second
        return result

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if name in ROWWISE:
            with np.errstate(all="ignore"):
                return ROWWISE[name](self._number(arguments[0]))
        inner = self
        if keywords:
            chosen = rows(ast.unparse(keywords[0].value), self.table)
            inner = _Evaluator(self.text, {key: column[chosen] for key, column in self.table.items()})
        length = len(next(iter(inner.table.values()), ()))
        values = []
        for argument in arguments:
            value = np.asarray(inner._plain(argument))
            if value.dtype.kind not in "biuf":
                raise ExpressionError(f"{self.text!r}: {ast.unparse(argument)} is not a number")
            is_column = any(isinstance(part, ast.Name) for part in ast.walk(argument))
            values.append(np.broadcast_to(value, (length,)) if is_column else value)
        try:
            return AGGREGATES[name].compute(length, *values)
        except ValueError as error:
            raise ExpressionError(f"{self.text!r}: {error}") from error
