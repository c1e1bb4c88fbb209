"""What every private counter must do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from scipy.stats import binom, chi2

from disttrack.mechanisms import Counter
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.scripted_noise import response
from disttrack.mechanisms.shortcuts import stated
from disttrack.simulator.kinds.names import count
from disttrack.simulator.workshop.conformance.facts import refuses, states
from disttrack.simulator.workshop.conformance.failure import (
    COINS,
    DIFFER,
    FALSE_ALARM,
    OWN_SEED,
    Checks,
    ConformanceError,
    by_name,
    require,
    requires_coins_of_the_game,
)

RUNS: Final = 1500
"""Runs by which stated errors are judged: a variance that is stated 30 % too small is then refused nearly always."""
LONG: Final = ((1 << 10, 1024), (1 << 13, 512), (1 << 16, 64))
"""Horizons of long runs, and their number: a variance of 1.4, 1.6 and 3.3 times the stated one is refused in 95 %."""
WIDE: Final = (520, 2050, 4100)
"""Steps, a few above a power of two, for which the whole matrix of the noisy sums is looked at."""
MOST_ENTRIES: Final = 1 << 25
"""Entries of such a matrix at most."""
AT_LENGTH: Final = "keeps it at length"
LAPLACE_EXCESS: Final = 3.0
"""Kurtosis of one Laplace variable beyond that of the normal distribution: sums of several have less."""


PAST: Final = "refuse it before counting"
ERRORS: Final = "state variance and error_bound of the noise"


def _of_length(counter: Counter, steps: Sequence[int]) -> Iterator[tuple[int, Counter]]:
    for length in steps:
        yield length, replace(counter, horizon=length)


def _bits(length: int) -> np.ndarray:
    return np.random.default_rng(length).integers(0, 2, length).astype(np.float64)


def _states_its_facts(counter: Counter, steps: Sequence[int]) -> Checks:
    texts = ("kind", "source", "error", "memory")
    return states(counter, texts, {"privacy": ("pure", "approximate")}, parameters=True)


def _refuses_invalid_values(counter: Counter, steps: Sequence[int]) -> Checks:
    wrong: dict[str, tuple[object, ...]] = {
        "epsilon": (0, -1, math.nan, math.inf, "1", True),
        "horizon": (0, -3, 2.5, True, *((None,) if counter.needs_horizon else ())),
        "delta": (0, 1, -0.5, 2),
    }
    return refuses(counter, wrong)


def _step_and_release_agree(counter: Counter, steps: Sequence[int]) -> Checks:
    for length, each in _of_length(counter, steps):
        stream = _bits(length)
        single, whole, mixed = (each.start(np.random.default_rng(length)) for _ in range(3))
        cut = length // 2
        by_step = [single.step(x) for x in stream.tolist()]
        first = mixed.release(stream[:cut]).tolist()
        in_parts = [*first, *(mixed.step(x) for x in stream[cut : cut + 1].tolist()), *mixed.release(stream[cut + 1 :])]
        mend = "release(items) must draw and add as step(x)"
        for estimates in (whole.release(stream).tolist(), in_parts):
            same = len(estimates) == length and np.allclose(estimates, by_step, rtol=1e-9, atol=1e-9)
            require(same, f"step and release differ ({count(length, 'step')})", mend)
        what = f"t is {single.t}, {whole.t} and {mixed.t} after {count(length, 'step')}"
        require(single.t == whole.t == mixed.t == length, what, "count each entry once")
        yield None


def _seeds_matter(counter: Counter, steps: Sequence[int]) -> Checks:
    length = 2000  # counters of sparse streams say 0 for a while
    each = replace(counter, horizon=length)
    one, again, other = (each.start(np.random.default_rng(seed)).release(np.ones(length)) for seed in (1, 1, 2))
    require(np.array_equal(one, again), DIFFER, COINS)
    requires_coins_of_the_game(lambda seed: each.start(np.random.default_rng(seed)).release(np.ones(length)))
    yield None
    require(not np.array_equal(one, other), "another seed, same estimates", OWN_SEED)
    yield None


def _right_without_noise(counter: Counter, steps: Sequence[int]) -> Checks:
    for length, each in _of_length(counter, steps):
        _counts(each, _bits(length))
        yield None


def _counts(each: Counter, stream: Floats) -> None:
    """Raise ConformanceError if the estimates of a run without noise are not the counts, in one release and in two."""
    length, cut = len(stream), len(stream) // 3
    known = None if each.encoder(2) is not None else stated(each.error_bound, length, FALSE_ALARM)
    allowed = 1e-9 * max(1, length / 64) if known is None else known
    whole, parts = (each.start(np.random.default_rng(0), silent=True) for _ in range(2))
    for estimates in (whole.release(stream), np.append(parts.release(stream[:cut]), parts.release(stream[cut:]))):
        off = float(np.max(np.abs(estimates - np.cumsum(stream))))
        mend = "with noise 0, estimate the count"
        require(off <= allowed, f"off by {off:g} without noise ({count(length, 'step')})", mend)


def _ends_at_its_horizon(counter: Counter, steps: Sequence[int]) -> Checks:
    for length, each in _of_length(counter, steps):
        run = each.start(np.random.default_rng(0))
        run.release(_bits(length))
        for more in (partial(run.step, 1), partial(run.release, np.ones(2))):
            try:
                more()
            except ValueError as error:
                require("horizon" in str(error), "the error names no horizon", PAST)
            else:
                raise ConformanceError(f"takes a step past horizon={length}", PAST)
        require(run.t == length, "a refused step counts", PAST)
        yield None


def _privacy_as_claimed(counter: Counter, steps: Sequence[int]) -> Checks:
    """What is released is R (B x + z), and one entry moves B x by no more than the noise pays for."""
    yield None
    for length, each in _of_length(counter, steps):
        encoder = each.encoder(length)
        if encoder is None:
            return  # not of this form
        mend = "sigma: normal noise over sensitivity"
        require(each.privacy == "pure" or hasattr(each, "sigma"), "states no sigma", mend)
        _moves_no_more(each, encoder)
        shown = response(each, length, len(encoder)) @ encoder
        fits = np.allclose(shown, np.tri(length), atol=1e-9)
        mend = "encoder(steps): the matrix whose rows get noise"
        require(fits, f"other noise than encoder({length})", mend)
        yield None


def _moves_no_more(each: Counter, encoder: Floats) -> None:
    """Raise ConformanceError if one entry moves the noisy sums by more than the noise pays for."""
    normal = each.privacy == "approximate"
    claim = 1 / each.sigma if normal else each.epsilon  # type: ignore[attr-defined]
    # of normal noise, the largest move in standard deviations is the inverse of the noise multiplier
    most = float(np.linalg.norm(encoder, ord=2 if normal else 1, axis=0).max())
    what = f"an entry moves {most:g} scales of noise, not {claim:g} ({count(encoder.shape[1], 'step')})"
    require(most <= claim * (1 + 1e-9), what, "scale the noise to that move, over epsilon")


def _errs_as_it_says(counter: Counter, steps: Sequence[int]) -> Checks:
    length = max(steps)
    _errs(replace(counter, horizon=length), RUNS)
    yield None


def _errs(each: Counter, runs: int) -> None:
    """Raise ConformanceError if mean squared errors are not `variance` (chi-square), or errors exceed `error_bound`
    too often (binomial), at three steps of runs as long as the horizon."""
    length = each.steps
    stream, rng, moments = _bits(length), np.random.default_rng(5), sorted({1, length // 2 + 1, length})
    at = np.array(moments) - 1
    errors = np.array([each.start(rng).release(stream)[at] for _ in range(runs)]) - np.cumsum(stream)[at]
    for t, of_step in zip(moments, errors.T, strict=True):
        squares = float(np.mean(of_step**2))
        variance = each.variance(t)
        if variance is not None:
            parts = each.noise_parts(t)
            excess = sum(12 * n * scale**4 for scale, n in parts) / variance**2 if parts else LAPLACE_EXCESS
            # a sum of squares of this kurtosis is about chi-square with this number of degrees of freedom
            freedom = 2 * runs / (2 + excess)
            low, high = chi2.isf([1 - FALSE_ALARM / 6, FALSE_ALARM / 6], freedom) / freedom
            fits = low * variance <= squares <= high * variance
            require(fits, f"variance({t}) is {variance:g}, measured {squares:g}", ERRORS)
        bound = stated(each.error_bound, t, 0.2)
        beyond = 0 if bound is None else int(np.sum(np.abs(of_step) > bound))
        surprise = float(binom.sf(beyond - 1, runs, 0.2))
        what = f"error_bound({t}, 0.2) exceeded in {beyond} of {runs:,} runs"
        require(surprise > FALSE_ALARM, what, ERRORS)


def _keeps_it_at_length(counter: Counter, steps: Sequence[int]) -> Checks:
    """Sums, errors and privacy at horizons at which what grows with the steps is seen."""
    yield None  # it may refuse such horizons
    for each, runs in _long(counter):
        _counts(each, np.ones(each.steps))
        _errs(each, runs)
        yield None
    for each in _wide(counter):
        encoder = each.encoder(each.steps)
        assert encoder is not None
        _moves_no_more(each, encoder)
        yield None


def described(counter: Counter) -> str:
    """Return the long runs in which a counter is tried, in words."""
    horizons = ", ".join(f"{each.steps:,}" for each, _ in _long(counter))
    matrices = ", ".join(f"{each.steps:,}" for each in _wide(counter))
    tried = [f"horizons {horizons or 'refused'}"]
    return "; ".join([*tried, *([f"privacy of {matrices} steps"] if matrices else [])])


def _long(counter: Counter) -> Iterator[tuple[Counter, int]]:
    """Yield the counter with each long horizon that it takes, and the number of runs."""
    for length, runs in LONG:
        with suppress(ValueError):
            yield replace(counter, horizon=length), runs


def _wide(counter: Counter) -> Iterator[Counter]:
    """Yield the counter with each horizon for which its matrix is looked at, if it states one and takes them."""
    with suppress(ValueError):
        for length, each in _of_length(counter, WIDE):
            first = each.encoder(WIDE[0])
            if first is not None and len(first) / WIDE[0] * length**2 <= MOST_ENTRIES:
                yield each


def why_privacy_is_untested(counter: Counter) -> str:
    """Return why the privacy of a counter cannot be tested here; empty if it can."""
    if counter.encoder(2) is not None:
        return ""
    return f"{type(counter).__name__} states no encoder: see `disttrack audit`"


COUNTER_CHECKS: Final = by_name(
    _states_its_facts,
    _refuses_invalid_values,
    _step_and_release_agree,
    _seeds_matter,
    _right_without_noise,
    _ends_at_its_horizon,
    _privacy_as_claimed,
    _errs_as_it_says,
    _keeps_it_at_length,
)
