"""The exact privacy loss of a mechanism whose answers are a linear map of its noise: the distance of two answers.

Such a mechanism answers base + R z, z independent and of scale 1, and base + move + R z on a neighbouring input. With
Laplace noise the loss is the least L1 norm of a shift s of the noise with R s = move. It is no more, since a shift by
s changes the density of z by e^|s| at most. It is no less: from 0 to t times the move the log-density of R z falls by t
times that norm, up to terms small relative to t; so over the t steps of this path it falls by that norm on average, and
by no more on any. With normal noise the loss depends on the length of the move in standard deviations: the two
densities are those of two normal variables at that distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.scripted_noise import ScriptedNoise

Floats = NDArray[np.float64]
Play = Callable[[int, Any], Sequence[float]]
"""Plays a run: on the input if the first argument is 0, otherwise on its neighbour of that number."""

MOST_DRAWS: Final = 4096
"""Maximum number of draws of a run."""
IDLE: Final = 16
"""Draws without effect after which the rest of a batch is assumed to be drawn ahead."""
SIZES: Final = (1.0, 3.0, 3.0, 3.0)
"""Sizes of the draws for the test of linearity."""


class LinearMap(NamedTuple):
    """A run as a function of its noise.

    Attributes
    ----------
    response
        R: one row per answer, one column per draw with any effect.
    moves
        Change of the answers for each neighbour.
    normal
        Whether the noise is normal.
    """

    response: Floats
    moves: list[Floats]
    normal: bool


def linear_map(play: Play, neighbours: int) -> LinearMap | None:
    """Return the map from noise to answers; None if it is not linear.

    Parameters
    ----------
    play
        Plays a run with a scripted generator.
    neighbours
        Neighbours of the input, numbered from 1.
    """
    dry = ScriptedNoise()
    base = np.array(play(0, dry), dtype=np.float64)
    if dry.taken > MOST_DRAWS:
        return None
    whole = np.zeros((len(base), dry.taken))
    for first, size, _ in dry.batches:
        idle = 0
        for draw in range(first, first + size):
            whole[:, draw] = np.array(play(0, ScriptedNoise({draw: 1.0}))) - base
            idle = 0 if whole[:, draw].any() else idle + 1
            if idle > IDLE:
                break  # drawn ahead; otherwise the test below would not find the map linear
    moves = [np.array(play(number, ScriptedNoise())) - base for number in range(1, neighbours + 1)]
    rng = np.random.default_rng(0)
    for number in range(neighbours + 1):  # test linearity, on the input and on each neighbour
        moved = base + (moves[number - 1] if number else 0.0)
        for times in SIZES:
            draws = times * rng.normal(size=dry.taken)
            if not np.allclose(play(number, ScriptedNoise(draws)), moved + whole @ draws, rtol=1e-7, atol=1e-7):
                return None
    return LinearMap(whole[:, np.abs(whole).sum(axis=0) > 0], moves, dry.normal_draws)


def linear_loss(play: Play, neighbours: int, delta: float = 0.0) -> float | None:
    """Return the largest loss at `delta` over the neighbours; None if the mechanism is not linear.

    Examples
    --------
    >>> def laplace_mechanism(neighbour, rng):
    ...     return [neighbour + rng.laplace(0.0, 4.0)]
    >>> linear_loss(laplace_mechanism, 1)
    0.25
    """
    linear = linear_map(play, neighbours)
    if linear is None:
        return None
    if linear.normal:
        return max(normal_loss(distance(linear.response, move), delta) for move in linear.moves)
    return max(least_shift(linear.response, move) for move in linear.moves)


def least_shift(response: Floats, move: Floats) -> float:
    """Return the least L1 norm of a shift of the noise that moves the answers by `move`; infinity if there is none."""
    from scipy.optimize import linprog

    if not np.abs(move).any():
        return 0.0
    draws = response.shape[1]
    if not draws:
        return inf
    shift = linprog(np.ones(2 * draws), A_eq=np.hstack((response, -response)), b_eq=move)
    return float(shift.fun) if shift.success else inf


def distance(response: Floats, move: Floats) -> float:
    """Return the length of a move in standard deviations of normal noise; infinity if a part of it has no noise."""
    if not np.abs(move).any():
        return 0.0
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
    from scipy import optimize, special

    if length == 0 or length == inf or delta <= 0:
        return inf if length else 0.0

    def excess(epsilon: float) -> float:
        leak = float(special.ndtr(length / 2 - epsilon / length))
        return leak - exp(epsilon + float(special.log_ndtr(-length / 2 - epsilon / length))) - delta

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
    return float(optimize.brentq(excess, 0.0, high, xtol=1e-12))
