"""Robust forms over plain sketches: rounding, paths, switching, a private median, and a fresh hash function."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, inf, lgamma, log, log1p, sqrt
from typing import Annotated, ClassVar, Final

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold, AboveThresholdRun
from disttrack.mechanisms.checks import Positive, Share, Whole, at_least, one_of
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches.base import Goal, Sketch, SketchRun, tally
from disttrack.privacy.mechanisms.sketches.hashes import DenseSigns
from disttrack.privacy.mechanisms.sketches.items import CountMin, CountSketch, HyperLogLog, Kmv
from disttrack.privacy.mechanisms.sketches.second_moment import Ams, LinearRun, rows_for_tail

PLAIN: Final[Mapping[str, Callable[..., Sketch]]] = {
    one.kind: one for one in (Ams, Kmv, HyperLogLog, CountSketch, CountMin)
}
"""The plain sketches usable in a robust form. `size` sets the first parameter of each.

The state of each is a function of the frequencies and its coins, for any order of the updates."""


def plain(sketch: str, size: int, alpha: float) -> Sketch:
    """Return the plain sketch of a kind and a size.

    Raises
    ------
    ValueError
        If there is no such kind, or it refuses the size; the message begins with the argument's name.
    """
    one_of("sketch", sketch, PLAIN)
    try:
        return PLAIN[sketch](size, alpha=alpha)
    except ValueError as error:
        raise ValueError(re.sub("^(rows|registers|width) ", "size ", str(error))) from error


class Robust(Sketch):
    """A robust form of a plain sketch: of one copy, or of as many as its parameter `copies` has."""

    @property
    @abstractmethod
    def inner(self) -> Sketch:
        """The plain sketch of which each item updates one copy, unless a subclass differs."""

    @property
    def goal(self) -> Goal:
        return self.inner.goal

    @property
    def words(self) -> int:
        return self._copies * self.inner.words + 1

    @property
    def total_rows(self) -> int:
        return self._copies * self.inner.total_rows

    @property
    def active_rows(self) -> int:
        return self.inner.total_rows

    @property
    def _copies(self) -> int:
        return getattr(self, "copies", 1)


class OverPlain(Robust):
    """A robust form whose plain sketch is given by its kind and size."""

    goals: ClassVar[tuple[Goal, ...]] = ("second-moment", "distinct", "frequency")
    """What it can estimate."""

    size: int
    sketch: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.goal not in self.goals:
            raise ValueError(f"sketch must estimate {' or '.join(self.goals)}; {self.sketch} estimates {self.goal}")

    @property
    def inner(self) -> Sketch:
        return plain(self.sketch, self.size, self.alpha)


class RobustRun(SketchRun):
    """A running robust form: it publishes an answer, and replaces it at most as often as its budget allows.

    When the budget is used up, it publishes the estimates of its sketch directly. Subclasses define `decide`.

    Parameters
    ----------
    run
        The sketch that takes the updates.
    budget
        Number of changes of the answer; infinite without a limit.
    """

    def __init__(self, run: SketchRun, budget: float = inf) -> None:
        self._run, self._left = run, budget
        self._published = 0.0

    def update(self, item: int, change: int) -> None:
        self._run.update(item, change)
        if self.exhausted:
            self._published = self._run.estimate()
        else:
            self.decide(item, change)

    @abstractmethod
    def decide(self, item: int, change: int) -> None:
        """Decide, after the sketch has taken an update, whether to publish another answer."""

    def publish(self, answer: float) -> None:
        """Replace the answer."""
        self._published = answer
        self._left -= 1
        self.exhausted = self._left == 0

    def estimate(self) -> float:
        return self._published


def rounded(value: float, step: float) -> float:
    """Return the power of 1 + step nearest to a value, in the logarithm; 0 for 0.

    Examples
    --------
    >>> rounded(9.0, 1.0), rounded(0.0, 1.0), rounded(-9.0, 1.0)
    (8.0, 0.0, -8.0)
    """
    if value == 0:
        return 0.0
    power: float = (1 + step) ** round(log(abs(value)) / log(1 + step))
    return power if value > 0 else -power


@dataclass(frozen=True)
class Rounded(OverPlain):
    """One plain sketch whose answers are rounded to powers of 1 + alpha / 4.

    An answer is kept while it is within a factor 1 + alpha / 4 of the sketch's estimate (`sticky`): then each change
    of the answer reveals little, and a change that is undone is not seen. Rounding each estimate separately is no
    defence: an adversary that holds the estimate at the edge between two answers learns as much from them as from
    the estimate.

    Parameters
    ----------
    size
        Size of the sketch: rows of `ams`, hash values of `kmv`, registers of `hyperloglog`.
    sketch
        Its kind.
    sticky
        Whether answers are kept; otherwise each estimate is rounded separately.
    alpha
        Relative error that counts as a failure.

    Notes
    -----
    No theorem holds for so few rows; `computation-paths` has the number of rows of a theorem.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020, definition 3.1.
    Lemma 3.3.
    """

    kind = "rounded"
    error = "alpha against streams fixed in advance; against adversaries nothing is proved for few rows"

    goals = ("second-moment", "distinct")  # never negative

    size: int
    sketch: str = "ams"
    sticky: bool = True
    alpha: Share = 0.5

    def start(self, rng: np.random.Generator) -> RoundedRun:
        return RoundedRun(self.inner.start(rng), self.alpha / 4, sticky=self.sticky)


@dataclass(frozen=True)
class ComputationPaths(Robust):
    """An AMS sketch with enough rows to be right on every stream that an adversary could produce.

    The answers are rounded to powers of 1 + alpha / 4 and kept while they are near enough. A deterministic adversary's
    stream is a function of the answers, so there are no more streams than sequences of answers with at most `changes`
    changes: choose(updates, changes) · grid^changes. A union bound over them gives the number of rows, by the
    exponential tail bound. After `changes` changes the sketch's estimates are published directly.

    Parameters
    ----------
    changes
        Planned number of output changes.
    updates
        Maximum number of updates of the stream.
    largest
        Largest second moment, which bounds the number of different answers.
    delta
        Failure probability.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020, lemma 3.8.
    Tails: Achlioptas 2003, section 5.

    Examples
    --------
    >>> ComputationPaths(changes=10, updates=3000).total_rows
    5955
    """

    kind = "computation-paths"
    error = "alpha against any adversary with probability 1 - delta, for `changes` changes of the output"
    budget = "changes"

    changes: Whole
    updates: Whole
    largest: Annotated[int, at_least(2)] = 10**9
    delta: Share = 0.05
    alpha: Share = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.changes > self.updates:
            raise ValueError(f"changes must be at most updates, {self.updates!r}; got {self.changes!r}")

    @property
    def paths(self) -> float:
        """Natural logarithm of the number of sequences of answers."""
        places = lgamma(self.updates + 1) - lgamma(self.changes + 1) - lgamma(self.updates - self.changes + 1)
        grid = ceil(log(self.largest) / log1p(self.alpha / 4)) + 2
        return places + self.changes * log(grid)

    @property
    def inner(self) -> Ams:
        """The sketch, right at all steps of all paths up to a relative error of (1 + alpha) / (1 + alpha / 4) - 1."""
        failure = log(self.delta) - self.paths - log(self.updates)
        share = 0.75 * self.alpha / (1 + self.alpha / 4)  # this form does not become 0 for a small alpha
        # the tail bound in logarithms: delta over all paths is too small for a float
        rows = ceil((log(2) - failure) / log(2 / 0.05) * rows_for_tail(share, 0.05))
        return Ams(rows=rows, alpha=self.alpha)

    def start(self, rng: np.random.Generator) -> RoundedRun:
        return RoundedRun(self.inner.start(rng), self.alpha / 4, self.changes)


class RoundedRun(RobustRun):
    """A running sketch with rounded answers, each kept while it is near the estimate if `sticky`."""

    def __init__(self, run: SketchRun, step: float, budget: float = inf, *, sticky: bool = True) -> None:
        super().__init__(run, budget)
        self._step, self._sticky = step, sticky

    def decide(self, item: int, change: int) -> None:
        now, wide = self._run.estimate(), 1 + self._step
        if self._sticky and self._published / wide <= now <= self._published * wide:
            return
        answer = rounded(now, self._step)
        if answer != self._published:
            self.publish(answer)

    def reset(self) -> None:
        self._run.reset()
        self._published = 0.0


@dataclass(frozen=True)
class Switched(OverPlain):
    """Publishes an estimate until it is off the active copy by alpha / 2 of the scale; then the next copy takes over.

    The active copy's estimate is published and the copy retired, so that no copy is used after its coins have
    influenced an answer. When the last copy is retired there is nothing to switch to: its estimates are then
    published directly, as by a plain sketch.

    Parameters
    ----------
    copies
        Number of copies, which is the number of output changes it supports.
    size
        Size of each copy: rows of `ams`, hash values of `kmv`, registers of `hyperloglog`, width of `count-sketch`
        and `count-min`.
    sketch
        Kind of the copies.
    alpha
        Error that counts as a failure, as a share of the scale: the estimate itself for second moments and
        distinct items, the norm for frequencies.

    Notes
    -----
    The memory counts all copies. A copy's state is a function of the frequencies and its coins, so the
    code makes it from the frequencies when its turn comes: the same transcript as if it had existed from the start.

    Source
    ------
    Ben-Eliezer, Jayaram, Woodruff, Yogev 2020, algorithm 1.
    Lemma 3.6.
    """

    kind = "switched"
    error = "alpha of the scale against any adversary, for as many changes as there are copies"
    budget = "copies"

    copies: Whole
    size: int
    sketch: str = "ams"
    alpha: Share = 0.5

    def start(self, rng: np.random.Generator) -> SwitchedRun:
        return SwitchedRun(self, rng)


class SwitchedRun(RobustRun):
    """Running copies: the active one exists, earlier ones are deleted, later ones are created in their turn."""

    def __init__(self, rules: Switched, rng: np.random.Generator) -> None:
        self._inner, self._coins = rules.inner, iter(rng.spawn(rules.copies))
        self._room = rules.alpha / 2
        self._frequencies: dict[int, int] = {}
        super().__init__(self._inner.start(next(self._coins)), rules.copies)

    def decide(self, item: int, change: int) -> None:
        tally(self._frequencies, item, change)
        now = self._run.estimate()
        if abs(now - self._published) <= self._room * self._run.scale():
            return
        self.publish(now)
        if not self.exhausted:  # the next copy, as if it had taken all updates
            self._run = self._inner.start(next(self._coins))
            self._run.absorb(self._frequencies)

    def scale(self) -> float:
        return self._run.scale()

    def reset(self) -> None:
        self._frequencies.clear()
        self._run.reset()
        self._published = 0.0


@dataclass(frozen=True)
class Salted(OverPlain):
    """A sketch of distinct items that draws new hash functions whenever a new stream begins.

    Anything that an adversary learns about the items in one stream is useless in the next. The price: sketches of two
    streams cannot be merged any more, since their hash functions differ.

    Parameters
    ----------
    size
        Size of the sketch: hash values of `kmv`, registers of `hyperloglog`.
    sketch
        Its kind.
    alpha
        Relative error that counts as a failure.

    Source
    ------
    Reviriego, Ting 2020, section IV.
    A salt for each sketch.
    """

    kind = "salted"
    error = "that of the plain sketch, also against adversaries that learn from earlier streams"

    goals = ("distinct",)

    size: int
    sketch: str = "hyperloglog"
    alpha: Share = 0.25

    def start(self, rng: np.random.Generator) -> SaltedRun:
        return SaltedRun(self.inner, rng)


class SaltedRun(SketchRun):
    """A running sketch that discards its hash function with its items."""

    def __init__(self, inner: Sketch, rng: np.random.Generator) -> None:
        self._inner, self._rng = inner, rng
        self._run = inner.start(rng)

    def update(self, item: int, change: int) -> None:
        self._run.update(item, change)

    def estimate(self) -> float:
        return self._run.estimate()

    def reset(self) -> None:
        self._run = self._inner.start(self._rng)


def private_median(values: Floats, step: float, largest: float, epsilon: float, rng: np.random.Generator) -> float:
    """Return a median by the exponential mechanism, among 0 and the powers of 1 + step up to `largest`.

    The utility of g is -|number of values up to g - half of them|, of sensitivity 1; a value is taken with probability
    proportional to exp(epsilon u / 2), which is epsilon-private for the change of one value.

    Source: McSherry, Talwar 2007; section 3 of Hassidim, Kaplan, Mansour, Matias, Stemmer 2020.

    Examples
    --------
    >>> private_median(np.full(1000, 64.0), 1.0, 1e6, 1.0, np.random.default_rng(0))
    64.0
    """
    powers = np.arange(ceil(log(largest) / log(1 + step)) + 1)
    grid = np.concatenate(([0.0], (1 + step) ** powers))
    # values up to 1.0 need not be distinguished from the next power; between two powers there is no candidate
    below = np.searchsorted(np.sort(values), grid * sqrt(1 + step), side="right")
    above = len(values) - np.searchsorted(np.sort(values), grid / sqrt(1 + step), side="left")
    utility = np.minimum(np.minimum(below, above) - len(values) / 2, 0.0)
    weights = np.exp(epsilon / 2 * (utility - utility.max()))
    return float(grid[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))])


@dataclass(frozen=True)
class PrivateMedian(Robust):
    """Many AMS copies; when a sparse-vector test finds most of them off the answer, their private median replaces it.

    An answer w is kept while about half of the copies are within 1 ± alpha / 2 of it. Each change costs `epsilon`
    twice, once for the test and once for the median; k changes together cost about epsilon sqrt(8 k ln(1 / delta)).
    Therefore sqrt(k) copies suffice where switching needs k. After `changes` changes the plain median of the
    copies is published directly.

    Parameters
    ----------
    changes
        Planned number of output changes.
    copies
        Number of copies.
    rows
        Rows of each copy.
    epsilon
        Privacy loss of a test, and of a median.
    largest
        Largest second moment.
    alpha
        Relative error that counts as a failure.

    Notes
    -----
    The proof needs far more copies k' than suffice in practice. With total privacy e (1/100 in the proof) a test has
    epsilon = e / sqrt(8 k ln(1 / delta)) for k changes, and its error 8 ln(2 updates / beta) / epsilon must stay below
    k' / 4.

    Source
    ------
    Hassidim, Kaplan, Mansour, Matias, Stemmer 2020, RobustSketch.
    Theorem 3.3; recalled.
    """

    kind = "private-median"
    error = "alpha against any adversary for `changes` changes; sqrt(changes) copies up to logarithms"

    arithmetic = "real"
    budget = "changes"

    changes: Whole
    copies: Whole = 128
    rows: Whole = 128
    epsilon: Positive = 1.0
    largest: Positive = 1e9
    alpha: Share = 0.5

    @property
    def inner(self) -> Ams:
        return Ams(self.rows, alpha=self.alpha)

    @property
    def active_rows(self) -> int:
        """All copies run."""
        return self.total_rows

    def start(self, rng: np.random.Generator) -> PrivateMedianRun:
        return PrivateMedianRun(self, rng)


class PrivateMedianRun(RobustRun):
    """Running copies behind their private median."""

    def __init__(self, rules: PrivateMedian, rng: np.random.Generator) -> None:
        self._rules = rules
        signs, self._rng = rng.spawn(2)
        self._copies = LinearRun(rules.copies, rules.rows, DenseSigns(rules.total_rows, signs))
        self._test = self._fresh_test()
        super().__init__(self._copies, rules.changes)

    def _fresh_test(self) -> AboveThresholdRun:
        return AboveThreshold(self._rules.epsilon, self._rules.copies / 2).start(self._rng)

    def decide(self, item: int, change: int) -> None:
        rules, squares = self._rules, self._copies.squares
        near = self._published * rules.rows
        room = rules.alpha / 2 * near
        off = np.count_nonzero(squares > near + room) + np.count_nonzero(squares < near - room)
        if self._test.step(float(off)):
            means, step = self._copies.means(), rules.alpha / 10
            self.publish(private_median(means, step, rules.largest, rules.epsilon, self._rng))
            self._test = self._fresh_test()
