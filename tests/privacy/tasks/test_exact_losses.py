"""Exact privacy losses: from the running code, equal to what is known in closed form, doubled by half of the noise.

Nothing here is drawn: the controls are copies of each mechanism with a part of its noise, whose loss must be above what
is proved of the right one.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest
from planted_faults import ExactMemory
from scipy import integrate, stats

from disttrack.mechanisms import Binary, SquareRoot
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.privacy.mechanisms import MECHANISMS, Learner, PerturbedLeader
from disttrack.privacy.tasks.audit import Exact, exact_loss, loss_with_half_the_noise
from disttrack.privacy.tasks.audit.exact_losses import (
    MeasuredTest,
    chances,
    distance,
    halting_loss,
    least_shift,
    linear_loss,
    log_chance,
    loss_between,
    measured_test,
    normal_loss,
)
from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.privacy.tasks.audit.task import Audit
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import parameters

ELSEWHERE = {"jdp-mirror", *(kind for kind, one in MECHANISMS.items() if issubclass(one, Learner))}
"""Mirror and learners have exact audits of their own: test_enumerated_laws.py, scenario joint-privacy."""
ON_ALL_STREAMS = {"clock-monitor", "exact-monitor"}
"""Their exact losses on all pairs of neighbouring streams: tests/privacy/mechanisms/test_best_monitors.py."""
MECHANISMS = [name for name in Audit.kinds("protocol") if name not in ELSEWHERE]
BY_RUNS = {"counter-monitor", "pmw", "growing-sparse"}
"""Mechanisms whose loss only runs can tell; see docs/audits.md for the last two."""
ENDLESS = {"unbounded"}  # its claim is for streams without end, and short ones lose less
ENDED_BY_TIME = {"growing-sparse-infinite", "fully-dynamic", "inserted-minus-deleted"}  # their partitions lose nothing
GENEROUS = {"sparse", "sparse-infinite", "sorted-queries", "private-partition", "sparse-vector-monitor"}
"""Sums of one stream all move the same way, for which a sparse-vector test loses half of its epsilon."""
ONE_OF_SEVERAL = {"sparse-vector-queries", "continual-output", "perturbed-leader"}
"""Their budget is for more answers than the inputs ask for."""


SHORTER = {"perturbed-leader": {"horizon": 30}}
"""Parameters beside the usual ones, with which runs take a third of the time."""


def made(name: str) -> Any:
    """Return a mechanism with the parameters under which the audit takes it."""
    cls = Audit.kinds("protocol")[name].load()
    return cls(**usual(name, list(parameters(cls))) | SHORTER.get(name, {}))


@cache
def loss_of(name: str) -> Exact | None:
    """Return the exact loss of a shipped mechanism."""
    return exact_loss(made(name))


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("name", [name for name in MECHANISMS if name not in BY_RUNS])
def test_half_of_the_noise_is_caught_and_all_of_it_stands(name: str) -> None:
    mechanism = made(name)
    found = loss_of(name)
    assert found is not None
    assert found.loss <= found.proved + 1e-6
    if found.proved:
        # classical calibration; one choice's tail
        tight = {"square-root": 0.78, "blt": 0.78, "gaussian-tree": 0.78, "perturbed-leader": 0.83}
        assert found.loss >= tight.get(name, 1 - 1e-4) * found.proved
    halved = loss_with_half_the_noise(mechanism)
    assert halved is not None
    assert halved > 1.5 * found.proved


def test_there_is_something_to_compute() -> None:
    assert len(MECHANISMS) >= 24
    found = {name: loss_of(name) for name in MECHANISMS}
    left = {name for name, exact in found.items() if exact is None}
    assert left == BY_RUNS, "enter new mechanisms in privacy/tasks/audit, or here if runs catch them"
    generous = {name for name, exact in found.items() if exact is not None and _claim(name) > 1.3 * exact.proved}
    assert generous == GENEROUS | ONE_OF_SEVERAL | ENDED_BY_TIME | ENDLESS


def test_the_scenario_audit_plays_whatever_has_an_audit() -> None:
    """A new mechanism is entered there too, so that its loss is compared with what is proved, from both sides."""
    played = {point.protocol.label for point, _ in load("audit").played}
    assert played == set(MECHANISMS) - ON_ALL_STREAMS


def _claim(name: str) -> float:
    mechanism = made(name)
    return float(getattr(mechanism, "epsilon", 0.0)) * (3 if name == "continual-output" else 1)


# ---------------------------------------------------------------------- linear mechanisms


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("kind", ["square-root", "binary", "smooth-binary", "fresh", "per-item", "two-level", "blt"])
@pytest.mark.parametrize(("participations", "separation"), [(2, 1), (2, 3), (3, 2)])
def test_all_entries_of_a_user_are_hidden(kind: str, participations: int, separation: int) -> None:
    """The worst of all users loses the claim, more with half of the noise, and more with the noise for one entry."""
    rules = counter(kind, 1.0, 5, participations=participations, separation=separation)
    found, halved = exact_loss(rules), loss_with_half_the_noise(rules)
    assert found is not None
    assert halved is not None
    normal = rules.privacy == "approximate"
    assert found.loss == pytest.approx(0.783672 if normal else 1.0, rel=1e-6)  # the classical calibration is generous
    assert halved > 1.5
    for_one = counter(kind, 1.0, 5)

    def of_one(stream: Any, rng: Any) -> Any:
        return for_one.start(rng).release(stream)

    together = np.zeros(5)
    together[: participations * separation : separation] = 1
    loss = linear_loss(of_one, [np.zeros(5), together], 1e-6 if normal else 0.0)
    assert loss is not None
    assert loss > 1.2 * found.loss
    if kind in ("per-item", "smooth-binary"):
        assert loss == pytest.approx(participations)  # group privacy, with nothing to spare


def test_a_shift_that_several_draws_can_make_is_the_cheapest() -> None:
    """Moved by 1 where a draw of scale 1 and one of scale 4 add up: a quarter."""
    assert least_shift(np.array([[1.0, 4.0]]), np.array([1.0])) == pytest.approx(0.25)
    assert least_shift(np.eye(2), np.array([1.0, -2.0])) == pytest.approx(3.0)
    assert least_shift(np.array([[1.0], [1.0]]), np.array([1.0, 0.0])) == inf
    assert distance(np.array([[3.0, 4.0]]), np.array([1.0])) == pytest.approx(0.2)
    assert distance(np.array([[1.0], [1.0]]), np.array([1.0, 0.0])) == inf


def test_normal_noise_loses_what_its_calibration_says() -> None:
    for epsilon, delta in ((0.5, 1e-6), (2.0, 1e-3)):
        sigma = noise_multiplier(epsilon, delta, "exact")
        assert normal_loss(1 / sigma, delta) == pytest.approx(epsilon, abs=1e-9)
    exact = SquareRoot(1.0, 8, calibration="exact")
    found = exact_loss(exact)
    assert found is not None
    assert found.loss == pytest.approx(1.0, abs=1e-6)


def test_a_counter_with_a_level_too_few_is_refuted() -> None:
    found = exact_loss(Binary(1.0, 8, literal=True))
    assert found is not None
    assert found.loss == pytest.approx(4 / 3)


def test_losses_of_releases_of_the_same_data_add_up_and_of_disjoint_data_the_largest_counts() -> None:
    """Three releases of losses 1, 1/2 and 1/4: of the same item, and each of an item of its own."""
    scales = (1.0, 2.0, 4.0)

    def same(neighbour: int, rng: Any) -> list[float]:
        return [(neighbour > 0) + rng.laplace(0.0, scale) for scale in scales]

    def disjoint(neighbour: int, rng: Any) -> list[float]:
        return [(neighbour == place) + rng.laplace(0.0, scale) for place, scale in enumerate(scales, 1)]

    assert linear_loss(same, range(2)) == pytest.approx(1.75)
    assert linear_loss(disjoint, range(4)) == pytest.approx(1.0)


def test_a_changed_item_costs_what_two_items_do() -> None:
    """Qiu, Yi 2022, section 2: neighbours by a change are two neighbours by an insertion or a deletion apart."""

    def histogram(data: list[tuple[int, int]]) -> Any:
        return lambda place, rng: [count + rng.laplace(0.0, 1.0) for count in data[place]]

    assert linear_loss(histogram([(1, 0), (0, 0)]), range(2)) == pytest.approx(1.0)
    assert linear_loss(histogram([(1, 0), (0, 1)]), range(2)) == pytest.approx(2.0)
    for epsilon, shift in itertools.product((0.1, 1.0, 3.0), (0.1, 1.0, 2.0)):  # normal noise: exact deltas
        delta, changed = normal_delta(shift, epsilon), normal_delta(math.sqrt(2) * shift, 2 * epsilon)
        assert changed <= 2 * math.exp(2 * epsilon) * delta
        assert normal_delta(math.sqrt(2) * shift, epsilon) > delta  # one epsilon is not enough


def normal_delta(shift: float, epsilon: float) -> float:
    """Return the least delta of normal noise of deviation 1 that hides a shift: Balle, Wang 2018, theorem 8."""
    above, below = (stats.norm.cdf(sign * shift / 2 - epsilon / shift) for sign in (1, -1))
    return float(above - math.exp(epsilon) * below)


def test_noise_that_decides_how_much_is_released_is_not_linear() -> None:
    """As ten times the noise of a partition, which ends segments elsewhere: None, and no error of arrays."""
    assert linear_loss(lambda moved, rng: [0.0] * (1 + (rng.laplace(0.0, 1.0) > 0.5)), range(2)) is None
    assert linear_loss(lambda moved, rng: [0.0] * (1 + moved), range(2)) is None


def test_what_is_not_linear_is_not_taken_for_it() -> None:
    assert linear_loss(lambda moved, rng: [abs(moved + rng.laplace(0.0, 1.0))], range(2)) is None


def test_one_look_into_a_memory_without_noise_is_seen() -> None:
    found = exact_loss(ExactMemory(1.0, 8))
    assert found is not None
    assert found.loss == inf


# ---------------------------------------------------------------------- coins


def test_every_fall_of_the_coins_is_played_once() -> None:
    def sum_of_three(rng: Any) -> list[float]:
        return [float(sum(rng.random(3) < 0.2)) if rng.random() < 0.5 else -1.0]

    found = chances(sum_of_three)
    expected = {(-1.0,): 0.5, **{(float(n),): 0.5 * float(stats.binom.pmf(n, 3, 0.2)) for n in range(4)}}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.2])
def test_the_loss_between_two_distributions_is_that_over_all_events(delta: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(5), 2)
        loss = loss_between(dict(enumerate_tuples(p)), dict(enumerate_tuples(q)), delta)
        events = [[place for place in range(5) if bits >> place & 1] for bits in range(1, 32)]
        most = max(
            log((p[event].sum() - delta) / q[event].sum()) if p[event].sum() > delta else -inf for event in events
        )
        assert loss == pytest.approx(max(0.0, most), abs=1e-9)


def enumerate_tuples(values: Any) -> list[tuple[tuple[float, ...], float]]:
    """Return the probabilities with outcomes that are tuples of one number."""
    return [((float(place),), float(value)) for place, value in enumerate(values)]


# ---------------------------------------------------------------------- halting


def test_chances_of_a_test_meet_plain_integration() -> None:
    test = MeasuredTest(2.5, 2.0, 4.0)
    hidden, shown = stats.laplace(2.5, 2.0), stats.laplace(scale=4.0)

    def silent_then_fires(level: float) -> float:
        return float(hidden.pdf(level) * shown.cdf(level - 1) ** 3 * shown.cdf(level - 2) * shown.sf(level - 4))

    slow = integrate.quad(silent_then_fires, -60, 80, points=[1, 2, 2.5, 4], limit=400)[0]
    assert exp(log_chance(test, [(1.0, 3), (2.0, 1)], 4.0)) == pytest.approx(slow, rel=1e-9)


def test_a_test_is_measured_on_the_running_code() -> None:
    def fires(values: Any, rng: Any) -> list[float]:
        level = 3.0 + rng.laplace(0.0, 2.0)
        return [float(values[0] + rng.laplace(0.0, 5.0) > level)]

    assert measured_test(fires, 3.0) == pytest.approx((3.0, 2.0, 5.0), rel=1e-6)
    assert measured_test(lambda values, rng: [values[0] > rng.laplace(0.0, 1.0)], 3.0) is None  # the query has no noise
    assert halting_loss(None) == halting_loss(None, fires=True) == inf


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_silence_loses_the_thresholds_noise_and_firing_all(scale: float) -> None:
    test = MeasuredTest(10.0, scale, 2 * scale)
    assert halting_loss(test) == pytest.approx(1 / scale, rel=1e-6)
    assert halting_loss(test, fires=True) == pytest.approx(2 / scale, rel=1e-6)


# ---------------------------------------------------------------------- the rest


def test_without_noise_in_its_counters_a_leader_hides_a_cost_by_its_head_starts() -> None:
    """Their difference is more than the lead with a chance that falls by e^rate for each cost."""
    loss = exact_loss(PerturbedLeader(2, 8, rate=0.25, epsilon=1e4))
    assert loss is not None
    assert loss.loss == pytest.approx(0.25, abs=1e-6)


def test_a_choice_is_a_tail_of_a_sum() -> None:
    """Two rounds, two counters of three draws of scale 1 each: a head start of mean 1e-9 plays no part.

    Of 400,000 sums a third exceed 1 and a quarter 2: the logarithm of the ratio has a standard deviation of 0.002.
    """
    sums = np.random.default_rng(1).laplace(0, 1, (400_000, 6)).sum(axis=1)
    expected = log(np.mean(sums > 1) / np.mean(sums > 2))
    exact = exact_loss(PerturbedLeader(2, 2, rate=1e9, epsilon=3.0))
    assert exact is not None
    assert exact.loss == pytest.approx(expected, abs=0.01)
