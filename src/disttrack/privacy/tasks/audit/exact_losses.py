"""Exact privacy losses, measured on the running code: of coins, of sparse-vector tests, of linear maps of noise.

Of a sparse-vector test the noise of threshold and query is measured at which it begins to fire. The only assumption is
that both noises are Laplace variables, as the calls to the generator show.

A mechanism with linear noise answers base + R z, z independent and of scale 1, and base + move + R z on a neighbouring
input. With Laplace noise the loss is the least L1 norm of a shift s of the noise with R s = move. It is no more, since
a shift by s changes the density of z by e^|s| at most. It is no less: from 0 to t times the move the log-density of R z
falls by t times that norm, up to terms small relative to t; so over the t steps of this path it falls by that norm on
average, and by no more on any. With normal noise the loss depends on the length of the move in standard deviations: the
two densities are those of two normal variables at that distance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import inf, log
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.gaussian import delta_spent
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.roots import root
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms.halting import panels
from disttrack.privacy.tasks.audit.case import Inputs, Watch

Chances = Mapping[tuple[float, ...], float]

ROUNDING: Final = 1e-12


class Coins:
    """Replacement for a numpy generator whose uniform numbers are only compared with probabilities; follows a script.

    Parameters
    ----------
    script
        Outcomes of the first coins. The others take a possible outcome.

    Attributes
    ----------
    fallen, chances
        Outcomes of the coins, and the probability of each outcome.
    """

    def __init__(self, script: Sequence[bool] = ()) -> None:
        self._script = script
        self.fallen: list[bool] = []
        self.chances: list[float] = []

    def random(self, size: int | None = None) -> _Uniform:
        """Return uniform numbers that are undetermined until they are compared."""
        return _Uniform(self, size)

    def toss(self, chance: float) -> bool:
        """Return whether a uniform number is below this probability."""
        place = len(self.fallen)
        below = self._script[place] if place < len(self._script) else chance > 0
        self.fallen.append(below)
        self.chances.append(chance if below else 1 - chance)
        return below


class _Uniform:
    """One uniform number, or several."""

    def __init__(self, coins: Coins, size: int | None) -> None:
        self._coins, self._size = coins, size

    def __lt__(self, chance: float) -> bool | NDArray[np.bool_]:
        if self._size is None:
            return self._coins.toss(float(chance))
        return np.array([self._coins.toss(float(chance)) for _ in range(self._size)], dtype=bool)


def chances(play: Callable[[object], Sequence[float]]) -> Chances:
    """Return the probability of every possible observation.

    Examples
    --------
    >>> chances(lambda rng: [float(rng.random() < 0.25)])
    {(1.0,): 0.25, (0.0,): 0.75}
    """
    outcomes: dict[tuple[float, ...], float] = {}
    left: list[list[bool]] = [[]]
    while left:
        script = left.pop()
        coins = Coins(script)
        seen = tuple(play(coins))
        outcomes[seen] = outcomes.get(seen, 0.0) + float(np.prod(coins.chances))
        for place in range(len(script), len(coins.fallen)):
            if coins.chances[place] < 1:
                left.append([*coins.fallen[:place], not coins.fallen[place]])
    return outcomes


def coin_loss(watch: Watch, inputs: Inputs, delta: float = 0.0) -> float:
    """Return the least epsilon for which the mechanism is (epsilon, delta)-private on an input and its neighbour."""
    here, there = (chances(partial(watch, each)) for each in inputs)
    return max(loss_between(here, there, delta), loss_between(there, here, delta))


def loss_between(here: Chances, there: Chances, delta: float) -> float:
    """Return the least epsilon >= 0 with here(E) <= e^epsilon there(E) + delta for all events E.

    Examples
    --------
    >>> here, there = {(0,): 0.02, (1,): 0.98}, {(1,): 1.0}
    >>> loss_between(here, there, 0.02), loss_between(here, there, 0.01)
    (0.0, inf)
    """
    # outcomes in the order of their ratios: the worst event consists of those above e^epsilon
    pairs = sorted(((p, there.get(seen, 0.0)) for seen, p in here.items() if p > 0), key=_ratio, reverse=True)
    above = below = 0.0
    for (p, q), following in zip(pairs, [*map(_ratio, pairs[1:]), 0.0], strict=True):
        above, below = above + p, below + q
        if above - following * below > delta + ROUNDING:
            if below <= 0:
                return inf
            return max(0.0, log((above - delta) / below))
    return 0.0


def _ratio(pair: tuple[float, float]) -> float:
    p, q = pair
    return p / q if q > 0 else inf


PIECES: Final = 64
"""Parts in which an outcome that is the same at both ends is taken to be so between them."""
RESOLUTION: Final = 2.0**-46
"""Width of an interval that is not halved again."""


def outcomes(watch: Watch, data: object) -> Mapping[tuple[float, ...], float]:
    """Return the probability of each outcome: its places of change are searched by halving intervals."""

    def seen(number: float) -> tuple[float, ...]:
        generator: object = SimpleNamespace(random=lambda: number)
        return tuple(watch(data, generator))

    chances: dict[tuple[float, ...], float] = defaultdict(float)
    ends = [min(piece / PIECES, 1 - 2.0**-53) for piece in range(PIECES + 1)]
    open_parts = [(low, high, seen(low), seen(high)) for low, high in pairwise(ends)]
    while open_parts:
        low, high, first, last = open_parts.pop()
        if first == last or high - low < RESOLUTION:
            for outcome in (first, last):
                chances[outcome] += (high - low) / 2
        else:
            middle = (low + high) / 2
            between = seen(middle)
            open_parts += [(low, middle, first, between), (middle, high, between, last)]
    return chances


def draw_loss(watch: Watch, inputs: Inputs) -> float:
    """Return the largest logarithm of the ratio of an event's probabilities on an input and its neighbour.

    Outcomes with less than a rounding's probability are only counted together with others.
    """
    mine, other = (outcomes(watch, data) for data in inputs)
    return max(loss_between(mine, other, 0.0), loss_between(other, mine, 0.0))


SILENT_QUERIES: Final = 100
"""Silent queries of the event: enough to push the threshold into the tail of its noise, where its loss is complete."""
FAR: Final = 1e7
"""Scales of noise within which a test must begin to fire."""


class MeasuredTest(NamedTuple):
    """A test as measured: it fires at value + query_scale z > threshold + threshold_scale z0."""

    threshold: float
    threshold_scale: float
    query_scale: float


def measured_test(watch: Watch, value: float) -> MeasuredTest | None:
    """Return the test's threshold and scales, from the noise at which it begins to fire; None if it is no such test.

    Parameters
    ----------
    watch
        Plays a list of one query; what is seen is not 0 if it fires. The first draws are assumed to be the
        threshold's, the next ones the queries'.
    value
        A value of the query.
    """
    dry = ScriptedNoise()
    watch([value], dry)
    if len(dry.batches) < 2:
        return None
    query = dry.batches[1].first

    def edge(shown: float, hidden: float) -> float:
        return sum(bracket(lambda size: any(watch([shown], ScriptedNoise({0: hidden, query: size}))), -FAR)) / 2

    first, higher, raised = edge(value, 0.0), edge(value + 1, 0.0), edge(value, 1.0)
    if abs(first) > 0.9 * FAR or first - higher <= 0:
        return None
    scale = 1 / (first - higher)
    test = MeasuredTest(value + scale * first, scale * (raised - first), scale)
    expected = (test.threshold + 2 * test.threshold_scale - value - 2) / scale
    if abs(edge(value + 2, 2.0) - expected) > 1e-4 * max(1.0, abs(expected)):
        return None
    return test


def bracket(passed: Callable[[float], bool], low: float, high: float = FAR) -> tuple[float, float]:
    """Return the two ends of a small interval that contains the least size at which `passed` is true."""
    while high - low > 1e-9 * max(1.0, abs(low)):
        middle = (low + high) / 2
        low, high = (low, middle) if passed(middle) else (middle, high)
    return low, high


def log_chance(test: MeasuredTest, silent: Sequence[tuple[float, int]], fires: float | None = None) -> float:
    """Return ln of the chance of silence on some queries, and then of firing at one.

    Parameters
    ----------
    silent
        Pairs (value, number of queries with it).
    fires
        Value of the query that fires; None for none.
    """

    def log_outcome(level: Floats) -> Any:
        """Return ln of the chance of the outcome, given the noisy threshold."""
        logs = sum(count * _log_below((level - value) / test.query_scale) for value, count in silent)
        return logs if fires is None else logs + _log_below((fires - level) / test.query_scale)

    if test.threshold_scale < 1e-6 * test.query_scale:  # the threshold is known
        return float(log_outcome(np.array(test.threshold)))
    values = [value for value, _ in silent] + ([fires] if fires is not None else [])
    many = sum(count for _, count in silent)
    reach = 60 * test.threshold_scale + test.query_scale * log(1 + many) + max(abs(v - test.threshold) for v in values)
    grids = [np.linspace(-far, far, 201) for far in (reach, min(60 * test.threshold_scale, reach))]
    corners = np.unique([test.threshold, *values, *(test.threshold + np.concatenate(grids))])
    level, weights = panels(corners, 16)
    logs = -np.abs(level - test.threshold) / test.threshold_scale - log(2 * test.threshold_scale)
    logs = logs + log_outcome(level)
    top = float(logs.max())
    return top + log(float(np.sum(weights * np.exp(logs - top))))


def _log_below(gap: Floats) -> Floats:
    """Return ln of the chance that a Laplace variable of scale 1 is below."""
    tail = 0.5 * np.exp(-np.abs(gap))
    return np.where(gap >= 0, np.log1p(-tail), -np.abs(gap) - log(2))


def halting_loss(test: MeasuredTest | None, fires: bool = False) -> float:
    """Return the loss of silence on many queries at the threshold, or one above it: they move in one direction.

    If it `fires` afterwards at one query, which moves the other way, queries move by two relative to the threshold of
    the silence: that takes all of epsilon.
    """
    if test is None:
        return inf
    at = test.threshold
    here = log_chance(test, [(at, SILENT_QUERIES)], at if fires else None)
    return here - log_chance(test, [(at + 1, SILENT_QUERIES)], at - 1 if fires else None)


MOST_DRAWS: Final = 4096
"""Maximum number of draws of a run."""
IDLE: Final = 16
"""Draws without effect after which the rest of a batch is assumed to be drawn ahead."""
SIZES: Final = (1.0, 3.0, 3.0, 3.0)
"""Sizes of the draws for the test of linearity."""


def linear_map(watch: Watch, inputs: Inputs) -> tuple[Floats, list[Floats], bool] | None:
    """Return the map from noise to answers; None if it is not linear.

    Parameters
    ----------
    watch
        Plays a run with a scripted generator.
    inputs
        The input, and its neighbours.

    Returns
    -------
    response, moves, normal
        R, with one row per answer and one column per draw with any effect; the change of the answers for each
        neighbour; and whether the noise is normal.
    """
    dry = ScriptedNoise()
    exact = [np.array(watch(inputs[0], dry), dtype=np.float64)]
    if dry.taken > MOST_DRAWS:
        return None
    whole = np.zeros((len(exact[0]), dry.taken))
    for first, size, _ in dry.batches:
        idle = 0
        for draw in range(first, first + size):
            shown = np.array(watch(inputs[0], ScriptedNoise({draw: 1.0})))
            if shown.shape != exact[0].shape:  # the noise decides what is released
                return None
            whole[:, draw] = shown - exact[0]
            idle = 0 if whole[:, draw].any() else idle + 1
            if idle > IDLE:
                break  # drawn ahead; otherwise the test below would not find the map linear
    exact += [np.array(watch(neighbour, ScriptedNoise())) for neighbour in inputs[1:]]
    if any(each.shape != exact[0].shape for each in exact):
        return None
    rng = np.random.default_rng(0)
    for each, noiseless in zip(inputs, exact, strict=True):  # test linearity
        for times in SIZES:
            draws = times * rng.normal(size=dry.taken)
            shown = np.array(watch(each, ScriptedNoise(draws)))
            expected = noiseless + whole @ draws
            if shown.shape != expected.shape or not np.allclose(shown, expected, rtol=1e-7, atol=1e-7):
                return None
    moves = [noiseless - exact[0] for noiseless in exact[1:]]
    return whole[:, np.abs(whole).sum(axis=0) > 0], moves, dry.normal_draws


def linear_loss(watch: Watch, inputs: Inputs, delta: float = 0.0) -> float | None:
    """Return the largest loss at `delta` over the neighbours; None if the mechanism is not linear.

    Examples
    --------
    >>> linear_loss(lambda items, rng: [items + rng.laplace(0.0, 4.0)], (0, 1))
    0.25
    """
    linear = linear_map(watch, inputs)
    if linear is None:
        return None
    response, moves, normal = linear
    moves = [move for move in moves if move.any()]
    if normal:
        return normal_loss(max((distance(response, move) for move in moves), default=0.0), delta)
    return max((least_shift(response, move) for move in moves), default=0.0)


def least_shift(response: Floats, move: Floats) -> float:
    """Return the least L1 norm of a shift of the noise that moves the answers by `move`; infinity if there is none."""
    from scipy.optimize import linprog

    if not response.size:
        return inf
    shift = linprog(np.ones(2 * response.shape[1]), A_eq=np.hstack((response, -response)), b_eq=move)
    return float(shift.fun) if shift.success else inf


def distance(response: Floats, move: Floats) -> float:
    """Return the length of a move in standard deviations of normal noise; infinity if a part of it has no noise."""
    shift, *_ = np.linalg.lstsq(response, move, rcond=None)
    if not np.allclose(response @ shift, move, atol=1e-9):
        return inf
    return float(np.linalg.norm(shift))


def normal_loss(length: float, delta: float) -> float:
    """Return the epsilon at `delta` of two normal distributions of variance 1 at this distance.

    Source
    ------
    Balle, Wang 2018, Theorem 8.

    Examples
    --------
    >>> from disttrack.mechanisms.gaussian import noise_multiplier
    >>> round(normal_loss(1 / noise_multiplier(1.0, 1e-6, "exact"), 1e-6), 6)
    1.0
    """
    if length == 0 or length == inf or delta <= 0:
        return inf if length else 0.0
    if delta_spent(1 / length, 0.0) <= delta:
        return 0.0
    high = 1.0
    while delta_spent(1 / length, high) > delta:
        high *= 2
    return root(lambda epsilon: delta_spent(1 / length, epsilon) - delta, 0.0, high, absolute=1e-12)
