"""Functions of the compiled engines, played in Python as they are written: the same games, without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from disttrack.mechanisms.compiler import callees


def in_python(function: Any, parts: Mapping[str, Callable[..., Any]]) -> Any:
    """Return a function with these parts in place of those that it calls, not compiled."""
    called = {name: parts.get(name) or in_python(one, parts) for name, one in callees(function).items()}
    rest = function.__name__, function.__defaults__, function.__closure__
    return FunctionType(function.__code__, {**function.__globals__, **called}, *rest)


def as_written(function: Any, signature: Any = None, **parts: Callable[..., Any]) -> Any:
    """Return what takes the place of `compiler.compiled` in a test."""
    return in_python(function, parts)
