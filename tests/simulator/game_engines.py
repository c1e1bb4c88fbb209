"""The engines of games that count, as parameters of tests; `compiled` only where numba is."""

from __future__ import annotations

from typing import Any, Final

import pytest

from disttrack.mechanisms.compiler import available

COMPILED: Final = pytest.param("compiled", marks=pytest.mark.skipif(not available(), reason="numba is not installed"))
ENGINES: Final[tuple[Any, ...]] = ("step", "leap", COMPILED)
