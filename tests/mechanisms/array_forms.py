"""The two forms of a mechanism, by entries and by arrays, and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

STEPS = 2_500
"""More than two batches of noise."""


@dataclass(frozen=True)
class Form:
    """One mechanism's two forms.

    Attributes
    ----------
    start
        Makes a run from a generator.
    entries
        Makes the input from a generator.
    step, many
        Give the outputs of a run for an entry and for several.
    state
        What a run shows of its state.
    """

    start: Callable[[np.random.Generator], Any]
    entries: Callable[[np.random.Generator], Sequence[Any]]
    step: Callable[[Any, Any], Any]
    many: Callable[[Any, Any], Sequence[Any]]
    state: Callable[[Any], Any] = lambda run: None


def bits(rng: np.random.Generator) -> np.ndarray:
    return (rng.random(STEPS) < 0.4).astype(float)


def hold_forms_equal(form: Form, *, exactly: bool = True) -> set[Any]:
    """Assert that an array is a loop over its entries, and return all outputs; without `exactly` up to rounding.

    Pieces of 0, 1 and many entries are taken by turns at once and one by one.
    """
    seen: set[Any] = set()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        entries = form.entries(rng)
        single, mixed = (form.start(np.random.default_rng(seed)) for _ in range(2))
        expected = [form.step(single, x) for x in entries]
        cuts = {0, 1, len(entries), *rng.integers(0, len(entries), 4).tolist(), *rng.integers(0, 50, 4).tolist()}
        outputs = list(form.many(mixed, entries[:0]))
        for turn, (begin, end) in enumerate(pairwise(sorted(cuts))):
            piece = entries[begin:end]
            outputs += list(form.many(mixed, piece)) if turn % 3 else [form.step(mixed, x) for x in piece]
        if exactly:
            assert outputs == expected
            assert form.state(mixed) == form.state(single)
        else:
            assert outputs == pytest.approx(expected, rel=1e-9, abs=1e-9)
        seen |= {*expected}
    return seen
