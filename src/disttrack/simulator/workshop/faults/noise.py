"""Faults of the noise of mechanisms: a share of its scale, or none, with everything else unchanged.

Noise comes from a generator that a mechanism gets when it starts, so the generator is changed: this
works for counters, queries, experts and transformations alike. A mechanism that tosses private coins (randomised
response, released samples) has no scale; for it, half of the noise means twice the promised epsilon, or delta.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, ClassVar

import numpy as np

from disttrack.simulator.workshop.faults.mixins import FaultyPart, Wrapped

DRAWN = (
    "Counter",
    "AboveThreshold",
    "PrivatePartition",
    "CounterMonitor",
    "SortedQueries",
    "SparseVectorQueries",
    "ContinualOutput",
    "PerturbedLeader",
    "StaticMechanism",
    "DynamicMechanism",
)
"""Mechanisms whose noise is all drawn from the generators that they are started with."""


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


class _Quieter(FaultyPart):
    """Starts with a quieter generator."""

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


class _QuieterTest(FaultyPart):
    """A monitor that computes its chances by a test: the test has less noise, and the same threshold."""

    noise_share: ClassVar[float]

    def test(self) -> Any:
        from disttrack.mechanisms import AboveThreshold

        mechanism: Any = super()
        test = mechanism.test()
        return AboveThreshold(test.epsilon / self.noise_share, test.threshold)


class _QuieterServer(FaultyPart):
    """A tracker whose server draws from a quieter generator."""

    noise_share: ClassVar[float]

    def server(self, k: int, rng: np.random.Generator, start: object = ()) -> Any:
        protocol: Any = super()
        return protocol.server(k, quieter(rng, self.noise_share), start)


def with_share(base: type[FaultyPart], share: float) -> type[FaultyPart]:
    """Return a part whose noise has this share of its scale."""
    return type(base.__name__, (base,), {"noise_share": share, "__module__": __name__})


def of_server(share: float) -> type[FaultyPart]:
    """Return the part of a tracker whose server's noise has this share of its scale."""
    return with_share(_QuieterServer, share)


class _OtherPromise(FaultyPart):
    """Tosses its private coins with a multiple of the promised epsilon, or delta."""

    noise_promise: ClassVar[str]
    times: ClassVar[float]
    most_promised: ClassVar[float]

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


def with_promise(name: str, times: float, most: float = inf) -> type[FaultyPart]:
    """Return a part that tosses its coins with this multiple of the parameter of this name."""
    members = {"noise_promise": name, "times": times, "most_promised": most, "__module__": __name__}
    return type(_OtherPromise.__name__, (_OtherPromise,), members)


HALF: dict[str, type[FaultyPart]] = {
    "RandomizedResponse": with_promise("epsilon", 2.0),
    "PanPrivateDensity": with_promise("epsilon", 2.0),
    "ClockMonitor": with_promise("epsilon", 2.0),
    "ExactMonitor": with_promise("epsilon", 2.0),
    "ReleaseMonitor": with_promise("delta", 2.0, 0.999),
    "ReleaseQueries": with_promise("delta", 2.0, 0.999),
    "SparseVectorMonitor": with_share(_QuieterTest, 0.5),
    **dict.fromkeys(DRAWN, with_share(_Quieter, 0.5)),
}
"""The fault that halves the noise of each class of mechanisms."""

TENFOLD: dict[str, type[FaultyPart]] = {
    "RandomizedResponse": with_promise("epsilon", 0.1),
    "PanPrivateDensity": with_promise("epsilon", 0.1),
    "ClockMonitor": with_promise("epsilon", 0.1),
    "ExactMonitor": with_promise("epsilon", 0.1),
    "SparseVectorMonitor": with_share(_QuieterTest, 10.0),
    **dict.fromkeys(DRAWN, with_share(_Quieter, 10.0)),
}
"""The fault that multiplies the noise of each class of mechanisms by ten."""

NONE: dict[str, type[FaultyPart]] = {
    "SparseVectorMonitor": with_share(_QuieterTest, 1e-9),  # a test's scale must be above 0
    **dict.fromkeys(DRAWN, with_share(_Quieter, 0.0)),
}
"""The fault that removes the noise of mechanisms with noise."""
