"""The tight constants: the constraint is met term by term, the minimum is one, and the bounds that it uses are true."""

from __future__ import annotations

from itertools import product
from math import e, exp, log, log1p, pi, sqrt, tanh

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms.counters import KINDS, counter
from disttrack.protocols.rounds import constants
from disttrack.protocols.rounds.constants import paper_constants, tight_constants
from disttrack.protocols.rounds.tight import NO_PRIVACY, Tight, bounded_noise, known_noise, tight_round

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


def test_odds_bound_the_shift_of_a_probability() -> None:
    """p' - p <= tanh(x / 4) where odds change by e^x at most, with equality at p = 1 / (1 + e^(x/2))."""
    for x in (0.01, 0.3, 1.0, 3.0):
        p = np.linspace(0, 1, 100_001)
        shifted = exp(x) * p / (1 - p + exp(x) * p)
        assert (shifted - p).max() == pytest.approx(tanh(x / 4), rel=1e-6)
        assert (shifted - p).max() < exp(x) - 1


def test_no_transcript_tells_more_of_a_sent_bit_than_the_loss() -> None:
    """All transcripts of tiny rounds: sent in phase i or not yet, lengths and released sums; the largest log ratio.

    Two phases are over and a third is under way. The counts of the phases change by one where the bit was sent. The
    law of a transcript is the product of Pr[c - 1 < T + Lap(b) <= c], the density of the counter's noise (of
    `per-item`, whose draws are independent), and Pr[T + Lap(b) > c] for the phase under way.
    """
    b, epsilon, length = 3.0, 0.2, 10.0
    loss = 1 / b + epsilon

    def cdf(x: float) -> float:
        return exp(x / b) / 2 if x < 0 else 1 - exp(-x / b) / 2

    def law(counts: tuple[int, int, int], releases: tuple[float, float]) -> float:
        value = 1 - cdf(counts[2] - length)
        before = 0.0
        for count, release in zip(counts, releases, strict=False):
            value *= cdf(count - length) - cdf(count - 1 - length)
            value *= exp(-epsilon * abs(release - before - count)) * epsilon / 2
            before = release
        return value

    largest = 0.0
    for counts in product((2, 9, 10, 11, 25), repeat=3):
        for releases in product((-5.0, 8.0, 40.0), repeat=2):
            unsent = law(counts, releases)
            for phase in range(3):
                sent = law(tuple(c + (i == phase) for i, c in enumerate(counts)), releases)  # type: ignore[arg-type]
                largest = max(largest, abs(log(sent / unsent)))
    assert largest <= loss + 1e-9
    assert largest > 0.95 * loss


@pytest.mark.parametrize(("k", "kind"), [(256, "binary"), (4096, "binary"), (4096, "k-ary")])
def test_no_other_round_is_cheaper(k: int, kind: str) -> None:
    """A random search over the four numbers, with Chernoff's bound for the noise, finds nothing 2 % cheaper."""
    alpha, failure = 1 / sqrt(k), 1e-4
    found = tight_round(k, failure, alpha, kind)
    rng = np.random.default_rng(5)
    best = float("inf")
    for _ in range(800):
        phases = max(2, round(found.phases * exp(rng.normal(0, 0.7))))
        share = rng.uniform(0.3, 0.95)
        up, down = bounded_noise(kind, phases, np.array([share]), failure / 2)
        x = found.loss * exp(rng.normal(0, 0.3))
        length = found.phase_length * exp(rng.normal(0, 0.5))
        budget = (length + (up.item() + down.item()) / x + phases - 1) / 2 + k * tanh(x / 4)
        bits = phases * (length + 0.5)
        best = min(best, (bits + 2 * k) / log1p(alpha * bits / budget))
    assert found.words <= best * 1.02


def test_saves_what_it_should() -> None:
    """Words a growth factor against the paper's, both by formula; the measured ones are in the scenarios.

    At most 0.75 at k = 65,536, alpha = 1/256; at k = 16,384, alpha = 1/128 below the deterministic k / ln(1 + alpha).
    """
    for k, alpha in ((65536, 1 / 256), (16384, 1 / 128)):
        tight = tight_round(k, 6 * 0.05 / pi**2 / 16 / 8, alpha, "binary").words
        c = paper_constants(k, 0.05, 8)
        bits = c.phases * c.phase_length
        assert tight < 0.3 * (bits + 3 * k) / log1p(alpha * bits / c.divisor)
        assert tight < 0.3 * k / log1p(alpha)


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


def test_less_failure_costs_more_words() -> None:
    words = [tight_round(1024, failure, 1 / 32, "binary").words for failure in (0.1, 1e-2, 1e-4, 1e-8)]
    assert words == sorted(words)
    assert words[0] * e > words[-1]  # by a logarithm only
