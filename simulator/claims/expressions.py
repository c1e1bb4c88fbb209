"""A small language of measures over a table: ``fraction(ok)``, ``slope(words - words_poll, sites)``.

The grammar is a part of Python's, read with `ast` and walked here: nothing is evaluated by Python, names
are columns, and only the functions below can be called. A condition on rows (``where``) is the same
language without the functions that sum a column up: ``protocol == 'robust' and sites >= 64``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from simulator.claims.columns import Holds
from simulator.claims.grammar import BINARY, COMPARE, SHARE, ExpressionError, Part, Shape, parse
from simulator.claims.statistics import AGGREGATES, ROWWISE, Aggregate, Estimate
from simulator.errors import nearest

Columns = Mapping[str, np.ndarray[Any, Any]]
NOTHING_KNOWN: Final[Mapping[str, Holds]] = {}


def check_measure(text: str, columns: Mapping[str, Holds] = NOTHING_KNOWN) -> None:
    """Raise ExpressionError unless `text` is a measure: a number once a table is given.

    Parameters
    ----------
    columns
        What columns hold, as far as it is known.
    """
    part = Shape(text, columns).of(parse(text))
    if not part.single:
        raise ExpressionError(f"{text!r} is a column, not a measure; sum it up, for example {_example(text)}")
    if part.holds == "text":
        raise ExpressionError(f"{text!r} is a text, not a measure")


def check_rows(text: str, columns: Mapping[str, Holds] = NOTHING_KNOWN) -> None:
    """Raise ExpressionError unless `text` is a condition or a quantity of each row."""
    _part_of_row(text, columns)


def check_condition(text: str, columns: Mapping[str, Holds] = NOTHING_KNOWN) -> None:
    """Raise ExpressionError unless `text` is true or false of each row."""
    if _part_of_row(text, columns).holds not in ("truth", "unknown"):
        raise ExpressionError(f"{text!r} is neither true nor false of a game; for example: sites >= 64")


def _part_of_row(text: str, columns: Mapping[str, Holds]) -> Part:
    shape = Shape(text, columns)
    part = shape.of(parse(text))
    if shape.sums_up:
        raise ExpressionError(f"{text!r} sums columns up; a condition speaks of one row at a time")
    return part


def measure(text: str, table: Columns, aggregates: Mapping[str, Aggregate] = AGGREGATES) -> Estimate:
    """Return the value of a measure over a table, with its confidence interval where it has one.

    Columns are summed up by `aggregates`.

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
    value = _Evaluator(text, table, aggregates, measuring=True).value(parse(text))
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
    return np.broadcast_to(np.asarray(_Evaluator(text, table).value(parse(text))), (length,)).copy()


def condition(text: str, table: Columns) -> np.ndarray[Any, Any]:
    """Return, for each row of a table, whether a condition holds.

    Raises
    ------
    ExpressionError
        It is none: what an unknown column holds is seen only here.
    """
    holds = rows(text, table)
    if holds.dtype.kind != "b" and len(holds):
        raise ExpressionError(f"{text!r}: where must be a condition, true or false of each game")
    return holds.astype(bool)


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
    tree = parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def outermost(text: str) -> str:
    """Return the name of the measure that an expression is; empty if it is made of several, or of none.

    Examples
    --------
    >>> outermost("fraction(ok)"), outermost("max(words) / 2")
    ('fraction', '')
    """
    match parse(text):
        case ast.Call(func=ast.Name(id=name)) if name in AGGREGATES:
            return name
    return ""


def arguments(text: str, table: Columns) -> tuple[np.ndarray[Any, Any], list[np.ndarray[Any, Any]]]:
    """Return, of a measure that is one call, the rows that it speaks of and what its arguments are there.

    Examples
    --------
    >>> arguments("max(2 * a, where=(a > 1))", {"a": np.array([1, 2, 3])})
    (array([False,  True,  True]), [array([4., 6.])])
    """
    call = parse(text)
    assert isinstance(call, ast.Call)
    chosen = np.ones(len(next(iter(table.values()), ())), dtype=bool)
    for keyword in call.keywords:
        chosen = condition(ast.unparse(keyword.value), table)
    inner = {name: column[chosen] for name, column in table.items()}
    return chosen, [rows(ast.unparse(argument), inner) for argument in call.args]


