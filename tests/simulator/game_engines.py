"""The engines of games that count, as parameters of tests; `compiled` only where numba is."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

import pytest

from disttrack.mechanisms.compiler import available
from disttrack.mechanisms.taken import callees

COMPILED: Final = pytest.param("compiled", marks=pytest.mark.skipif(not available(), reason="numba is not installed"))
ENGINES: Final[tuple[Any, ...]] = ("step", "leap", COMPILED)


def as_written(function: Any, signature: Any, **parts: Callable[..., Any]) -> Any:
    """Return a function that is not compiled, in place of its compiled form; so are those that it calls."""
    called = {name: as_written(one, None, **parts) for name, one in callees(function).items() if name not in parts}
    rest = function.__name__, function.__defaults__, function.__closure__
    return FunctionType(function.__code__, {**function.__globals__, **called, **parts}, *rest)
