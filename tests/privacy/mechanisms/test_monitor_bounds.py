"""The lower bounds for monitors and counters, exactly: halting chances are integrals, and each bound has a control.

The controls: streams at equal distances and at random in the place of the hard instance, monitors that are not private,
a book-keeping that forgets a part, noise so small that a counter is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from disttrack.mechanisms import Hybrid, Sparse, SparseInfinite
from disttrack.mechanisms.counters import Binary, Counter
from disttrack.privacy.mechanisms import CounterMonitor, ReleaseMonitor, SparseVectorMonitor, hard_instance
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting, HaltingTimes, HardInstance
from disttrack.privacy.mechanisms.monitors import quiet_cut

QUIET = 0.01
"""Probability with which a monitor may halt on the empty stream."""


def halting_bound(k: int, epsilon: float, delta: float, false_alarm: float) -> float:
    """Return what the probability of halting in time on the hard instance cannot exceed.

    exp(eps) (p0 + 2 k delta) / (1 - exp(eps) / 2), for an (eps, delta)-private monitor that halts on the
    zero stream with probability p0; infinity unless exp(eps) < 2.

    Source
    ------
    Section 2 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, with general epsilon (derived).
    """
    growth = math.exp(epsilon)
    if growth >= 2:
        return math.inf
    return growth * (false_alarm + 2 * k * delta) / (1 - growth / 2)


def quiet_monitor(k: int, epsilon: float) -> tuple[AboveThresholdHalting, HardInstance]:
    """Return the halting chances of a sparse-vector monitor that is quiet on zeros, and its hard instance."""
    monitor = SparseVectorMonitor(k, epsilon, horizon=2 ** (k + 1) - 2, false_alarm=QUIET)
    times = monitor.halting_times()
    return times, hard_instance(times, k)


def in_time(times: HaltingTimes, ones: Sequence[int]) -> float:
    """Return the chance that a monitor halts by the last of its ones."""
    return times.halting(ones, 1, ones[-1])


# ---------------------------------------------------------------------- Claim 1


@pytest.mark.parametrize("k", [3, 8, 20, 60])
def test_the_construction_adds_up_the_chance_to_halt_before_its_end(k: int) -> None:
    times, instance = quiet_monitor(k, 0.5)
    assert len(instance.ones) == k
    direct = times.halting(instance.ones, 1, instance.checked - 1)
    assert instance.halts_before == pytest.approx(direct, rel=1e-9)
    assert in_time(times, instance.ones) == pytest.approx(direct, rel=1e-9)
    # of another stream of k ones the same sum says nothing
    steps = instance.steps
    even = tuple(number * steps // k for number in range(1, k + 1))
    assert abs(in_time(times, even) - instance.halts_before) > 0.05 * instance.halts_before


def test_the_sum_without_the_left_halves_is_not_the_chance() -> None:
    """Where the ones go right, all of the left half is counted; forgetting it loses nearly everything."""
    times, instance = quiet_monitor(8, 0.5)
    forgetful = instance.halts_before - sum(left for left, right in instance.halves if left > right)
    assert forgetful < 0.5 * times.halting(instance.ones, 1, instance.checked - 1)


# ---------------------------------------------------------------------- Claim 2, Theorems 2.1 and 1.7


@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 8), (0.5, 20), (0.5, 60), (0.1, 8), (0.1, 60), (0.6, 40)])
def test_on_the_hard_instance_the_chance_to_halt_in_time_is_bounded(epsilon: float, k: int) -> None:
    times, instance = quiet_monitor(k, epsilon)
    assert times.halting((), 1, instance.steps) == pytest.approx(QUIET, rel=1e-3)
    assert instance.halts_before <= halting_bound(k, epsilon, 0.0, QUIET)


def test_at_equal_distances_and_at_random_the_same_monitor_halts_in_time() -> None:
    """The bound is the hard instance's own: with 60 ones elsewhere, in 2^61 steps, more than half of it is passed."""
    k = 60
    times, instance = quiet_monitor(k, 0.5)
    bound = halting_bound(k, 0.5, 0.0, QUIET)
    assert instance.halts_before < 0.02 < bound < 0.094
    even = tuple(number * instance.steps // k for number in range(1, k + 1))
    assert in_time(times, even) > 0.7 > 7 * bound
    rng = np.random.default_rng(1)
    streams = [sorted(int(step) for step in rng.integers(1, instance.steps, k)) for _ in range(20)]
    # 20 of 20 random streams are above 0.6: the least gap of uniform places varies, the last sums do not
    assert min(in_time(times, ones) for ones in streams) > 0.5


def test_a_monitor_that_is_not_private_passes_the_bound() -> None:
    """A test with ten times the epsilon, quiet on zeros, finds the hard instance of its own halting chances."""
    k, steps = 40, 2**41 - 2
    bold = SparseVectorMonitor(k, 5.0, cut=quiet_cut(5.0, steps, QUIET)).halting_times()
    instance = hard_instance(bold, k)
    assert bold.halting((), 1, steps) == pytest.approx(QUIET, rel=1e-3)
    assert instance.halts_before > halting_bound(k, 0.5, 0.0, QUIET)


def test_a_monitor_that_is_loud_on_zeros_passes_the_bound() -> None:
    loud = SparseVectorMonitor(8, 0.5, horizon=510, false_alarm=0.5).halting_times()
    assert hard_instance(loud, 8).halts_before > halting_bound(8, 0.5, 0.0, QUIET)


@pytest.mark.parametrize("k", [5, 11, 60])
def test_revealing_items_is_bounded_as_well_with_its_delta(k: int) -> None:
    """At delta = 1 / (100 k): the bound with delta, 0.28 at epsilon 1/2, is far above (0, delta)-privacy's own."""
    times = ReleaseMonitor(k, 1 / (100 * k))
    instance = hard_instance(times, k)
    assert instance.halts_before == pytest.approx(1 - (1 - times.delta) ** k, rel=1e-9)
    assert instance.halts_before <= halting_bound(k, 0.5, times.delta, QUIET) <= 0.5
    assert hard_instance(ReleaseMonitor(k, 0.3), k).halts_before > halting_bound(k, 0.5, times.delta, QUIET)


@pytest.mark.parametrize("k", [4, 8])
def test_at_half_the_logarithm_of_the_time_the_bound_is_below_one_half(k: int) -> None:
    """Theorem 1.7: epsilon 0.1, T = 2^(2k), zeros after the hard instance: the monitor errs with more than one half."""
    steps = 2 ** (2 * k)
    monitor = SparseVectorMonitor(k, 0.1, horizon=steps, false_alarm=QUIET)
    times = monitor.halting_times()
    instance = hard_instance(times, k)
    assert instance.steps <= steps
    right = in_time(times, instance.ones)  # at most: halts that come too early are in it
    assert right <= halting_bound(k, 0.1, 1 / (100 * k), QUIET) < 0.5
    bold = SparseVectorMonitor(k, 100.0).halting_times()
    assert in_time(bold, hard_instance(bold, k).ones) > 0.99


# ---------------------------------------------------------------------- Theorem 1.5


@pytest.mark.parametrize("cls", [Binary, Hybrid, Sparse, SparseInfinite])
def test_a_private_counter_of_few_items_errs_by_a_share_of_them(cls: type[Counter]) -> None:
    """n = log2(T) / 2 = 6 items in 4,096 steps at epsilon = 0.1: an error of n / 4 in more than half of the runs.

    It is seen in all of 40 runs; were its probability one half, fewer than 21 of 40 would be as likely as more, and all
    40 have probability 1e-12. With 10,000 times the epsilon no run errs so much.
    """
    steps, items = 1 << 12, 6
    stream = np.zeros(steps)
    stream[[number * steps // (items + 1) for number in range(1, items + 1)]] = 1
    truth, rng = np.cumsum(stream), np.random.default_rng(2)
    shares = {}
    for epsilon in (0.1, 1000.0):
        counter = cls(epsilon=epsilon, horizon=steps)
        errors = [np.abs(counter.start(rng).release(stream) - truth).max() for _ in range(40)]
        shares[epsilon] = float(np.mean(np.array(errors) >= items / 4))
    assert shares[0.1] == 1.0
    assert shares[1000.0] == 0.0


def test_a_counter_makes_a_monitor() -> None:
    """The reduction: a counter that errs by less than k / 4 answers top between k / 2 and k ones, and one that errs by
    k / 2 does not."""
    ones, k = tuple(range(3, 40, 3)), 12
    good = CounterMonitor(k, 1e6, 64).halt(ones, 64, np.random.default_rng(0))
    assert good is not None
    assert k / 2 <= sum(one <= good for one in ones) <= k
    late = CounterMonitor(k, 1e6, 64, cut=0.75 * k + k / 2).halt(ones, 64, np.random.default_rng(0))
    assert late is None or sum(one <= late for one in ones) > k


# ---------------------------------------------------------------------- Observation 1.8


@pytest.mark.parametrize(("steps", "beta"), [(1 << 12, 0.01), (1 << 20, 0.05)])
def test_sparse_vectors_are_right_from_the_stated_threshold_on(steps: int, beta: float) -> None:
    """Exact chances of the two errors, at k = (8 / eps) ln(2 / beta) + (16 / eps) ln(2 T / beta), on the worst streams.

    Halting early is likeliest if k / 2 - 1 ones come at once and stay, halting late if the k-th comes as early as it
    can. A tenth of the threshold fails.
    """
    epsilon = 1.0
    stated = 8 / epsilon * math.log(2 / beta) + 16 / epsilon * math.log(2 * steps / beta)
    for k, holds in ((math.ceil(stated), True), (math.ceil(stated / 10), False)):
        times = AboveThresholdHalting(SparseVectorMonitor(k, epsilon).test(), most_ones=k)
        few = tuple(range(1, math.ceil(k / 2)))
        early = times.halting(few, 1, steps)
        many = tuple(range(1, k + 1))
        late = 1 - times.halting(many, 1, k)
        assert (early + late <= beta) == holds


@pytest.mark.parametrize("delta", [0.1, 0.01])
def test_revealing_is_right_from_the_order_of_one_over_delta_on(delta: float) -> None:
    """k = 60 / delta, whatever the time: exact binomial chances. At 3 / delta it is wrong more often than not."""
    for factor, holds in ((60, True), (3, False)):
        k = round(factor / delta)
        monitor = ReleaseMonitor(k, delta)
        ones = tuple(range(1, k + 1))
        early = monitor.halting(ones, 1, math.ceil(k / 2) - 1)
        late = 1 - monitor.halting(ones, 1, k)
        assert (early + late < 0.1) == holds
