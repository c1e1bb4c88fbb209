"""The constants of the martingale tracker against brute force."""

from __future__ import annotations

import pytest
import reference_martingale

from disttrack import protocols
from disttrack.protocols.rounds.coin_rounds import bias, even_rounds, plan, share_of, signals_of


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
