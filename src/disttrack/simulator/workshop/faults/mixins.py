"""Parts of faults: a mixin class, and a generator with some methods replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np


class FaultyPart:
    """Mixin that precedes the class of a protocol or mechanism."""

    fault: ClassVar[str] = ""
    intact: ClassVar[Any]
    broken: ClassVar[Any]

    def repaired(self) -> Any:
        """Return the same protocol or mechanism without the fault."""
        copy: Any = object.__new__(self.intact)
        copy.__dict__.update(self.__dict__)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        # such a class cannot be looked up by name: each process derives it again from the intact protocol
        return type(self).broken, (self.repaired(), self.fault)


class Wrapped:
    """A random generator with some methods replaced."""

    def __init__(self, rng: np.random.Generator, **methods: Callable[..., object]) -> None:
        self._rng = rng
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)
