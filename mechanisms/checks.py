"""Refusals of parameters: each names the argument, its value and what is accepted."""

from __future__ import annotations

from typing import Any


def positive(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a number above 0; got {value!r}")


def probability(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a number strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, both excluded; got {value!r}")


def whole(name: str, value: Any, least: int = 1) -> None:
    """Raise ValueError unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}")
