"""The robust tracker with tight constants against its reference, and its constants against the proof's inequalities."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import pi
from typing import Any

import pytest
import reference_tight
from reference_compared import FEEDS, Case, compared, rows_of, step_by_step
from reference_tight import Choice

from disttrack import protocols
from disttrack.adversaries import RoundRobin
from disttrack.protocols.rounds.tight import tight_round


@cache
def choice_of(k: int, failure: float, alpha: float, counter: str) -> Choice:
    """Return what the code's minimisation has chosen; the inequalities below judge it."""
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


SIZES = [(1, 1, 0), (1, 200, 0), (2, 200, 0), (7, 400, 0), (7, 200, 150), (64, 800, 0), (64, 400, 300)]
PARAMETERS = [(0.9, 0.2), (0.4, 0.05), (0.5, 0.999)]
NEAR = 1e-8
"""Of outputs: the shift comes of two computations of the same shortfalls."""


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize(("alpha", "delta"), PARAMETERS)
def test_messages_and_outputs_agree(alpha: float, delta: float, feed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: Counter[str] = Counter()
    for size in SIZES:
        rows = compared(monkeypatch, case_of(size[0], alpha, delta), feed, size, seed=size[0] + size[1], rel=NEAR)
        said.update(row[3] for row in rows)
    assert set(said) == {"item", "round", "bit", "poll", "count"}
    assert said["poll"] > 60  # a round or two of many sites, more of few


@pytest.mark.parametrize("delta", [1e-9, 0.999999])
@pytest.mark.parametrize("size", [(1, 3, 0), (1, 1, 1), (1, 150, 5), (2, 120, 1), (4, 150, 0)])
def test_edges_agree(size: tuple[int, int, int], delta: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for alpha in (0.9, 0.3):
        compared(monkeypatch, case_of(size[0], alpha, delta), "freeze", size, seed=3, rel=NEAR)


@pytest.mark.parametrize("counter", ["binary", "k-ary", "two-level", "per-item"])
def test_each_counter_agrees(counter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for k, alpha, items, start in ((5, 0.2, 200, 0), (100, 0.9, 700, 0), (256, 0.05, 1200, 3000)):
        compared(monkeypatch, case_of(k, alpha, 0.5, counter), "random", (k, items, start), 2, rel=NEAR)


@pytest.mark.parametrize("k", [1, 3])
def test_games_that_end_where_a_round_does_agree(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(k, 0.3, 0.3)
    rows = compared(monkeypatch, case, "round-robin", (k, 300, 0), 1, rel=NEAR)
    ends = sorted({row[0] for row in rows if row[3] in ("round", "poll")})
    assert len(ends) > 3
    for end in ends[:4]:
        for items in (end - 1, end, end + 1):
            compared(monkeypatch, case, "round-robin", (k, items, 0), 1, rel=NEAR)


def test_the_comparison_tells_another_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: half of delta gives other messages, with the same random numbers."""
    games = [
        step_by_step(monkeypatch, case_of(64, 0.4, delta)[0], RoundRobin(), (64, 400, 0), 3)[0] for delta in (0.1, 0.05)
    ]
    assert rows_of(games[0]) != rows_of(games[1])


ROUNDS = [
    (1, 0.9, 0.6, "per-item"),
    (7, 0.4, 0.03, "two-level"),
    (64, 0.4, 0.6, "k-ary"),
    (64, 0.9, 1e-7, "binary"),
    (256, 0.0625, 0.03, "per-item"),
    (256, 0.9, 0.01, "two-level"),
]
"""Sites, alpha, failure probability, counter."""


@pytest.mark.parametrize(("k", "alpha", "failure", "counter"), ROUNDS)
def test_constants_meet_the_inequalities_of_the_proof(k: int, alpha: float, failure: float, counter: str) -> None:
    """With shortfalls from partial fractions in 60 digits, where the code takes a contour integral; nothing is left."""
    found, choice = tight_round(k, failure, alpha, counter), choice_of(k, failure, alpha, counter)
    up, down = reference_tight.two_sides(k, choice, failure)
    assert up + found.shift == pytest.approx(found.budget, rel=NEAR)
    assert down - found.shift == pytest.approx(found.budget, rel=NEAR)
    assert found.words == pytest.approx(reference_tight.words(k, alpha, choice, failure), rel=2e-3)


@pytest.mark.parametrize(("k", "alpha", "failure", "counter"), ROUNDS)
def test_no_other_constants_need_fewer_words(k: int, alpha: float, failure: float, counter: str) -> None:
    """A fifth more or less of each, and no privacy where there is some, or some where there is none."""
    choice = choice_of(k, failure, alpha, counter)
    cost = reference_tight.words(k, alpha, choice, failure)
    others = [
        choice._replace(length=factor * choice.length, loss=loss * choice.loss)
        for factor in (0.8, 1, 1.2)
        for loss in (0.8, 1, 1.25)
    ]
    others += [choice._replace(loss=loss) for loss in (0.5, 1.5, reference_tight.NO_PRIVACY)]
    others += [choice._replace(phases=max(1, round(factor * choice.phases))) for factor in (0.8, 1.2)]
    others += [choice._replace(share=share) for share in (0.8 * choice.share, 1 - 0.8 * (1 - choice.share))]
    assert cost <= 1.005 * min(reference_tight.words(k, alpha, other, failure) for other in others)


def test_failures_of_all_rounds_add_up_to_delta() -> None:
    """Rounds up to 2^12 - 1, and the rest by the sum of 1/i^2 from 13 on, which is between 1/13 and 1/12."""
    rounds = sum(reference_tight.failure_of(0.3, number) for number in range(1, 2**12))
    assert 0.3 - 6 * 0.3 / (12 * pi**2) < rounds < 0.3 - 6 * 0.3 / (13 * pi**2)
