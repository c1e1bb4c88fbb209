"""Audits and games of counters in flags and calls: parameters in words of their own, sizes as floats."""

from __future__ import annotations

import numpy as np
from commands import disttrack

from disttrack import Binary, RoundRobin, play_duel


def test_an_audit_takes_parameters_in_words_of_their_own() -> None:
    apart, joined = (
        disttrack("audit", *words, "--budget") for words in (["robust", "alpha=0.2"], ["robust:alpha=0.2"])
    )
    assert (apart.exit_code, apart.stdout) == (0, joined.stdout)


def test_steps_may_be_floats_that_are_whole() -> None:
    assert play_duel(Binary(epsilon=1.0, horizon=64), RoundRobin(), steps=64.0).sent == 64


def test_a_game_of_counters_takes_numbers_of_numpys() -> None:
    counter = Binary(epsilon=np.float32(1), horizon=np.int64(8))  # type: ignore[arg-type]
    assert play_duel(counter, RoundRobin(), steps=np.int64(8), seed=np.int64(1)).ok
