"""What every private counter must do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from scipy.stats import binom, chi2

from mechanisms import Counter
from mechanisms.scripted_noise import response
from simulator.conformance.failure import ConformanceError, checked, require, survives_pickling

FALSE_ALARM: Final = 1e-6
"""Probability with which a counter that errs as it says is refused."""
RUNS: Final = 1500
"""Runs by which stated errors are judged: a variance that is stated 30 % too small is then refused nearly always."""
LAPLACE_EXCESS: Final = 3.0
"""Kurtosis of one Laplace variable beyond that of the normal distribution: sums of several have less."""


def check_counter(counter: Counter | type[Counter], *, steps: Sequence[int] = (1, 2, 7, 33)) -> list[str]:
    """Put a private counter through every conformance test.

    Its privacy is checked where it states an `encoder`; of other counters it is for tests of their own to show.

    Parameters
    ----------
    counter
        An instance, or a class that needs at most `epsilon` and `horizon` (1 and 64 are then taken).
    steps
        Lengths of the runs.

    Returns
    -------
    list of str
        The names of the checks passed.

    Raises
    ------
    ConformanceError
        What it does wrong, at the first wrong thing found.

    Examples
    --------
    >>> from mechanisms import Binary
    >>> "privacy as claimed" in check_counter(Binary)
    True
    """
    if isinstance(counter, type):
        counter = counter(epsilon=1.0, horizon=64)
    return checked(type(counter).__name__, counter_checks(counter, steps))


def counter_checks(counter: Counter, steps: Sequence[int] = (1, 2, 7, 33)) -> dict[str, Callable[[], Iterator[None]]]:
    """Return the conformance tests of a private counter by name."""
    subject = type(counter).__name__
    return {name: partial(check, counter, subject, steps) for name, check in CHECKS.items()}


def _of_length(counter: Counter, steps: Sequence[int]) -> Iterator[tuple[int, Counter]]:
    for length in steps:
        yield length, replace(counter, horizon=length)


def _bits(length: int) -> np.ndarray:
    return np.random.default_rng(length).integers(0, 2, length).astype(np.float64)


def _states_its_facts(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    for name in ("kind", "source", "error", "memory"):
        require(getattr(counter, name), subject, f"says no {name}", go_on=True)
    known = counter.privacy in ("pure", "approximate")
    require(known, subject, f"privacy {counter.privacy!r} is unknown", go_on=True)
    require(type(counter).__doc__, subject, "has no docstring", go_on=True)
    parameters = vars(type(counter)).get("__dataclass_params__")
    frozen = is_dataclass(counter) and parameters and parameters.frozen
    require(frozen, subject, "is not a frozen dataclass", go_on=True)
    require(survives_pickling(subject, counter) == counter, subject, "is another one after pickling")
    yield


def _refuses_nonsense(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    wrong: dict[str, tuple[Any, ...]] = {
        "epsilon": (0, -1, math.nan, math.inf, "1", True),
        "horizon": (0, -3, 2.5, True, *((None,) if counter.needs_horizon else ())),
        "delta": (0, 1, -0.5, 2),
    }
    for name in set(wrong) & set(type(counter).__dataclass_fields__):
        for value in wrong[name]:
            try:
                replace(counter, **{name: value})
            except (ValueError, TypeError) as error:
                named = f"{name}={value!r}: the error does not name {name}"
                fine = require(name in str(error), subject, named, go_on=True)
            else:
                fine = require(False, subject, f"accepts {name}={value!r}", go_on=True)
            yield
            if not fine:
                break


def _step_and_release_agree(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    for length, each in _of_length(counter, steps):
        stream = _bits(length)
        single, whole, mixed = (each.start(np.random.default_rng(length)) for _ in range(3))
        cut = length // 2
        by_step = [single.step(x) for x in stream.tolist()]
        first = mixed.release(stream[:cut]).tolist()
        in_parts = [*first, *(mixed.step(x) for x in stream[cut : cut + 1].tolist()), *mixed.release(stream[cut + 1 :])]
        for estimates in (whole.release(stream).tolist(), in_parts):
            same = len(estimates) == length and np.allclose(estimates, by_step, rtol=1e-9, atol=1e-9)
            require(same, subject, f"step and release give different estimates ({length} steps)")
        require(single.t == whole.t == mixed.t == length, subject, f"miscounts its steps ({length} of them)")
        yield


def _seeds_matter(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    length = 2000  # counters of sparse streams say 0 for a while
    each = replace(counter, horizon=length)
    one, again, other = (each.start(np.random.default_rng(seed)).release(np.ones(length)) for seed in (1, 1, 2))
    require(np.array_equal(one, again), subject, "two runs with the same seed differ")
    yield
    require(not np.array_equal(one, other), subject, "gives the same estimates for another seed")
    yield


def _right_without_noise(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    for length, each in _of_length(counter, steps):
        stream = _bits(length)
        estimates = each.start(np.random.default_rng(0), silent=True).release(stream)
        off = float(np.max(np.abs(estimates - np.cumsum(stream))))
        allowed = 1e-9 if each.encoder(length) is not None else each.error_bound(length, FALSE_ALARM)
        require(off <= allowed, subject, f"without noise it is off by {off:g} ({length} steps)")
        yield


def _ends_at_its_horizon(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    for length, each in _of_length(counter, steps):
        run = each.start(np.random.default_rng(0))
        run.release(_bits(length))
        for more in (partial(run.step, 1), partial(run.release, np.ones(2))):
            try:
                more()
            except ValueError as error:
                require("horizon" in str(error), subject, "the error of a step past the horizon does not name it")
            else:
                raise ConformanceError(f"{subject}: takes a step past its horizon of {length}")
        require(run.t == length, subject, "a refused step counts")
        yield


def _privacy_as_claimed(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    """What is released is R (B x + z), and one entry moves B x by no more than the noise pays for."""
    yield
    for length, each in _of_length(counter, steps):
        encoder = each.encoder(length)
        if encoder is None:
            return  # not of this form
        normal = each.privacy == "approximate"
        require(not normal or hasattr(each, "sigma"), subject, "states no noise multiplier `sigma`")
        claim = 1 / each.sigma if normal else each.epsilon  # type: ignore[attr-defined]
        # of normal noise, the largest move in standard deviations is the inverse of the noise multiplier
        most = float(np.linalg.norm(encoder, ord=2 if normal else 1, axis=0).max())
        require(
            most <= claim * (1 + 1e-9),
            subject,
            f"an entry moves {most:g} scales of noise, not {claim:g} ({length} steps)",
        )
        shown = response(each, length, len(encoder)) @ encoder
        fits = np.allclose(shown, np.tri(length), atol=1e-9)
        require(fits, subject, f"does not add its noise as its encoder says ({length} steps)")
        yield


def _errs_as_it_says(counter: Counter, subject: str, steps: Sequence[int]) -> Iterator[None]:
    """Mean squared errors against `variance` (chi-square), errors against `error_bound` (binomial)."""
    length = max(steps)
    each = replace(counter, horizon=length)
    stream, rng = _bits(length), np.random.default_rng(5)
    errors = np.array([each.start(rng).release(stream) for _ in range(RUNS)]) - np.cumsum(stream)
    for t in sorted({1, length // 2 + 1, length}):
        squares = float(np.mean(errors[:, t - 1] ** 2))
        variance = each.variance(t)
        if variance is not None:
            parts = each.noise_parts(t)
            excess = sum(12 * n * scale**4 for scale, n in parts) / variance**2 if parts else LAPLACE_EXCESS
            # a sum of squares of this kurtosis is about chi-square with so many degrees of freedom
            freedom = 2 * RUNS / (2 + excess)
            low, high = chi2.isf([1 - FALSE_ALARM / 6, FALSE_ALARM / 6], freedom) / freedom
            fits = low * variance <= squares <= high * variance
            require(fits, subject, f"says variance {variance:g} at step {t}, and has {squares:g}")
        beyond = int(np.sum(np.abs(errors[:, t - 1]) > each.error_bound(t, 0.2)))
        surprise = float(binom.sf(beyond - 1, RUNS, 0.2))
        says = f"exceeds its error bound of probability 0.2 in {beyond} of {RUNS} runs at step {t}"
        require(surprise > FALSE_ALARM, subject, says)
        yield


Check = Callable[[Counter, str, Sequence[int]], Iterator[None]]

CHECKS: dict[str, Check] = {
    "states its facts": _states_its_facts,
    "refuses nonsense": _refuses_nonsense,
    "step and release agree": _step_and_release_agree,
    "seeds matter": _seeds_matter,
    "right without noise": _right_without_noise,
    "ends at its horizon": _ends_at_its_horizon,
    "privacy as claimed": _privacy_as_claimed,
    "errs as it says": _errs_as_it_says,
}
