"""Faults of mechanisms: mixins that break one part, stated by the classes that they break under `faults`.

Noise comes from a generator that a mechanism gets when it starts, so the generator is changed: this
works for counters, queries, experts and transformations alike. A mechanism that tosses private coins (randomised
response, released samples) has no scale; for it, half of the noise means twice the promised epsilon, or delta.
`disttrack.simulator.kinds.faults` makes the broken protocol or mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:  # the names of kinds need no numpy
    import numpy as np


class FaultyPart:
    """Mixin that precedes the class of a protocol or mechanism; the docstring of a subclass says what it breaks."""

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


def quieter(source: Any, share: float) -> Any:
    """Return a generator whose Laplace, normal and Gumbel noise has this share of its scale; other objects unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> half, whole = quieter(np.random.default_rng(1), 0.5), np.random.default_rng(1)
    >>> half.laplace(0.0, 8.0) == whole.laplace(0.0, 4.0)
    True
    """
    if not hasattr(source, "laplace"):
        return source

    def laplace(loc: float = 0.0, scale: float = 1.0, size: object = None) -> Any:
        return source.laplace(loc, share * scale, size)

    def normal(loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return source.normal(loc, share * scale, size)

    def gumbel(loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return source.gumbel(loc, share * scale, size)

    def spawn(count: int) -> list[Any]:
        return [quieter(one, share) for one in source.spawn(count)]

    return Wrapped(source, laplace=laplace, normal=normal, gumbel=gumbel, spawn=spawn)


class Quieter(FaultyPart):
    """A mechanism that starts with a quieter generator."""

    noise_share: ClassVar[float]

    def start(self, *given: object, **more: object) -> Any:
        mechanism: Any = super()
        return mechanism.start(*(quieter(one, self.noise_share) for one in given), **more)

    def halt(self, ones: object, steps: int, rng: np.random.Generator) -> Any:
        mechanism: Any = super()
        return mechanism.halt(ones, steps, quieter(rng, self.noise_share))

    def release(self, counts: object, rng: np.random.Generator, paid: object = None) -> Any:
        mechanism: Any = super()
        return mechanism.release(counts, quieter(rng, self.noise_share), paid)


class NoNoise(Quieter):
    """The mechanism draws no noise; its constants stay those with noise."""

    noise_share = 0.0


class HalfNoise(Quieter):
    """All noise of the mechanism has half of its scale."""

    noise_share = 0.5


class TenfoldNoise(Quieter):
    """All noise of the mechanism has ten times its scale."""

    noise_share = 10.0


DRAWN: Final[Mapping[str, type[FaultyPart]]] = {
    "no-noise": NoNoise,
    "half-noise": HalfNoise,
    "tenfold-noise": TenfoldNoise,
}
"""The faults of a mechanism whose noise is all drawn from the generators that it is started with."""


class OtherPromise(FaultyPart):
    """A mechanism that tosses its private coins with a multiple of the promised epsilon, or delta."""

    noise_promise: ClassVar[str] = "epsilon"
    times: ClassVar[float]
    most_promised: ClassVar[float] = inf

    def start(self, *given: object, **more: object) -> Any:
        return self._with_other_promise().start(*given, **more)

    def halt(self, ones: object, steps: int, rng: np.random.Generator) -> Any:
        return self._with_other_promise().halt(ones, steps, rng)

    def halting_times(self, *given: object) -> Any:
        return self._with_other_promise().halting_times(*given)

    def release(self, *given: object) -> Any:
        return self._with_other_promise().release(*given)

    def _with_other_promise(self) -> Any:
        own = self.repaired()
        return replace(
            own, **{self.noise_promise: min(self.times * getattr(own, self.noise_promise), self.most_promised)}
        )


class TwiceEpsilon(OtherPromise):
    """Private coins are tossed with twice the promised epsilon."""

    times = 2.0


class TenthOfEpsilon(OtherPromise):
    """Private coins are tossed with a tenth of the promised epsilon."""

    times = 0.1


TOSSED: Final[Mapping[str, type[FaultyPart]]] = {"half-noise": TwiceEpsilon, "tenfold-noise": TenthOfEpsilon}
"""The faults of a mechanism whose private coins epsilon decides."""
