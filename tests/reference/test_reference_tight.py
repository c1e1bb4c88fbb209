"""The tight constants of the robust tracker against the inequalities of the proof, in 60 digits."""

from __future__ import annotations

import pytest
import reference_tight
from test_reference_ahead import choice_of

from disttrack.protocols.rounds.constants import tight_round

NEAR = 1e-8
"""Of outputs: the shift comes of two computations of the same shortfalls."""


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
