"""Private copies: the median, the budget, and what the framework cannot hide here."""

from __future__ import annotations

from math import ceil, exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.protocols import Deterministic, PrivateCopies
from disttrack.protocols.sampling.private_copies import MOST_POINTS
from disttrack.simulator import play


def test_budget_by_hand() -> None:
    """alpha = 0.1, up to a million: lambda = 285; epsilon = 1 leaves 1 / sqrt(8 · 285 · ln 20) = 0.0121 a change."""
    protocol = PrivateCopies(alpha=0.1, epsilon=1.0, largest=1e6)
    assert protocol.changes() == 285
    assert protocol.loss() == pytest.approx(1 / sqrt(8 * 285 * log(20)), rel=1e-12)
    # 8 ln(2 · 2^20 · 285 / 0.05) / 0.35 over the loss
    assert protocol.copies() == ceil(8 * log(2**21 * 285 / 0.05) / 0.35 / protocol.loss()) == 43_834


def test_copies_grow_like_the_root_of_the_changes() -> None:
    few, many = PrivateCopies(alpha=0.2, epsilon=1.0), PrivateCopies(alpha=0.002, epsilon=1.0)
    growth = many.changes() / few.changes()
    assert growth > 90
    assert sqrt(growth) < many.copies() / few.copies() < 1.25 * sqrt(growth)
    assert PrivateCopies(alpha=0.1).copies() == ceil(4 * sqrt(PrivateCopies(alpha=0.1).changes()))


@pytest.mark.parametrize("most", [MOST_POINTS, 10])
@pytest.mark.false_alarm(1e-6)
def test_median_follows_the_exponential_mechanism(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Five copies on a grid: weights exp(-loss · rank distance / 2), chi-square over 4,000 draws, false alarm 1e-6.

    Also where the grid is too long to be gone through point by point. Power: with the loss doubled the statistic is
    above 400.
    """
    monkeypatch.setattr("disttrack.protocols.sampling.private_copies.MOST_POINTS", most)
    protocol = PrivateCopies(alpha=0.5, epsilon=None, largest=1e6)
    server: Any = protocol.server(3, np.random.default_rng(7))
    server._loss = 1.0
    step = server._step
    places = np.array([10, 20, 20, 30, 40])
    drawn = np.array([server._median(np.exp(places * step)) for _ in range(4000)])
    got = np.rint(np.log(drawn) / step).astype(int)
    grid = np.arange(ceil(log(2**63) / step))
    below = (places[:, None] < grid).sum(axis=0)
    up_to = (places[:, None] <= grid).sum(axis=0)
    weights = np.exp(-np.maximum(0, np.maximum(below - 2.5, 2.5 - up_to)) / 2)
    # some places are drawn about once: put together what has the same weight, and what is before 20 apart
    classes = np.unique(np.stack([weights, grid < 20]), axis=1, return_inverse=True)[1].ravel()
    expected = np.bincount(classes, weights=weights / weights.sum() * 4000)
    observed = np.bincount(classes, weights=np.bincount(got, minlength=len(grid)).astype(float))
    assert stats.chisquare(observed, expected).pvalue > 1e-6


def test_median_of_copies_that_agree_is_what_they_say() -> None:
    """All at 12,345: the output is its place on the grid, within a step of 1 + alpha/10, but with probability 1e-9."""
    protocol = PrivateCopies(alpha=0.2)
    server: Any = protocol.server(3, np.random.default_rng(1))
    assert protocol.loss() * protocol.copies() / 4 > log(1e9 * 5000 / 1e4)
    for _ in range(50):
        assert server._median(np.full(protocol.copies(), 12_345)) == pytest.approx(12_345, rel=0.0101)


def test_whoever_watches_knows_that_the_site_fed_last_has_sent() -> None:
    """The framework's failure: at each change of the output a report came from the very site that was fed."""
    game = play(PrivateCopies(alpha=0.3), RoundRobin(), sites=7, items=15_000, seed=2, record=True)
    table = game.transcript
    reports = set(zip(*(table.loc[table["kind"] == "report", key] for key in ("step", "sender")), strict=True))
    changes = [step for step in game.outputs["step"] if step > 0]
    assert len(changes) > 30
    assert all((step, (step - 1) % 7) in reports for step in changes)
    silent = set(range(1, 15_001)) - {step for step, _ in reports}
    assert len(silent) > 1000  # so it tells something: there are many steps without a report
    assert PrivateCopies(alpha=0.3).guarantee == "none"


@pytest.mark.slow
def test_tracks_within_alpha_on_streams_that_do_not_react() -> None:
    """No guarantee, but it works: errors below alpha in each of four games; the number of changes is provided for."""
    protocol = PrivateCopies(alpha=0.3, largest=30_000)
    for seed in range(4):
        game = play(protocol, RoundRobin(), sites=7, items=15_000, seed=seed)
        assert game.ok
        assert log(15_000) / log(1.3) - 2 < game.output_changes <= protocol.changes()


def test_stops_after_the_changes_provided_for() -> None:
    game = play(PrivateCopies(alpha=0.3, largest=100), RoundRobin(), sites=3, items=5000, seed=0)
    assert game.output_changes <= PrivateCopies(alpha=0.3, largest=100).changes()
    assert not game.ok


def test_costs_more_than_the_deterministic_tracker() -> None:
    options: dict[str, Any] = {"sites": 64, "items": 20_000, "seed": 1}
    private = play(PrivateCopies(alpha=0.3, largest=20_000), Freeze(), **options).words
    assert private > 2 * play(Deterministic(alpha=0.3), Freeze(), **options).words
    assert private < PrivateCopies(alpha=0.3, largest=20_000).cost_bound(64, 20_000)


@pytest.mark.parametrize(
    ("given", "said"), [({"epsilon": 0}, "epsilon"), ({"epsilon": "1"}, "epsilon"), ({"largest": 1}, "largest")]
)
def test_refuses_nonsense(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PrivateCopies(alpha=0.1, **given)


def test_epsilon_is_spent_as_the_composition_allows() -> None:
    """Advanced composition of lambda losses at delta: sqrt(2 lambda ln(1/delta)) loss (1 + …) is within epsilon."""
    protocol = PrivateCopies(alpha=0.1, epsilon=1.0)
    changes, loss = protocol.changes(), protocol.loss()
    # each change spends the loss twice, on the test and on the median
    spent = sqrt(2 * 2 * changes * log(1 / protocol.delta)) * loss + 2 * changes * loss * (exp(loss) - 1)
    assert spent <= protocol.epsilon
