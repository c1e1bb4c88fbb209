"""Insertions and deletions: exact without noise, exact privacy over all outcomes, and items without identity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_factorised_difference import counted, updates

from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import FullyDynamic, InsertedMinusDeleted
from disttrack.privacy.mechanisms.dynamic.base import Cutter


def data_at(codes: list[int], step: int) -> np.ndarray:
    """Return the counts of three values after a step."""
    return counted(codes, step, 1, len(codes) + 1, 3)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", [InsertedMinusDeleted, FullyDynamic])
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_without_noise_answers_are_exact_where_segments_close(kind, seed: int) -> None:
    """With a budget so large that segments are short and nodes begin new rounds; a halted node may hide a few items."""
    rng = np.random.default_rng(seed)
    codes = updates(rng, 150, 3)
    run = kind(1e7, queries="points", domain=3).start(ScriptedNoise())
    released = 0
    for step, code in enumerate(codes, start=1):
        if run.step(code):
            released += 1
            np.testing.assert_allclose(run.answers, data_at(codes, step), atol=0.2)
    assert released > 10
    sizes = [data_at(codes, step).sum() for step in range(len(codes) + 1)]
    void = [code for step, code in enumerate(codes, 1) if code < 0 and sizes[step] == sizes[step - 1]]
    assert run.ignored == len(void)


@pytest.mark.parametrize("kind", [FullyDynamic, InsertedMinusDeleted])
def test_a_deletion_before_its_insertion_does_nothing_and_is_counted(kind) -> None:
    run = kind(1e7, queries="points", domain=2).start(ScriptedNoise())
    for code in (-1, -7, 1, -3, -3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0):
        run.step(code)
    assert run.ignored == 3
    np.testing.assert_allclose(run.answers, [0, 1], atol=0.1)


def test_every_update_counts_in_the_partition_whether_it_finds_its_item_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """So an insertion that is not there moves no later segment; the control counts only what changes the data."""
    seen: list[bool] = []
    monkeypatch.setattr(Cutter, "step", lambda cutter, update: seen.append(update))
    for codes in ((1, -1, 1, 0), (0, -1, 1, 0)):
        seen.clear()
        run = FullyDynamic(1.0).start(np.random.default_rng(0))
        for code in codes:
            run.step(code)
        assert seen[1:] == [True, True, False]  # the first step is the one that differs
