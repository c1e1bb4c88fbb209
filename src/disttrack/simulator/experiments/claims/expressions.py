"""A small language of measures over a table: ``fraction(ok)``, ``slope(words - words_poll, sites)``.

The grammar is a part of Python's, read with `ast` and walked here: nothing is evaluated by Python, names are columns,
and only the functions of `simulator.experiments.claims.statistics` can be called. A condition on rows (``where``) is
the same language without the functions that sum a column up: ``protocol == 'robust' and sites >= 64``.

Every value is a numpy array of numbers, truth values or texts: one value (of no dimension), or one per row. An
expression is checked before there are results by evaluating it on a sample table: see
`simulator.experiments.claims.expression_checks`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import pairwise
from typing import Any, Final, get_args

import numpy as np

from disttrack.simulator.errors import nearest, no_such
from disttrack.simulator.experiments.claims.statistics import (
    AGGREGATES,
    CONDITIONS,
    ROWWISE,
    SHARE,
    Aggregate,
    Estimate,
    Values,
)
from disttrack.simulator.game.columns import VERDICT, ColumnType, Verdict
from disttrack.simulator.kinds.names import count

Columns = Mapping[str, Values]
MOST_LETTERS: Final = 2_000
"""Length of an expression at most."""
MOST_LEVELS: Final = 60
"""Levels of nesting at most."""
VERDICTS: Final = get_args(Verdict)
_ROW: Final = "number of the row "
"""The number of each row: a column that no expression can name."""


class ExpressionError(Exception):
    """An expression that cannot be read or evaluated; its message is one line."""


@np.errstate(all="ignore")
def measure(
    text: str, table: Columns, aggregates: Mapping[str, Aggregate] = AGGREGATES, *, masking: bool = True
) -> Estimate:
    """Return the value of a measure over a table, with its confidence interval; ExpressionError if it has none.

    Parameters
    ----------
    aggregates
        What sums columns up.
    masking
        Whether a comparison with a missing value is neither true nor false.

    Examples
    --------
    >>> measure("fraction(ok)", {"ok": np.array([True, True, False, True])}).value
    0.75
    >>> linear = {"sites": np.array([1, 2, 4]), "words": np.array([3, 6, 12])}
    >>> round(measure("slope(words, sites)", linear).value, 9)
    1.0
    """
    value = _Evaluation(text, table, aggregates, masking).value(parse(text))
    if isinstance(value, Estimate):
        return value
    if np.ndim(value):
        name = "fraction" if np.asarray(value).dtype == bool else "median"
        raise ExpressionError(f"{text!r} is no measure; write {name}({text.strip()})")
    if isinstance(value, str):
        raise ExpressionError(f"{text!r} is a text, not a measure")
    return Estimate(float(value))


@np.errstate(all="ignore")
def rows(text: str, table: Columns) -> Values:
    """Return the value of a condition or a quantity in each row of a table.

    Examples
    --------
    >>> rows("sites > 1 and kind in ['a']", {"sites": np.array([1, 2]), "kind": np.array(["a", "a"])})
    array([False,  True])
    """
    return np.broadcast_to(np.asarray(_Evaluation(text, table).value(parse(text))), (length(table),)).copy()


def condition(text: str, table: Columns) -> Values:
    """Return whether a condition holds in each row of a table; ExpressionError if it is neither true nor false."""
    holds = rows(text, table)
    if holds.dtype.kind not in "bV" and len(holds):
        raise ExpressionError(f"{text!r} is not a condition, such as sites >= 64")
    return holds.astype(bool)


def argument(text: str, table: Columns) -> tuple[Columns, Values]:
    """Return the rows that a measure of one call is about, and the value of its first argument in each of them."""
    call = parse(text)
    assert isinstance(call, ast.Call)
    for keyword in call.keywords:
        table = select(table, condition(ast.unparse(keyword.value), table))
    return table, rows(ast.unparse(call.args[0]), table)


def games_read(text: str, table: Columns) -> Columns:
    """Return the rows that a measure is about: those that meet the `where` of one of its calls.

    Examples
    --------
    >>> games_read("max(words, where=(sites > 1))", {"sites": np.array([1, 2]), "words": np.array([5, 6])})["words"]
    array([6])
    """
    chosen = np.zeros(length(table), dtype=bool)

    def compute(_length: int, *values: Values) -> Estimate:
        chosen[values[-1]] = True
        return Estimate(1.0)

    noting = {name: replace(one, compute=compute, reads=(_ROW,)) for name, one in AGGREGATES.items()}
    measure(text, {**table, _ROW: np.arange(length(table))}, noting, masking=False)
    return select(table, chosen)


@lru_cache(maxsize=1024)
def parse(text: str) -> ast.expr:
    """Return the tree of an expression, which nobody changes; ExpressionError if it is none, or exceeds a limit.

    It is kept, since a claim is checked and evaluated for many groups and columns.
    """
    if len(text) > MOST_LETTERS:
        raise ExpressionError(f"{text[:40]!r}…: {len(text):,} letters; at most {MOST_LETTERS:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in texts
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        single = "; to compare, write ==" if re.search(r"[^=!<>]=[^=]", text) else ""
        raise ExpressionError(f"{text[:80]!r} cannot be read: {getattr(error, 'msg', error)}{single}") from error
    level: list[ast.AST] = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise ExpressionError(f"{text[:40]!r}…: nested over {MOST_LEVELS} levels")


def columns_of(text: str) -> set[str]:
    """Return the names of the columns that an expression uses."""
    nodes = list(ast.walk(parse(text)))
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and node not in called}


def outermost(text: str) -> str:
    """Return the name of the function that an expression is a call of; empty if it is more than a call."""
    tree = parse(text)
    return tree.func.id if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) else ""


def length(table: Columns) -> int:
    """Return the number of rows of a table."""
    return len(next(iter(table.values()), ()))


def select(table: Columns, chosen: Values) -> Columns:
    """Return the chosen rows of a table, by condition or by number."""
    return {name: column[chosen] for name, column in table.items()}


def column_of(values: Sequence[Any]) -> Values:
    """Return a column of truth values, numbers or texts.

    Where there is no value (None or not-a-number) a truth value is false, a number not-a-number, a text empty. Whole
    numbers above the largest float are infinite.

    Examples
    --------
    >>> column_of([True, None]), column_of([1, None, 2**4000]), column_of(["a", None])
    (array([ True, False]), array([ 1., nan, inf]), array(['a', ''], dtype='<U1'))
    """
    values = [None if value != value else value for value in values]
    given = [value for value in values if value is not None]
    if given and all(isinstance(value, bool | np.bool_) for value in given):
        return np.array([bool(value) for value in values])
    if all(isinstance(value, int | float | np.number) for value in given):
        most = float(np.finfo(float).max)  # a float of Python's compares with any whole number
        return np.array([np.nan if one is None else np.inf if one > most else one for one in values], dtype=float)
    return np.array(["" if value is None else str(value) for value in values])


@dataclass(frozen=True)
class _Evaluation:
    """The value of an expression over a table.

    Parameters
    ----------
    aggregates
        What sums columns up in a measure; None in a condition.
    masking
        Whether a comparison with a missing value is masked: neither true nor false. Otherwise it is false.
    """

    text: str
    table: Columns
    aggregates: Mapping[str, Aggregate] | None = None
    masking: bool = False

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return float("inf") if type(value) is int and value >= 2**63 else value
            case ast.Name(id=name):
                return self._column(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return np.logical_not(self._truth(operand))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                return -self._number(operand) if isinstance(sign, ast.USub) else self._number(operand)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in BINARY:
                return BINARY[type(operator)](self._number(left), self._number(right))
            case ast.BoolOp(op=operator, values=values):
                return reduce(both if isinstance(operator, ast.And) else either, map(self._truth, values))
            case ast.Compare(
                left=left, ops=[ast.In() | ast.NotIn() as operator], comparators=[ast.List() | ast.Tuple() as among]
            ):
                return self._among(left, among.elts, inside=isinstance(operator, ast.In))
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._compare(operators, [left, *others])
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                return self._call(name, arguments, keywords)
            case ast.Attribute(attr=name):
                raise self._refused(f"a column has a plain name; write {name}")
            case ast.List() | ast.Tuple():
                raise self._refused("a list goes after 'in'")
        raise self._refused("accepted: columns, numbers, texts, + - * / **, comparisons, and, or, not, in, measures")

    def _column(self, name: str) -> Values:
        if name not in self.table:
            texts = (column for column in self.table.values() if column.dtype.kind in "OU")
            quoted = f"; a text needs quotes: '{name}'" if any(name in column.tolist() for column in texts) else ""
            raise self._refused(no_such("column", name, self.table, quoted))
        column = self.table[name]
        return column_of(column.tolist()) if column.dtype.kind == "O" else column

    def _array(self, node: ast.expr) -> Values:
        value = self.value(node)
        return np.asanyarray(value.value if isinstance(value, Estimate) else value)

    def _typed(self, node: ast.expr, kinds: str, fault: str) -> Values:
        """Return a value of one of these kinds; truth values, which can be numbers too, for one of no known type."""
        value = self._array(node)
        if value.dtype.kind == "V":
            return np.ones(value.shape, dtype=bool)
        if value.dtype.kind not in kinds:
            raise self._refused(f"{ast.unparse(node)} {fault}")
        return value

    def _truth(self, node: ast.expr) -> Values:
        return self._typed(node, "b", "is neither true nor false")

    def _known(self, node: ast.expr) -> Values:
        """Return numbers or truth values; refuse a condition that is neither true nor false in some of the games."""
        value = self._typed(node, "biuf", "is not a number")
        if is_masked(value):
            raise self._refused(f"some games have no value for {ast.unparse(node)}")
        return np.asarray(value)

    def _number(self, node: ast.expr) -> Values:
        return self._known(node).astype(float)

    def _compare(self, operators: list[ast.cmpop], sides: list[ast.expr]) -> Any:
        if not {*map(type, operators)} <= {*COMPARE}:
            raise self._refused("compare with ==, !=, <, <=, >, >=, or in [8, 16]")
        self._check_verdicts(sides)
        pairs = zip(operators, pairwise(map(self._array, sides)), strict=True)
        return reduce(both, [self._holds(COMPARE[type(operator)], *pair) for operator, pair in pairs])

    def _among(self, left: ast.expr, elements: list[ast.expr], *, inside: bool) -> Any:
        """Return whether a value equals one of some others, or none of them."""
        if not elements:
            raise self._refused("in: an empty list")
        self._check_verdicts([left, *elements])
        value = self._array(left)
        among = reduce(either, [self._holds(np.equal, value, self._array(element)) for element in elements])
        return among if inside else np.logical_not(among)

    def _check_verdicts(self, sides: list[ast.expr]) -> None:
        """Refuse a text that is no verdict, beside the column of verdicts: no game would ever have it."""
        for one in sides if any(isinstance(one, ast.Name) and one.id == VERDICT for one in sides) else ():
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value not in VERDICTS:
                raise self._refused(no_such(VERDICT, one.value, VERDICTS))

    def _holds(self, compare: Callable[[Any, Any], Any], one: Values, other: Values) -> Any:
        """Return whether a comparison holds."""
        kinds = {type_of(one), type_of(other)}
        if "unknown" in kinds:
            holds = np.full(np.broadcast_shapes(one.shape, other.shape), compare is np.not_equal)
        elif len(kinds) > 1:
            raise self._refused("compares a number with a text")
        else:
            holds = compare(one, other)
        gaps = missing(one) | missing(other)
        if self.masking and gaps.any():
            return np.ma.array(holds, mask=np.broadcast_to(gaps, np.shape(holds)))
        return holds

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if name in ROWWISE:
            if len(arguments) != 1 or keywords:
                raise self._refused(f"{name} takes one value")
            return ROWWISE[name](self._number(arguments[0]))
        names = [*AGGREGATES, *ROWWISE]
        if name not in names:
            forms = [f"{one}({', '.join([*it.arguments, '[where=…]'])})" for one, it in AGGREGATES.items()]
            forms += [f"{one}(value)" for one in ROWWISE]
            raise self._refused(no_such("measure", name, forms, nearest(name, names)))
        if self.aggregates is None:
            raise self._refused(f"{name} is a measure, and a condition has one row")
        aggregate = self.aggregates[name]
        if len(arguments) != len(aggregate.arguments):
            raise self._refused(f"{name} is written {name}({', '.join(aggregate.arguments)})")
        inner = self
        if keywords:
            if (names := [str(keyword.arg) for keyword in keywords]) != ["where"]:
                raise self._refused(f"{name} takes where=(…), and no {', '.join(names)}")
            holds = replace(self, aggregates=None, masking=False)._truth(keywords[0].value)
            inner = replace(self, table=select(self.table, np.broadcast_to(holds, (length(self.table),))))
        values = [inner._argument(name, *pair) for pair in zip(aggregate.arguments, arguments, strict=True)]
        try:
            return aggregate.compute(length(inner.table), *values, *(inner.table[one] for one in aggregate.reads))
        except ValueError as error:
            for node, value in zip(arguments, values, strict=True):
                if value.dtype.kind == "f" and (gaps := int(np.isnan(value).sum())):
                    games = f"{gaps:,} of {count(value.size, 'game')}"
                    raise self._refused(
                        f"{ast.unparse(node)} has no value in {games}; where leaves them out"
                    ) from error
            raise self._refused(str(error)) from error

    def _argument(self, name: str, role: str, node: ast.expr) -> Values:
        """Return an argument of a measure; refuse one that is not of its type."""
        value = self._known(node)
        if bool(value.ndim) == (role == SHARE):
            needed = "one number" if role == SHARE else "a column"
            raise self._refused(f"{name}: {role} must be {needed}; got {ast.unparse(node)}")
        if role in CONDITIONS and value.dtype.kind != "b" and not np.isin(value, (0, 1)).all():
            raise self._refused(f"{ast.unparse(node)} is not a condition")
        return value

    def _refused(self, why: str) -> ExpressionError:
        return ExpressionError(f"{self.text!r}: {why}")


BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.Pow: np.power,
    ast.Mod: np.mod,
}
COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}


def missing(value: np.ndarray[Any, Any]) -> Any:
    """Return where there is no number."""
    return np.isnan(value) if value.dtype.kind == "f" else np.zeros(value.shape, dtype=bool)


def type_of(value: np.ndarray[Any, Any]) -> ColumnType:
    """Return the type of a value for comparisons; a column without any value may be of any type."""
    if value.dtype.kind == "V" or (value.ndim and value.size and missing(value).all()):
        return "unknown"
    return "text" if value.dtype.kind == "U" else "number"


def is_masked(value: object) -> bool:
    """Return whether a part of a value is masked: as numpy's, without the import of `numpy.ma`, which few need."""
    return bool(np.any(getattr(value, "mask", False)))


def both(one: Any, other: Any) -> Any:
    """Return whether both hold; masked where that depends on one that is masked."""
    if not is_masked(one) and not is_masked(other):
        return np.logical_and(one, other)
    holds = np.logical_and(np.ma.filled(one, True), np.ma.filled(other, True))
    return np.ma.array(holds, mask=(np.ma.getmaskarray(one) | np.ma.getmaskarray(other)) & holds)


def either(one: Any, other: Any) -> Any:
    """Return whether one of two holds; masked where that depends on one that is masked."""
    return np.logical_not(both(np.logical_not(one), np.logical_not(other)))
