"""What every private counter must do, found by walking the registry."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from disttrack.mechanisms import COUNTERS, MECHANISMS
from disttrack.mechanisms.counters import counter

KINDS = sorted(COUNTERS)


def test_the_registry_is_whole() -> None:
    assert len(COUNTERS) >= 13
    assert {"binary", "hybrid", "k-ary", "blt", "square-root", "pan-private", "sparse-infinite"} <= set(COUNTERS)
    for kind, mechanism in MECHANISMS.items():
        assert kind == mechanism.kind
        assert mechanism.source
        assert mechanism.error
        assert dataclasses.is_dataclass(mechanism)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "randomized-response"])
def test_entries_may_be_real_numbers(kind: str) -> None:
    stream = [0.25, 3.0, -1.5, 0.125]
    run = counter(kind, 1.0, 4).start(np.random.default_rng(0), silent=True)
    if not kind.startswith("sparse"):
        assert run.release(stream).tolist() == pytest.approx(np.cumsum(stream).tolist(), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_tells_the_sum_unless_it_is_hidden(kind: str) -> None:
    run = counter(kind, 1.0, 32).start(np.random.default_rng(0))
    run.release(np.ones(20))
    state = run.state()
    assert state["step"] == 20
    assert (state["count"] == 20) != COUNTERS[kind].pan_private or kind == "randomized-response"
