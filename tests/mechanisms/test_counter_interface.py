"""What every private counter must do, found by walking the registry."""

from __future__ import annotations

import dataclasses
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms import COUNTERS, MECHANISMS, Blt, Counter, Gaussian
from disttrack.mechanisms.counters import counter, make

KINDS = sorted(COUNTERS)


def test_the_registry_is_whole() -> None:
    assert len(COUNTERS) >= 13
    assert {"binary", "hybrid", "k-ary", "blt", "square-root", "pan-private", "sparse-infinite"} <= set(COUNTERS)
    for kind, mechanism in MECHANISMS.items():
        assert kind == mechanism.kind
        assert mechanism.source
        assert mechanism.error
        assert dataclasses.is_dataclass(mechanism)


@settings(deadline=None, max_examples=25)
@given(data=st.data(), steps=st.integers(1, 300))
@pytest.mark.parametrize("kind", KINDS)
def test_step_and_release_give_the_same_estimates(kind: str, data: st.DataObject, steps: int) -> None:
    stream = np.random.default_rng(steps).integers(0, 2, steps)
    cuts = sorted(data.draw(st.lists(st.integers(0, steps), max_size=5)))
    single, mixed = (make(kind, 0.7, steps, np.random.default_rng(9)) for _ in range(2))
    expected = np.array([single.step(x) for x in stream.tolist()])
    pieces = []
    for place, (start, stop) in enumerate(zip([0, *cuts], [*cuts, steps], strict=True)):
        if place % 3 == 1:
            pieces.append(np.array([mixed.step(x) for x in stream[start:stop].tolist()]))
        else:
            pieces.append(mixed.release(stream[start:stop]))
    exact = kind != "blt"  # its filter adds up in another order
    assert np.concatenate(pieces) == pytest.approx(expected, rel=0 if exact else 1e-9, abs=0 if exact else 1e-9)
    assert mixed.t == single.t == steps


@pytest.mark.parametrize("kind", KINDS)
def test_step_and_release_agree_over_many_blocks(kind: str) -> None:
    steps = 70_000
    stream = np.random.default_rng(1).integers(0, 2, steps)
    single, whole = (make(kind, 0.7, steps, np.random.default_rng(2)) for _ in range(2))
    expected = np.array([single.step(x) for x in stream.tolist()])
    got = np.concatenate((whole.release(stream[:33_333]), whole.release(stream[33_333:])))
    # blt adds in another order; what that changes may become a step of the grid
    step = Gaussian(whole.counter.std).spacing if isinstance(whole.counter, Blt) else 0
    assert np.max(np.abs(got - expected)) <= step


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "randomized-response"])
def test_entries_may_be_real_numbers(kind: str) -> None:
    stream = [0.25, 3.0, -1.5, 0.125]
    run = make(kind, 1.0, 4, np.random.default_rng(0), silent=True)
    if not kind.startswith("sparse"):
        assert run.release(stream).tolist() == pytest.approx(np.cumsum(stream).tolist(), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_past_the_horizon_is_refused(kind: str) -> None:
    run = make(kind, 1.0, 3, np.random.default_rng(0))
    run.release([1, 0, 1])
    with pytest.raises(ValueError, match=f"step 4 is past the horizon of this {kind} counter, 3"):
        run.step(1)
    with pytest.raises(ValueError, match="step 5 is past the horizon"):
        run.release([1, 1])
    assert run.t == 3  # a refusal leaves the state untouched
    with pytest.raises(ValueError, match="values must be one-dimensional"):
        run.release(np.ones((1, 1)))


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_refused_by_name(kind: str) -> None:
    for wrong in (0, -1, math.nan, math.inf, "1", True):
        with pytest.raises(ValueError, match="epsilon must be a number above 0"):
            counter(kind, wrong, 8)  # type: ignore[arg-type]
    for wrong in (0, -3, 2.5, True):
        with pytest.raises(ValueError, match="horizon must be a whole number of at least 1"):
            counter(kind, 1.0, wrong)  # type: ignore[arg-type]
    if COUNTERS[kind].privacy == "approximate":
        for wrong in (0, 1, -0.5, 2):
            with pytest.raises(ValueError, match="delta must be a number between 0 and 1"):
                counter(kind, 1.0, 8, delta=wrong)


def test_other_parameters_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"counter must be one of .*; got 'binery' \(did you mean 'binary'\?\)"):
        counter("binery", 1.0, 8)
    with pytest.raises(ValueError, match="base must be an odd whole number of at least 3; got 4"):
        counter("k-ary", 1.0, 8, base=4)
    with pytest.raises(ValueError, match="block must be a whole number of at least 1; got 0"):
        counter("two-level", 1.0, 8, block=0)
    with pytest.raises(ValueError, match=r"stride must be a number from 0\.1 to 3; got 9"):
        counter("blt", 1.0, 8, stride=9)
    with pytest.raises(ValueError, match="beta must be a number between 0 and 1"):
        counter("sparse", 1.0, 8, beta=0)
    with pytest.raises(ValueError, match="horizon must be a whole number of at least 2; got 1"):
        counter("binary", 1.0, 1, literal=True)
    with pytest.raises(ValueError, match="x must be 0 or 1 for randomised response; got 2"):
        make("randomized-response", 1.0, 8, np.random.default_rng(0)).step(2)
    with pytest.raises(ValueError, match=r"x must be 0 or 1 for randomised response; got 0\.5"):
        make("randomized-response", 1.0, 8, np.random.default_rng(0)).release([1, 0.5])


