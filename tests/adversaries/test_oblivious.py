"""Oblivious workloads: their laws, their sizes, and that they are functions of the seed alone.

Each chi-square test has a false-alarm rate of 1e-6 (`scipy.stats.chi2.isf`; its seed is fixed) and says
which wrong law it would find out: the one whose non-centrality is far above the limit.
"""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import Adversary, Bursts, Labels, Runs, Uniform, View, Zipf
from disttrack.adversaries.contents.items import MOST_DRAWN, DrawnItems, HeavyItem, UniformItems, ZipfItems
from disttrack.adversaries.oblivious import CHUNK, alias_table

ALARM = 1e-6


def view(sites: int, items: int, seed: int = 1) -> View:
    return View(sites=sites, items=items, rng=np.random.default_rng(seed))


def chi_square(observed: Any, expected: Any) -> tuple[float, float]:
    """Return the statistic and the value that it exceeds with probability `ALARM` if the law is right."""
    observed, expected = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    assert observed.sum() == pytest.approx(expected.sum())
    assert expected.min() >= 5
    return float(((observed - expected) ** 2 / expected).sum()), float(stats.chi2.isf(ALARM, len(expected) - 1))


def counts_of(adversary: Adversary, sites: int, items: int) -> Any:
    """Return the items that each site gets in a game, plan after plan."""
    seen = view(sites, items)
    total = np.zeros(sites, dtype=np.int64)
    while seen.left:
        plan = adversary.plan(seen)
        assert plan is not None
        step = min(plan.length, seen.left)
        total += [plan.count(site, step) for site in range(sites)]
        seen.record(sent=seen.sent + step)
        seen.record(steps=seen.steps + step)
    return total


@pytest.mark.parametrize("sites", [7, 70_000])
@pytest.mark.false_alarm(1e-6)
def test_uniform_feeds_all_sites_alike(sites: int) -> None:
    """Would find a site with 10 % more than its share at 7 sites (non-centrality 3,333; limit 38)."""
    items = 2_000_000
    found, limit = chi_square(counts_of(Uniform(), sites, items), np.full(sites, items / sites))
    assert found < limit


@pytest.mark.false_alarm(1e-6)
def test_uniform_draws_each_item_apart() -> None:
    """Pairs of neighbours are uniform over all pairs; a plan that repeats or deals out in turn is not."""
    plan = Uniform().plan(view(6, CHUNK))
    assert isinstance(plan, Labels)
    pairs = plan.labels[0::2].astype(int) * 6 + plan.labels[1::2]
    found, limit = chi_square(np.bincount(pairs, minlength=36), np.full(36, CHUNK / 2 / 36))
    assert found < limit


