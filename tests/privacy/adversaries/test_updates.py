"""Streams of updates: sizes, identities, and who reacts."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.privacy.adversaries import Churn, Grow, GrowAndDelete, Sliding
from disttrack.privacy.adversaries.updates.base import Live, UpdateStream, UpdateView

OBLIVIOUS = [
    Grow(),
    Grow(count=50),
    Churn(peak=40),
    Churn(peak=40, void=0.3),
    GrowAndDelete(peak=200, rest=20),
    GrowAndDelete(peak=30, rest=0, exponent=0),
    Sliding(window=25),
]


def view_of(steps: int, domain: int = 16, seed: int = 0) -> UpdateView:
    given = {"sites": domain, "items": steps, "rng": np.random.default_rng(seed)}
    return UpdateView(live=Live(), exact=lambda: np.zeros(4), **given)


def played(stream: UpdateStream, steps: int = 2000) -> tuple[list[int], list[int], int]:
    """Return codes, sizes after each step, and how many deletions named nobody."""
    view = view_of(steps)
    codes: list[int] = []
    sizes: list[int] = []
    void = 0
    while len(codes) < steps:
        planned = stream.updates(view)
        if planned is None:
            planned = np.zeros(steps - len(codes), dtype=np.int64)
        for code in np.asarray(planned)[: steps - len(codes)].tolist():
            view.record(steps=view.steps + 1)
            if code > 0:
                view.live.insert(view.steps, code - 1)
            elif code < 0:
                void += view.live.delete(-code) is None
            codes.append(code)
            sizes.append(len(view.live))
    return codes, sizes, void


@pytest.mark.parametrize("stream", OBLIVIOUS, ids=repr)
def test_items_are_of_the_domain_and_deletions_name_steps_that_have_passed(stream: UpdateStream) -> None:
    codes, _, void = played(type(stream)(**stream.as_mapping()))
    assert all(-step <= code <= 16 for step, code in enumerate(codes, start=1))
    assert any(code < 0 for code in codes) == stream.deletes
    assert (void > 0) == (getattr(stream, "void", 0) > 0)


def test_sizes_are_as_said() -> None:
    assert played(Grow())[1] == list(range(1, 2001))
    assert played(Grow(count=50))[1][-1] == 50
    sizes = played(GrowAndDelete(peak=200, rest=20))[1]
    assert max(sizes) == sizes[199] == 200
    assert sizes[379] == 20
    assert set(sizes[380:]) == {20, 21}
    assert set(played(Churn(peak=40))[1][40:]) <= {39, 40, 41}
    assert set(played(Sliding(window=25))[1][26:]) == {25, 26}


def test_live_items_are_picked_in_constant_time_and_none_is_lost() -> None:
    live, rng = Live(), np.random.default_rng(1)
    there: dict[int, int] = {}
    for step in range(1, 3000):
        if rng.random() < 0.55 or not there:
            live.insert(step, step % 7)
            there[step] = step % 7
        else:
            key = live.any(float(rng.random()))
            assert live.delete(key) == there.pop(key)
            assert live.delete(key) is None
    assert live.items == there
