"""Sketches of a deployed library: Apache DataSketches, through the public interface of its Python package.

The package is an extra (`pip install disttrack[sketches]`). Its seeds are drawn from the sketch's own coins, so that no
adversary knows them; where the package has no seed to set, items pass through a secret keyed hash first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from disttrack.mechanisms.checks import positive, whole
from disttrack.mechanisms.sketches.base import TARGET, Goal, Sketch, SketchRun, key_of
from disttrack.mechanisms.sketches.distinct import refuse_deletion
from disttrack.mechanisms.sketches.frequencies import CounterRows
from disttrack.mechanisms.sketches.mixing import mixed

MISSING = "the package datasketches is not installed; it comes with the extra sketches: pip install disttrack[sketches]"
"""Error message of a scenario that needs a library's sketch if the library is not installed."""


def library() -> Any:
    """Return the package.

    Raises
    ------
    ValueError
        If it is not installed.
    """
    try:
        import datasketches
    except ImportError as error:
        raise ValueError(MISSING) from error
    return datasketches


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 1 << 63))


class DistinctRun(SketchRun):
    """A running sketch of distinct items from the library, with items hashed by a secret key."""

    def __init__(self, make: Any, key: int | None) -> None:
        self._make, self._key = make, key
        self._sketch = make()

    def update(self, item: int, change: int) -> None:
        refuse_deletion(change)
        # 63 bits: the interface takes whole numbers with a sign
        self._sketch.update(item if self._key is None else mixed(item, self._key) >> 1)

    def estimate(self) -> float:
        return float(self._sketch.get_estimate())

    def reset(self) -> None:
        self._sketch = self._make()


@dataclass(frozen=True)
class LibraryHll(Sketch):
    """HyperLogLog of Apache DataSketches (`hll_sketch`). Its seed is fixed, so items pass through a secret keyed hash.

    Parameters
    ----------
    lg_k
        Binary logarithm of the registers, 7 to 21.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Apache DataSketches, class hll_sketch; the estimate is historical inverse probability (Ting 2014, Cohen 2015).
    """

    kind: ClassVar[str] = "datasketches-hll"
    source: ClassVar[str] = "Apache DataSketches, hll_sketch"
    error: ClassVar[str] = "relative standard deviation 0.83 / sqrt(2^lg_k), against streams fixed in advance"

    lg_k: int = 10
    alpha: float = 0.25

    def __post_init__(self) -> None:
        whole("lg_k", self.lg_k, 7)
        if self.lg_k > 21:
            raise ValueError(f"lg_k must be at most 21; got {self.lg_k!r}")
        positive("alpha", self.alpha)
        library()

    @property
    def goal(self) -> Goal:
        return "distinct"

    @property
    def words(self) -> int:
        """A register has a byte (HLL_8), a word 64 bits."""
        return int(2**self.lg_k) // 8

    @property
    def total_rows(self) -> int:
        return int(2**self.lg_k)

    def start(self, rng: np.random.Generator) -> DistinctRun:
        make = library().hll_sketch
        return DistinctRun(lambda: make(self.lg_k), key_of(rng))


@dataclass(frozen=True)
class LibraryTheta(Sketch):
    """The theta sketch of Apache DataSketches (`update_theta_sketch`): least hash values, with its own seed.

    Parameters
    ----------
    lg_k
        Binary logarithm of the number of stored hash values, 5 to 26.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Apache DataSketches, class update_theta_sketch; Dasgupta, Lang, Rhodes, Thaler 2016.
    """

    kind: ClassVar[str] = "datasketches-theta"
    source: ClassVar[str] = "Apache DataSketches, update_theta_sketch"
    error: ClassVar[str] = "relative standard deviation 1 / sqrt(2^lg_k), against streams fixed in advance"

    lg_k: int = 10
    alpha: float = 0.25

    def __post_init__(self) -> None:
        whole("lg_k", self.lg_k, 5)
        if self.lg_k > 26:
            raise ValueError(f"lg_k must be at most 26; got {self.lg_k!r}")
        positive("alpha", self.alpha)
        library()

    @property
    def goal(self) -> Goal:
        return "distinct"

    @property
    def words(self) -> int:
        return int(2**self.lg_k)

    def start(self, rng: np.random.Generator) -> DistinctRun:
        make, seed = library().update_theta_sketch, _seed(rng)
        return DistinctRun(lambda: make(self.lg_k, 1.0, seed), None)


@dataclass(frozen=True)
class LibraryCountMin(CounterRows):
    """The count-min sketch of Apache DataSketches (`count_min_sketch`), with a secret seed.

    Parameters
    ----------
    width
        Counters of a row.
    depth
        Rows.
    alpha
        Error that counts as a failure, as a share of ‖f‖₁.

    Source
    ------
    Apache DataSketches, class count_min_sketch; Cormode, Muthukrishnan 2005.
    """

    kind: ClassVar[str] = "datasketches-count-min"
    source: ClassVar[str] = "Apache DataSketches, count_min_sketch"
    error: ClassVar[str] = (
        "e / width times the 1-norm with probability 1 - e^-depth, one-sided; streams fixed in advance"
    )

    width: int
    depth: int = 4
    alpha: float = 0.1

    def __post_init__(self) -> None:
        whole("width", self.width, 3)
        whole("depth", self.depth)
        positive("alpha", self.alpha)
        library()

    def start(self, rng: np.random.Generator) -> LibraryCountMinRun:
        return LibraryCountMinRun(library().count_min_sketch(self.depth, self.width, _seed(rng)))


class LibraryCountMinRun(SketchRun):
    """A running count-min sketch of the library."""

    def __init__(self, sketch: Any) -> None:
        self._sketch = sketch

    def update(self, item: int, change: int) -> None:
        self._sketch.update(item, change)

    def estimate(self) -> float:
        return float(self._sketch.get_estimate(TARGET))
