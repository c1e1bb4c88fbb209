"""The exact privacy loss of sparse-vector tests: chances of silence and of firing, by integrals over the threshold.

The test is measured on the running code: the noise of threshold and query at which it begins to fire. The only
assumption is that both noises are Laplace variables, as the calls to the generator show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms.halting import panels
from disttrack.privacy.tasks.audit.case import Watch

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
