"""Checks of parameters: each error names the argument, its value and the accepted values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def number(name: str, value: Any, accepted: str, fits: Callable[[float], bool]) -> None:
    """Raise ValueError unless `value` is a number that fits; `accepted` describes the accepted numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not fits(value):
        raise ValueError(f"{name} must be a number {accepted}; got {value!r}")


def positive(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a finite number above 0."""
    number(name, value, "above 0", lambda value: 0 < value < float("inf"))


def probability(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a number strictly between 0 and 1."""
    number(name, value, "between 0 and 1, both excluded", lambda value: 0 < value < 1)


def whole(name: str, value: Any, least: int = 1) -> None:
    """Raise ValueError unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}")