@pytest.mark.parametrize("exponent", [0, 0.5, 1.1, 3.0])
@pytest.mark.parametrize("sites", [2, 50])
@pytest.mark.false_alarm(1e-6)
def test_zipf_has_its_law(sites: int, exponent: float) -> None:
    """Would find exponent 1.11 instead of 1.1 at 50 sites (non-centrality 312; limit 111)."""
    items = 2_000_000
    weights = np.arange(1, sites + 1) ** -float(exponent)
    expected = items * weights / weights.sum()
    observed = counts_of(Zipf(exponent=exponent), sites, items)
    found, limit = chi_square(observed, expected)
    assert found < limit


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000, 70_000])
@pytest.mark.parametrize("shape", ["zipf", "flat", "random", "zeros", "one heavy"])
def test_alias_tables_hold_the_probabilities_exactly(size: int, shape: str) -> None:
    """The probability of i is what its own cell leaves it and what the cells give it whose alias it is."""
    rng = np.random.default_rng(size)
    weights = {
        "zipf": np.arange(1, size + 1) ** -1.1,
        "flat": np.full(size, 0.1),
        "random": rng.random(size) ** 4 + 1e-12,
        "zeros": np.where(np.arange(size) % 2, 0.0, rng.random(size) + 0.1),
        "one heavy": np.where(np.arange(size) == size // 2, 1e6, 1.0),
    }[shape]
    threshold, alias = alias_table(weights)
    threshold = np.clip(threshold, 0, 1)
    held = threshold + np.bincount(alias, weights=1 - threshold, minlength=size)
    assert np.allclose(held / size, weights / weights.sum(), rtol=1e-9, atol=1e-13)


def run_lengths(adversary: Bursts, runs: int, sites: int = 40) -> Any:
    found: list[Any] = []
    seen = view(sites, 10**15)
    while sum(map(len, found)) < runs:
        plan = adversary.plan(seen)
        assert isinstance(plan, Runs)
        found.append(plan.lengths)
    return np.concatenate(found)[:runs]


@pytest.mark.false_alarm(1e-6)
def test_geometric_bursts_have_their_law() -> None:
    """Pr[length = n] = (1 - 1/m)^(n-1)/m. Would find mean 4.1 instead of 4 (non-centrality 166; limit 72)."""
    lengths = run_lengths(Bursts(mean=4), 200_000)
    cells = 25
    law = stats.geom(1 / 4)
    expected = np.append(law.pmf(np.arange(1, cells)), law.sf(cells - 1)) * len(lengths)
    found, limit = chi_square(np.bincount(np.minimum(lengths, cells))[1:], expected)
    assert found < limit


@pytest.mark.false_alarm(1e-6)
def test_heavy_bursts_have_their_law() -> None:
    """Pr[1 + floor(Y + U) > n] for Lomax Y of scale (mean - 1)/2 and U uniform, by quadrature.

    Would find tail index 1.6 instead of 1.5 (non-centrality 755; limit 64).
    """
    mean = 5
    lengths = run_lengths(Bursts(mean=mean, law="heavy"), 200_000)
    scale = (mean - 1) / 2
    uniform = (np.arange(2000) + 0.5) / 2000
    cells = 20
    beyond = [np.mean((1 + np.maximum(n - uniform, 0) / scale) ** -1.5) for n in range(1, cells)]
    expected = -np.diff([1.0, *beyond, 0.0]) * len(lengths)
    found, limit = chi_square(np.bincount(np.minimum(lengths, cells))[1:], expected)
    assert found < limit


@pytest.mark.parametrize("law", ["geometric", "constant", "heavy"])
@pytest.mark.parametrize("mean", [1, 1000])
@pytest.mark.parametrize("items", [1, 17, 5000])
def test_bursts_cover_any_game(law: Any, mean: float, items: int) -> None:
    assert counts_of(Bursts(mean=mean, law=law), 8, items).sum() == items


def test_bursts_longer_than_63_bits_in_sum_are_cut_to_the_game() -> None:
    plan = Bursts(mean=1e30).plan(view(3, 2**61))
    assert plan.length >= 2**61
    assert plan.step_of(2**61) == 2**61


RANDOM = [Uniform(), Zipf(), Bursts(), Bursts(law="heavy")]


@pytest.mark.parametrize("adversary", RANDOM, ids=str)
def test_a_plan_takes_bounded_memory(adversary: Adversary) -> None:
    """At most 40 bytes a label at the peak, the index included, whatever the length of the game."""
    seen = view(100, 10**12)
    adversary.plan(seen)
    tracemalloc.start()
    plan = adversary.plan(seen)
    assert plan is not None
    plan.count(99, plan.length)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * CHUNK


@pytest.mark.parametrize("kind", [ZipfItems, UniformItems, HeavyItem])
def test_a_domain_whose_table_does_not_fit_is_refused(kind: type[DrawnItems]) -> None:
    assert kind(domain=MOST_DRAWN).domain == MOST_DRAWN
    with pytest.raises(ValueError, match=r"^domain must be at most 67,108,864 for items that are drawn; got"):
        kind(domain=MOST_DRAWN + 1)
