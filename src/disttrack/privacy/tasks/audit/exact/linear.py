"""The exact privacy loss of a mechanism whose answers are a linear map of its noise: the distance of two answers.

Such a mechanism answers base + R z, z independent and of scale 1, and base + move + R z on a neighbouring input. With
Laplace noise the loss is the least L1 norm of a shift s of the noise with R s = move. It is no more, since a shift by
s changes the density of z by e^|s| at most. It is no less: from 0 to t times the move the log-density of R z falls by t
times that norm, up to terms small relative to t; so over the t steps of this path it falls by that norm on average, and
by no more on any. With normal noise the loss depends on the length of the move in standard deviations: the two
densities are those of two normal variables at that distance.
"""

from __future__ import annotations

from math import inf
from typing import Final

import numpy as np

from disttrack.mechanisms.gaussian import delta_spent
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.tasks.audit.case import Inputs, Watch

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
    from scipy import optimize

    if length == 0 or length == inf or delta <= 0:
        return inf if length else 0.0
    if delta_spent(1 / length, 0.0) <= delta:
        return 0.0
    high = 1.0
    while delta_spent(1 / length, high) > delta:
        high *= 2
    return float(optimize.brentq(lambda epsilon: delta_spent(1 / length, epsilon) - delta, 0.0, high, xtol=1e-12))