@pytest.mark.parametrize("kind", KINDS)
def test_error_bounds_grow_as_the_risk_falls(kind: str) -> None:
    rules: Counter = counter(kind, 1.0, 1 << 10)
    bounds = [rules.error_bound(700, beta) for beta in (0.1, 1e-3, 1e-6)]
    assert 0 < bounds[0] < bounds[1] < bounds[2] < math.inf
    with pytest.raises(ValueError, match="t must be a whole number of at least 1"):
        rules.error_bound(0, 0.1)
    with pytest.raises(ValueError, match="beta must be a number between 0 and 1"):
        rules.error_bound(1, 0)
    run = rules.start(np.random.default_rng(0))
    assert run.error_bound(700, 0.1) == bounds[0]
    assert (run.epsilon, run.horizon) == (1.0, 1 << 10)
    assert run.variance(700) == rules.variance(700)


def state_size(thing: object) -> int:
    """Bytes of all that a run holds, generators of noise not counted."""
    if isinstance(thing, list | tuple):
        return sys.getsizeof(thing) + sum(map(state_size, thing))
    if isinstance(thing, dict):
        return sys.getsizeof(thing) + sum(map(state_size, thing.values()))
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if type(thing).__module__.startswith("disttrack.mechanisms") and type(thing).__name__ != "Draws":
        names = [name for part in type(thing).__mro__ for name in getattr(part, "__slots__", ())]
        return sum(state_size(getattr(thing, name)) for name in names if hasattr(thing, name))
    return sys.getsizeof(thing)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "square-root"])
def test_memory_does_not_grow_with_the_horizon(kind: str) -> None:
    small = make(kind, 1.0, 1 << 12, np.random.default_rng(0))
    large = make(kind, 1.0, 1 << 24, np.random.default_rng(0))
    for _ in range(4095):
        small.step(1)
        large.step(1)
    assert state_size(large) <= 2.5 * state_size(small)  # twice the levels
    assert state_size(large) < 20_000


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.startswith("sparse")])
def test_the_bound_over_all_steps_is_that_of_the_worst_step(kind: str) -> None:
    for steps in (1, 2, 3, 10, 31, 32, 100, 257):
        rules = counter(kind, 1.0, steps)
        variances = [rules.variance(t) or 0 for t in range(1, steps + 1)]
        worst = max(rules.variance(t) or 0 for t in rules.worst_steps(steps))
        assert worst >= max(variances) * (1 - 1e-9)
        assert all(1 <= t <= steps for t in rules.worst_steps(steps))
    bound = rules.error_bound_throughout(257, 0.05)
    assert bound == max(rules.error_bound(t, 0.05 / 257) for t in rules.worst_steps(257))


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_tells_the_sum_unless_it_is_hidden(kind: str) -> None:
    run = make(kind, 1.0, 32, np.random.default_rng(0))
    run.release(np.ones(20))
    state = run.state()
    assert state["step"] == 20
    assert (state["count"] == 20) != COUNTERS[kind].pan_private or kind == "randomized-response"
