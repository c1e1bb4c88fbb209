"""The tight constants: the constraint is met term by term, the minimum is one, and the bounds that it uses are true."""

from __future__ import annotations

from math import sqrt, tanh

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms.counters import KINDS, counter
from disttrack.protocols.rounds import constants
from disttrack.protocols.rounds.constants import tight_constants
from disttrack.protocols.rounds.tight import NO_PRIVACY, Tight, known_noise, tight_round

USABLE = [kind for kind in KINDS if known_noise(kind)]


def upwards(k: int, found: Tight) -> float:
    return found.shift + found.noise_up + found.generalisation + found.leaked


def downwards(k: int, found: Tight) -> float:
    return found.phase_length + found.noise_down + found.generalisation - found.shift


@pytest.mark.parametrize("k", [1, 2, 7, 64, 256, 4096, 65536])
@pytest.mark.parametrize("kind", ["binary", "k-ary"])
def test_both_sides_of_the_error_use_up_the_budget(k: int, kind: str) -> None:
    found = tight_round(k, 1e-4, 1 / sqrt(k) if k > 1 else 0.5, kind)
    assert upwards(k, found) == pytest.approx(found.budget)
    assert downwards(k, found) == pytest.approx(found.budget)
    if found.loss == NO_PRIVACY:
        assert found.generalisation + found.leaked == k
    else:
        assert found.generalisation == pytest.approx(k * tanh(found.loss / 4))
        assert found.leaked == min(k, found.phases - 1)
    assert 1 / found.threshold_scale + found.counter_epsilon == pytest.approx(found.loss)


def test_a_hundred_sites_need_nothing_hidden_and_a_thousand_do() -> None:
    assert tight_round(64, 1e-4, 1 / 8, "binary").loss == NO_PRIVACY
    assert tight_round(1024, 1e-4, 1 / 32, "binary").loss < 1


@pytest.mark.parametrize(("number", "most"), [(1, 74), (32, 130), (1000, 178)])
def test_up_to_how_many_sites_nothing_is_hidden(number: int, most: int) -> None:
    """At alpha = 1 / sqrt k, delta = 0.05, as docs/tight.md says: later rounds may fail less, so privacy costs more."""

    def hidden(k: int) -> bool:
        return tight_constants(k, 0.05, number, 1 / sqrt(k), "binary").epsilon < 2 * NO_PRIVACY

    assert [hidden(k) for k in (64, most - 20, most, most + 1, most + 30, 1024)] == [False] * 3 + [True] * 3


@pytest.mark.parametrize("kind", USABLE)
@pytest.mark.false_alarm(1e-6)
def test_noise_stays_below_its_quantiles(kind: str) -> None:
    """Draws of whole rounds: the counter's noise as the counter itself draws it, and the lengths of the phases.

    A round exceeds each with the probability that the union bound allows, at most: of 600 rounds, the number has a
    false alarm of 1e-6. Power: with the counter's noise twice as large, some 400 rounds exceed. The bound is no
    void one: one phase seldom exceeds together with many others, so some rounds must exceed.
    """
    k, alpha, failure = 1024, 1 / 32, 0.5
    found = tight_round(k, failure, alpha, kind)
    rng = np.random.default_rng(11)
    most = failure / 2
    above = below = 0
    for _ in range(600):
        run = counter(kind, found.counter_epsilon, found.phases - 1).start(rng)
        noise = run.release(np.zeros(found.phases - 1))
        lengths = rng.laplace(0, found.threshold_scale, found.phases)
        above += bool((noise > found.noise_up).any())
        below += bool((lengths - np.concatenate(([0.0], noise)) > found.noise_down).any())
    allowed = stats.binom.isf(1e-6, 600, most)
    assert 1 <= above <= allowed
    assert 1 <= below <= allowed


def test_rounds_share_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure probabilities that the rounds are made for add up to delta, over all of them."""
    asked: list[float] = []

    def made_for(k: int, failure: float, alpha: float, kind: str) -> Tight:
        asked.append(failure)
        return tight_round(k, failure, alpha, kind)

    monkeypatch.setattr(constants, "tight_round", made_for)
    wider = [tight_constants(256, 0.05, 2**power, 0.1, "binary").divisor for power in range(12)]
    assert wider == sorted(wider)
    spent = [failure * 2**power for power, failure in enumerate(asked)]
    assert 0.94 * 0.05 < sum(spent) < 0.05  # sum of 6 / (pi i)^2 up to 12 is 0.951
    tight_constants(256, 0.05, 33, 0.1, "binary")
    tight_constants(256, 0.05, 63, 0.1, "binary")
    assert asked[-1] == asked[-2] == asked[5]
