"""The trackers whose polls tell the next round ahead: martingale, and robust with tight constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import pytest
import reference_martingale
import reference_tight
from reference_compared import FEEDS, Case, compared
from reference_tight import Choice

from disttrack import protocols
from disttrack.protocols.rounds.coin_rounds import bias, even_rounds, plan, share_of, signals_of
from disttrack.protocols.rounds.constants import tight_round


@cache
def martingale(k: int, alpha: float, delta: float) -> Case:
    def reference(k: int, start: list[int], tape: Any, noise: Any) -> dict[str, Any]:
        def plan_of(share: float) -> tuple[int, float]:
            found = plan(k, alpha, share)
            return found.signals, found.offset

        return reference_martingale.martingale(k, start, alpha, delta, even_rounds(k, alpha, delta), plan_of, tape)

    return protocols.Martingale(alpha, delta), reference


@cache
def choice_of(k: int, failure: float, alpha: float, counter: str) -> Choice:
    """Return what the code's minimisation has chosen; `test_reference_tight.py` judges it."""
    found = tight_round(k, failure, alpha, counter)
    return Choice(counter, found.phases, found.phase_length, found.loss, found.share)


@cache
def robust(k: int, alpha: float, delta: float, counter: str = "best") -> Case:
    kinds = ("k-ary", "two-level", "per-item") if counter == "best" else (counter,)

    def reference(k: int, start: list[int], tape: Any, noise: Any) -> dict[str, Any]:
        def choices_of(failure: float) -> list[Choice]:
            return [choice_of(k, failure, alpha, kind) for kind in kinds]

        return reference_tight.robust(k, start, alpha, delta, choices_of, tape, noise)

    return protocols.Robust(alpha, delta, "tight", counter), reference


class Compared(NamedTuple):
    """A tracker with its reference, and how near its outputs must be."""

    case_of: Callable[..., Case]
    near: float
    last_alpha: float


TRACKERS = {
    "martingale": Compared(martingale, 1e-12, 0.1),
    "robust": Compared(robust, 1e-8, 0.5),  # the shift comes of two computations of the same shortfalls
}
SIZES = [(1, 1, 0), (1, 400, 0), (2, 400, 0), (7, 600, 0), (7, 300, 1200), (64, 800, 0), (64, 400, 300)]
"""Sites, items, items before the game."""


@pytest.mark.drawn(5)
@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize(("alpha", "delta"), [(0.9, 0.2), (0.4, 0.05), (None, 0.999)])
@pytest.mark.parametrize("name", TRACKERS)
def test_messages_and_outputs_agree(
    name: str, alpha: float | None, delta: float, feed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case_of, near, last = TRACKERS[name]
    said: Counter[str] = Counter()
    for size in SIZES:
        rows = compared(monkeypatch, case_of(size[0], alpha or last, delta), feed, size, size[0] + size[1], near)
        said.update(row[3] for row in rows)
    assert set(said) == {"item", "round", "bit", "poll", "count"}
    assert said["poll"] > 20


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("name", TRACKERS)
def test_games_that_end_where_a_round_does_agree(name: str, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case, near = TRACKERS[name].case_of(k, 0.3, 0.3), TRACKERS[name].near
    rows = compared(monkeypatch, case, "round-robin", (k, 300, 0), 1, near)
    ends = sorted({row[0] for row in rows if row[3] in ("round", "poll")})
    assert len(ends) > 3
    for end in ends[:4]:
        for items in (end - 1, end, end + 1):
            compared(monkeypatch, case, "round-robin", (k, items, 0), 1, near)


def test_one_signal_is_awaited_where_rounding_would_leave_none(monkeypatch: pytest.MonkeyPatch) -> None:
    alpha, delta = 0.9, 14 / 60
    share, total = share_of(1, alpha, delta, 1), 3
    assert signals_of(1, alpha, share, total, bias(1, alpha, share, total, exact=True)) == 0
    rows = compared(monkeypatch, martingale(1, alpha, delta), "round-robin", (1, 60, 0), 1)
    assert [row[3] for row in rows[:6]] == ["item", "item", "item", "round", "bit", "poll"]


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("counter", ["binary", "k-ary", "two-level", "per-item"])
def test_each_counter_agrees(counter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for k, alpha, items, start in ((5, 0.2, 200, 0), (100, 0.9, 700, 0), (256, 0.05, 1200, 3000)):
        compared(monkeypatch, robust(k, alpha, 0.5, counter), "random", (k, items, start), 2, TRACKERS["robust"].near)
