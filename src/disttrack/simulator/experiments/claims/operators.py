"""The operators of the language of measures, and logic in which a comparison with a missing value is masked."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from disttrack.simulator.game.columns import ColumnType

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