def _example(text: str) -> str:
    return f"median({text.strip()})"


def _missing(value: Any) -> Any:
    """Return where there is no number."""
    column = np.asarray(value)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(column.shape, dtype=bool)


def _both(one: Any, other: Any) -> Any:
    """Return whether both hold; masked where that depends on one that is missing."""
    if not np.ma.is_masked(one) and not np.ma.is_masked(other):
        return np.logical_and(one, other)
    holds = np.ma.filled(one, True) & np.ma.filled(other, True)
    return np.ma.array(holds, mask=(np.ma.getmaskarray(one) | np.ma.getmaskarray(other)) & holds)


def _either(one: Any, other: Any) -> Any:
    """Return whether one of two holds; masked where that depends on one that is missing."""
    return np.logical_not(_both(np.logical_not(one), np.logical_not(other)))


class _Evaluator:
    """Walks an expression that `Shape` has let pass."""

    def __init__(
        self, text: str, table: Columns, aggregates: Mapping[str, Aggregate] = AGGREGATES, *, measuring: bool = False
    ) -> None:
        self.text = text
        self.table = table
        self.aggregates = aggregates
        self.measuring = measuring

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return float("inf") if type(value) is int and value >= 2**63 else value
            case ast.Name(id=name):
                return self._column(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return np.logical_not(self._truth(operand))
            case ast.UnaryOp(op=op, operand=operand):
                value = self._number(operand)
                return -value if isinstance(op, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right):
                with np.errstate(all="ignore"):
                    return BINARY[type(op)](self._number(left), self._number(right))
            case ast.BoolOp(op=op, values=values):
                return reduce(_both if isinstance(op, ast.And) else _either, map(self._truth, values))
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._compare(left, operators, others)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):  # after 'in'
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
        return self._whole(node).astype(float)

    def _truth(self, node: ast.expr) -> Any:
        value = np.asanyarray(self._plain(node))
        if value.dtype.kind != "b":
            raise ExpressionError(f"{self.text!r}: {ast.unparse(node)} is neither true nor false")
        return value

    def _compare(self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr]) -> Any:
        result: Any = np.True_
        first = self._plain(left)
        for operator, other in zip(operators, others, strict=True):
            second, missing = self._plain(other), _missing(first)
            if isinstance(operator, ast.In | ast.NotIn):
                found = np.zeros(np.shape(first), dtype=bool)
                for element in second:
                    found = found | (np.asarray(first) == element)
                holds = ~found if isinstance(operator, ast.NotIn) else found
            else:
                try:
                    holds = COMPARE[type(operator)](first, second)
                except TypeError as error:
                    raise ExpressionError(f"{self.text!r}: a number is compared with a text") from error
                missing = missing | _missing(second)
            if self.measuring and missing.any():
                holds = np.ma.array(holds, mask=np.broadcast_to(missing, np.shape(holds)))
            result = _both(result, holds)
            first = second
        return result

    def _whole(self, node: ast.expr) -> Any:
        """Return numbers or truth values; refuse a condition that is neither true nor false in some of the games."""
        value = np.asanyarray(self._plain(node))
        if value.dtype.kind not in "biuf":
            raise ExpressionError(f"{self.text!r}: {ast.unparse(node)} is not a number")
        if np.ma.is_masked(value):
            raise ExpressionError(f"{self.text!r}: some of the games have no value for {ast.unparse(node)}")
        return np.asarray(value)

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if name in ROWWISE:
            with np.errstate(all="ignore"):
                return ROWWISE[name](self._number(arguments[0]))
        inner = self
        if keywords:
            chosen = condition(ast.unparse(keywords[0].value), self.table)
            table = {key: column[chosen] for key, column in self.table.items()}
            inner = _Evaluator(self.text, table, self.aggregates, measuring=self.measuring)
        length = len(next(iter(inner.table.values()), ()))
        values = []
        for argument, role in zip(arguments, self.aggregates[name].arguments, strict=True):
            value = inner._whole(argument)
            values.append(value if role == SHARE else np.broadcast_to(value, (length,)))
        try:
            return self.aggregates[name].compute(length, *values)
        except ValueError as error:
            raise ExpressionError(f"{self.text!r}: {error}") from error
