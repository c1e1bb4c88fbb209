"""What faults are made of: a class that stands before another, and a generator some of whose draws are others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class FaultyPart:
    """What stands before the own class of a protocol or mechanism."""

    fault: ClassVar[str] = ""
    intact: ClassVar[Any]
    broken: ClassVar[Any]

    def repaired(self) -> Any:
        """Return the same protocol or mechanism without the fault."""
        found: Any = object.__new__(self.intact)
        found.__dict__.update(self.__dict__)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        # such a class can be found by no name: any process makes it anew from the protocol as it was
        return type(self).broken, (self.repaired(), self.fault)


class Wrapped:
    """A random generator some of whose methods are others; the rest are its own."""

    def __init__(self, rng: Any, **methods: Callable[..., Any]) -> None:
        self._rng = rng
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)
