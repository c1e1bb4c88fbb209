"""Sketches of a deployed library: Apache DataSketches, through the public interface of its Python package.

The package is an extra (`pip install disttrack[sketches]`). Its seeds are drawn from the sketch's own coins, so that no
adversary knows them; where the package has no seed to set, items pass through a secret keyed hash first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import numpy as np

from disttrack.mechanisms.checks import Positive, at_least, at_most
from disttrack.mechanisms.checks import Whole as Number
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches.base import TARGET, Sketch, SketchRun, Whole, key_of
from disttrack.privacy.mechanisms.sketches.hashes import Hashes, mixed
from disttrack.privacy.mechanisms.sketches.items import CounterRows, refuse_deletion

MISSING = "the package datasketches is not installed; it comes with the extra sketches: pip install disttrack[sketches]"
"""Error message of a scenario that needs a library's sketch if the library is not installed."""


def library() -> ModuleType:
    """Return the package.

    Raises
    ------
    ValueError
        If it is not installed.
    """
    try:
        return import_module("datasketches")
    except ImportError as error:
        raise ValueError(MISSING) from error


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 1 << 63))


class LibraryRun(SketchRun):
    """A running sketch of distinct items from the library; `make` returns an empty one.

    Items are hashed by a secret key if one is given.
    """

    def __init__(self, make: Callable[[], Any], key: int | None = None) -> None:
        self._make, self._hashes = make, None if key is None else Hashes(key)
        self.reset()

    def update(self, item: int, change: int) -> None:
        refuse_deletion(change)
        # 63 bits: the interface takes whole numbers with a sign
        self._sketch.update(item if self._hashes is None else self._hashes[item] >> 1)

    def estimate(self) -> float:
        return float(self._sketch.get_estimate())

    def release(self, updates: Whole) -> Floats:
        items = updates[:, 0]
        if not len(items) or items.min() < 0 or updates[:, 1].min() < 1:
            return super().release(updates)
        if self._hashes is not None:
            items = mixed(items.astype(np.uint64), self._hashes.key) >> np.uint64(1)
        update, estimate = self._sketch.update, self._sketch.get_estimate
        return np.array([(update(item), estimate())[1] for item in items.tolist()], dtype=np.float64)

    def reset(self) -> None:
        self._sketch = self._make()


class LibraryDistinct(Sketch):
    """A sketch of distinct items whose size is 2^lg_k."""

    goal = "distinct"

    lg_k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        library()

    @property
    def words(self) -> int:
        return 1 << self.lg_k


@dataclass(frozen=True)
class LibraryHll(LibraryDistinct):
    """HyperLogLog of Apache DataSketches (`hll_sketch`). Its seed is fixed, so items pass through a secret keyed hash.

    Parameters
    ----------
    lg_k
        Binary logarithm of the registers, 7 to 21.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Apache DataSketches, hll_sketch.
    The estimate is historical inverse probability (Ting 2014, Cohen 2015).
    """

    kind = "datasketches-hll"
    error = "relative standard deviation 0.83 / sqrt(2^lg_k), against streams fixed in advance"

    lg_k: Annotated[int, at_least(7), at_most(21)] = 10
    alpha: Positive = 0.25

    @property
    def words(self) -> int:
        """A register has a byte (HLL_8), a word 64 bits."""
        return (1 << self.lg_k) // 8

    @property
    def total_rows(self) -> int:
        return 1 << self.lg_k

    def start(self, rng: np.random.Generator) -> LibraryRun:
        make = library().hll_sketch
        return LibraryRun(lambda: make(self.lg_k), key_of(rng))


@dataclass(frozen=True)
class LibraryTheta(LibraryDistinct):
    """The theta sketch of Apache DataSketches (`update_theta_sketch`): least hash values, with its own seed.

    Parameters
    ----------
    lg_k
        Binary logarithm of the number of stored hash values, 5 to 26.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Apache DataSketches, update_theta_sketch.
    Dasgupta, Lang, Rhodes, Thaler 2016.
    """

    kind = "datasketches-theta"
    error = "relative standard deviation 1 / sqrt(2^lg_k), against streams fixed in advance"

    lg_k: Annotated[int, at_least(5), at_most(26)] = 10
    alpha: Positive = 0.25

    def start(self, rng: np.random.Generator) -> LibraryRun:
        make, seed = library().update_theta_sketch, _seed(rng)
        return LibraryRun(lambda: make(self.lg_k, 1.0, seed))


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
    Apache DataSketches, count_min_sketch.
    Cormode, Muthukrishnan 2005.
    """

    kind = "datasketches-count-min"
    error = "e / width times the 1-norm with probability 1 - e^-depth, one-sided; streams fixed in advance"

    width: Annotated[int, at_least(3)]
    depth: Number = 4
    alpha: Positive = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
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

    def release(self, updates: Whole) -> Floats:
        update, estimate = self._sketch.update, self._sketch.get_estimate
        return np.array([(update(*move), estimate(TARGET))[1] for move in updates.tolist()], dtype=np.float64)
