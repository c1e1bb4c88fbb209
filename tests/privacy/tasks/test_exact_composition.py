"""Joint losses of draws against integrals over the loss of one of them, from epsilon 1e-6 to 10."""

from __future__ import annotations

from itertools import pairwise
from math import exp, expm1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize

from disttrack.mechanisms.gaussian import delta_spent
from disttrack.privacy.tasks.audit.budget import TAIL, composed_loss, exact_available
from disttrack.privacy.tasks.audit.exact_losses import normal_loss

WITHIN = 1e-6
composed = pytest.mark.skipif(not exact_available(), reason="dp-accounting is not installed")


def spent(epsilon: float, loss: float) -> float:
    """Return the delta that one Laplace draw of this loss spends at an epsilon of either sign."""
    if epsilon >= loss:
        return 0.0
    return -expm1(epsilon) if epsilon <= -loss else -expm1((epsilon - loss) / 2)


def spent_by_two(epsilon: float, first: float, second: float) -> float:
    """Return the delta of two draws: the expectation over the loss of the first, which has two atoms."""
    ends = 0.5 * spent(epsilon - first, second) + 0.5 * exp(-first) * spent(epsilon + first, second)
    kinks = [(first - (epsilon - sign * second)) / (2 * first) for sign in (1, -1)]
    places = sorted({0.0, 1.0, *(kink for kink in kinks if 0 < kink < 1)})

    def inside(x: float) -> float:
        return first / 2 * exp(-first * x) * spent(epsilon - first * (1 - 2 * x), second)

    between = (integrate.quad(inside, low, high, epsabs=1e-14, epsrel=1e-12)[0] for low, high in pairwise(places))
    return ends + sum(between)


def loss_of_two(first: float, second: float, delta: float) -> float:
    """Return the epsilon at which two draws spend delta."""
    high = first + second
    return float(optimize.brentq(lambda epsilon: spent_by_two(epsilon, first, second) - delta, 0.0, high, xtol=1e-13))


@given(st.floats(-6, 1), st.floats(-9, -2))
def test_one_draw_has_its_closed_form(power: float, small: float) -> None:
    loss, delta = 10**power, 10**small
    epsilon = composed_loss([loss], delta)
    assert epsilon <= loss
    assert spent(epsilon, loss) == pytest.approx(delta, rel=1e-6) or (epsilon == 0.0 and spent(0.0, loss) <= delta)


@composed
@settings(max_examples=12, deadline=None)
@given(st.floats(-6, 1), st.floats(0.05, 0.95), st.floats(-9, -2))
def test_two_draws_agree_with_the_integral(power: float, share: float, small: float) -> None:
    total = 10**power
    first, second, delta = total * share, total * (1 - share), min(10**small, total / 20)
    epsilon = composed_loss([first, second], delta)
    assert epsilon == pytest.approx(loss_of_two(first, second, delta), abs=WITHIN)
    assert epsilon <= total * (1 + 1e-12)


@composed
@pytest.mark.parametrize("loss", [1e-6, 2.7e-3, 0.1, 1.0])
@pytest.mark.parametrize("draws", [2, 7, 64])
def test_equal_draws_lose_at_most_their_sum(loss: float, draws: int) -> None:
    """At a delta of 1e-9 few draws lose almost all of it: with probability 2^-draws each is at its largest loss."""
    epsilon = composed_loss([loss] * draws, TAIL)
    assert epsilon <= draws * loss * (1 + 1e-12)
    if draws == 2:
        assert epsilon == pytest.approx(draws * loss, abs=WITHIN)


@given(st.lists(st.floats(0.3, 1e4), min_size=1, max_size=6), st.floats(-9, -2))
def test_normal_draws_have_their_closed_form(scales: list[float], small: float) -> None:
    delta, sigma = 10**small, sum(scale**-2 for scale in scales) ** -0.5
    epsilon = normal_loss(1 / sigma, delta)
    assert delta_spent(sigma, epsilon) == pytest.approx(delta, rel=1e-5) or (
        epsilon == 0.0 and delta_spent(sigma, 0.0) <= delta
    )
