"""The martingale tracker with tight constants against its reference, and its constants against brute force."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
import reference_martingale
from reference_compared import FEEDS, Case, compared, rows_of, step_by_step

from disttrack import protocols
from disttrack.adversaries import RoundRobin
from disttrack.protocols.rounds.coin_rounds import bias, even_rounds, plan, share_of, signals_of


@cache
def case_of(k: int, alpha: float, delta: float) -> Case:
    def reference(k: int, start: list[int], tape: Any, noise: Any) -> dict[str, Any]:
        def plan_of(share: float) -> tuple[int, float]:
            found = plan(k, alpha, share)
            return found.signals, found.offset

        return reference_martingale.martingale(k, start, alpha, delta, even_rounds(k, alpha, delta), plan_of, tape)

    return protocols.Martingale(alpha, delta), reference


SIZES = [(1, 1, 0), (1, 400, 0), (2, 400, 0), (7, 600, 0), (7, 300, 1200), (64, 700, 0)]
PARAMETERS = [(0.9, 0.2), (0.4, 0.05), (0.1, 0.999)]


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("feed", FEEDS)
@pytest.mark.parametrize(("alpha", "delta"), PARAMETERS)
def test_messages_and_outputs_agree(alpha: float, delta: float, feed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: Counter[str] = Counter()
    for size in SIZES:
        rows = compared(monkeypatch, case_of(size[0], alpha, delta), feed, size, seed=size[0] + size[1])
        said.update(row[3] for row in rows)
    assert set(said) == {"item", "round", "bit", "poll", "count"}
    assert said["poll"] > 20


@pytest.mark.parametrize("delta", [1e-9, 0.999999])
@pytest.mark.parametrize("size", [(1, 3, 0), (1, 1, 1), (1, 150, 5), (2, 120, 1), (4, 150, 0)])
def test_edges_agree(size: tuple[int, int, int], delta: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for alpha in (0.9, 0.3):
        compared(monkeypatch, case_of(size[0], alpha, delta), "freeze", size, seed=3)


def test_one_signal_is_awaited_where_rounding_would_leave_none(monkeypatch: pytest.MonkeyPatch) -> None:
    alpha, delta = 0.9, 14 / 60
    share, total = share_of(1, alpha, delta, 1), 3
    assert signals_of(1, alpha, share, total, bias(1, alpha, share, total, exact=True)) == 0
    rows = compared(monkeypatch, case_of(1, alpha, delta), "round-robin", (1, 60, 0), 1)
    assert [row[3] for row in rows[:6]] == ["item", "item", "item", "round", "bit", "poll"]


@pytest.mark.parametrize("k", [1, 3])
def test_games_that_end_where_a_round_does_agree(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(k, 0.3, 0.3)
    rows = compared(monkeypatch, case, "round-robin", (k, 300, 0), 1)
    ends = sorted({row[0] for row in rows if row[3] in ("round", "poll")})
    assert len(ends) > 3
    for end in ends[:4]:
        for items in (end - 1, end, end + 1):
            compared(monkeypatch, case, "round-robin", (k, items, 0), 1)


def test_the_comparison_tells_another_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: half of delta gives other messages, with the same random numbers."""
    games = [
        step_by_step(monkeypatch, case_of(7, 0.4, delta)[0], RoundRobin(), (7, 400, 0), 3)[0] for delta in (0.1, 0.05)
    ]
    assert rows_of(games[0]) != rows_of(games[1])


@pytest.mark.parametrize(("k", "alpha", "delta"), [(1, 0.9, 0.2), (2, 0.4, 0.99), (7, 0.5, 0.05), (12, 0.7, 1e-4)])
def test_plan_fails_as_allowed_and_is_the_cheapest(k: int, alpha: float, delta: float) -> None:
    """By recursion over Poisson times, and of all numbers of signals on a grid; the docs call the minimum flat."""
    allowed = reference_martingale.power_below(share_of(k, alpha, delta, 1), 2)
    found = plan(k, alpha, allowed)
    assert reference_martingale.light_failure(alpha, found.offset, found.signals) == pytest.approx(allowed, rel=1e-3)
    cost = reference_martingale.words(k, alpha, found.signals, found.offset)
    assert found.words == pytest.approx(cost, rel=1e-12)
    grid = {max(1, round(found.signals * factor)) for factor in (0.5, 0.75, 0.9, 1.1, 1.3, 2)} - {found.signals}
    assert cost <= 1.002 * min(
        reference_martingale.words(k, alpha, signals, reference_martingale.least_offset(alpha, signals, allowed))
        for signals in grid
    )


@pytest.mark.parametrize(("k", "alpha"), [(1, 0.9), (7, 0.3), (64, 0.1)])
def test_shares_add_up_to_delta_and_are_even_over_a_growth_by_e_to_the_20(k: int, alpha: float) -> None:
    delta, last = 0.3, 2000
    even = even_rounds(k, alpha, delta)
    shares = [share_of(k, alpha, delta, number) for number in range(1, last + 1)]
    assert shares == [reference_martingale.share_of(delta, even, number) for number in range(1, last + 1)]
    beyond = delta * even / (even + last)  # of all later rounds, before rounding down
    assert 0.9 * delta < sum(shares) + beyond < delta
    # rounds of the growth that they have with about the mean share
    growth = plan(k, alpha, reference_martingale.power_below(delta / even, 2)).growth
    assert 20 / growth == pytest.approx(even, rel=0.05, abs=1)


@pytest.mark.parametrize(("k", "alpha", "delta"), [(1, 0.9, 0.2), (7, 0.4, 0.05), (20, 0.3, 0.999), (3, 0.1, 1e-6)])
def test_as_many_signals_are_awaited_as_are_safe(k: int, alpha: float, delta: float) -> None:
    """Item by item without any rounding: the round fails with its share at most, and hardly any more were safe."""
    first = next(total for total in range(1, 10_000) if _begins(k, alpha, delta, total))
    share = share_of(k, alpha, delta, 2)
    for factor in (1.0, 1.7, 5.0):
        total = round(factor * first)
        for told in (total, round(0.9 * total), round(1.2 * total)):
            p = bias(k, alpha, share, told, exact=False)
            signals = signals_of(k, alpha, share, total, p)
            found = reference_martingale.failures(alpha, total, p, 1.0, signals + 2 + signals // 50)
            # the sums for coins below 0.01 are within 1e-3
            assert not signals or found[signals - 1] <= share * 1.001
            # or more would not be worth their words
            cheapest = reference_martingale.cheapest_if_safe(k, alpha, alpha * total * p)
            planned = plan(k, alpha, reference_martingale.power_below(share, 2)).signals
            assert found[-1] > 0.97 * share or signals >= min(cheapest, 2 * planned) + 7


def _begins(k: int, alpha: float, delta: float, total: int) -> bool:
    rules = protocols.Martingale(alpha, delta).rule_of(k, None)  # type: ignore[arg-type]
    return rules(1, total) is not None
