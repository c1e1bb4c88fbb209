"""The exact privacy loss of sparse-vector tests: chances of silence and of firing, by integrals over the threshold.

The test is measured on the running code: where it begins to fire as the noise of threshold and query is moved. All
that is taken for granted is that both noises are Laplace variables, which the calls to the generator show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.scripted_noise import ScriptedNoise

Fires = Callable[[float, Any], bool]
"""Plays a fresh run on one query of this value and returns whether it fires."""

SILENT_QUERIES: Final = 100
"""Silent queries of the event: enough to push the threshold into the tail of its noise, where its loss is whole."""
FAR: Final = 1e7
"""Scales of noise within which a test must begin to fire."""


class MeasuredTest(NamedTuple):
    """A test as the running code has it: it fires at value + query_scale z > threshold + threshold_scale z0."""

    threshold: float
    threshold_scale: float
    query_scale: float


def measured_test(fires: Fires, value: float) -> MeasuredTest | None:
    """Return the test's threshold and scales, from where it begins to fire; None if it is no such test.

    Parameters
    ----------
    fires
        Plays one query. The first draws are taken to be the threshold's, the next ones the queries'.
    value
        A value of the query.
    """
    dry = ScriptedNoise()
    fires(value, dry)
    if len(dry.batches) < 2:
        return None
    query = dry.batches[1].first

    def edge(shown: float, hidden: float) -> float:
        low, high = -FAR, FAR
        while high - low > 1e-9 * max(1.0, abs(low)):
            middle = (low + high) / 2
            if fires(shown, ScriptedNoise({0: hidden, query: middle})):
                high = middle
            else:
                low = middle
        return (low + high) / 2

    first, higher, raised = edge(value, 0.0), edge(value + 1, 0.0), edge(value, 1.0)
    if abs(first) > 0.9 * FAR or first - higher <= 0:
        return None
    scale = 1 / (first - higher)
    found = MeasuredTest(value + scale * first, scale * (raised - first), scale)
    expected = (found.threshold + 2 * found.threshold_scale - value - 2) / scale
    if abs(edge(value + 2, 2.0) - expected) > 1e-4 * max(1.0, abs(expected)):
        return None
    return found


def log_chance(test: MeasuredTest, silent: Sequence[tuple[float, int]], fires: float | None = None) -> float:
    """Return ln of the chance of silence on some queries, and then of firing at one.

    Parameters
    ----------
    silent
        Pairs (value, how many queries of it).
    fires
        Value of the query that fires; None for none.
    """
    if test.threshold_scale < 1e-6 * test.query_scale:  # the threshold is known
        return float(_log_outcome(test, np.array([test.threshold]), silent, fires)[0])
    values = [value for value, _ in silent] + ([fires] if fires is not None else [])
    many = sum(count for _, count in silent)
    reach = 60 * test.threshold_scale + test.query_scale * log(1 + many) + max(abs(v - test.threshold) for v in values)
    inner = min(60 * test.threshold_scale, reach)
    edges = {test.threshold, *values}
    edges |= set(test.threshold + np.linspace(-reach, reach, 201)) | set(
        test.threshold + np.linspace(-inner, inner, 201)
    )
    corners = np.array(sorted(edges))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    half = np.diff(corners)[:, None] / 2
    level = ((corners[:-1] + corners[1:])[:, None] / 2 + half * nodes).ravel()
    logs = -np.abs(level - test.threshold) / test.threshold_scale - log(2 * test.threshold_scale)
    logs = logs + _log_outcome(test, level, silent, fires)
    top = float(logs.max())
    return top + log(float(np.sum((half * weights).ravel() * np.exp(logs - top))))


def _log_outcome(test: MeasuredTest, level: Any, silent: Sequence[tuple[float, int]], fires: float | None) -> Any:
    """Return ln of the chance of silence, and then of firing, given where the noisy threshold is."""
    logs = np.zeros(len(level))
    for value, count in silent:
        logs = logs + count * _log_below((level - value) / test.query_scale)
    return logs if fires is None else logs + _log_below((fires - level) / test.query_scale)


def _log_below(gap: Any) -> Any:
    """Return ln of the chance that a Laplace variable of scale 1 is below."""
    tail = 0.5 * np.exp(-np.abs(gap))
    return np.where(gap >= 0, np.log1p(-tail), -np.abs(gap) - log(2))


def silence_loss(test: MeasuredTest | None) -> float:
    """Return the loss where all queries move the same way: silence on many at the threshold, or one above it."""
    if test is None:
        return inf
    here, there = (log_chance(test, [(test.threshold + moved, SILENT_QUERIES)]) for moved in (0, 1))
    return here - there


def firing_loss(test: MeasuredTest | None) -> float:
    """Return the loss where queries move as they like: silence on many, one more each, and firing at one, less by one.

    Together they move the query by two against the threshold that the silence asks for: all of epsilon.
    """
    if test is None:
        return inf
    at = test.threshold
    here = log_chance(test, [(at, SILENT_QUERIES)], at)
    return here - log_chance(test, [(at + 1, SILENT_QUERIES)], at - 1)
