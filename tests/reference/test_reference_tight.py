"""The robust tracker with tight constants against its reference, and its constants against the proof's inequalities."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
import reference_tight
from reference_compared import FEEDS, Case, compared
from reference_tight import Choice

import protocols
from protocols.rounds.tight import tight_round


@cache
def choice_of(k: int, failure: float, alpha: float, counter: str) -> Choice:
    """Return what the code's minimisation has chosen; `test_constants_…` below judges it."""
    found = tight_round(k, failure, alpha, counter)
    return Choice(counter, found.phases, found.phase_length, found.loss, found.share)


@cache
def case_of(k: int, alpha: float, delta: float, counter: str = "best") -> Case:
    kinds = ("k-ary", "two-level", "per-item") if counter == "best" else (counter,)

    def reference(k: int, start: list[int], tape: Any, noise: Any) -> dict[str, Any]:
        def choices_of(failure: float) -> list[Choice]:
            return [choice_of(k, failure, alpha, kind) for kind in kinds]

        return reference_tight.robust(k, start, alpha, delta, choices_of, tape, noise)

    return protocols.Robust(alpha, delta, "tight", counter), reference


SIZES = [(1, 1, 0), (1, 200, 0), (2, 200, 0), (7, 400, 0), (7, 300, 1200), (64, 900, 0), (64, 400, 3000)]
PARAMETERS = [(0.9, 0.2), (0.4, 0.05), (0.5, 0.999), (0.5, 1e-6)]


@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize(("alpha", "delta"), PARAMETERS)
def test_messages_and_outputs_agree(alpha: float, delta: float, feed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: Counter[str] = Counter()
    for size in SIZES:
        # the shift comes of two computations of the same shortfalls
        rows = compared(monkeypatch, case_of(size[0], alpha, delta), feed, size, seed=size[0] + size[1], rel=1e-8)
        said.update(row[3] for row in rows)
        print(size, len(rows), sum(r[3] == "poll" for r in rows) / size[0])
    assert set(said) == {"item", "round", "bit", "poll", "count"}


@pytest.mark.parametrize("counter", ["binary", "k-ary", "two-level", "per-item"])
def test_each_counter_agrees(counter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for k, alpha, items in ((5, 0.2, 200), (100, 0.9, 700), (100, 0.15, 2000)):
        rows = compared(monkeypatch, case_of(k, alpha, 0.5, counter), "random", (k, items, 0), 2, rel=1e-8)
        print(
            counter,
            k,
            sum(r[3] == "poll" for r in rows) / k,
            choice_of(k, reference_tight.failure_of(0.5, 1), alpha, counter),
        )
