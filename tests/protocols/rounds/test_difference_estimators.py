"""Difference estimators: the dyadic sum by hand, broadcasts, error and cost."""

from __future__ import annotations

from itertools import count, pairwise
from math import ceil, exp, log, log2, sqrt

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import Adversary, Drain, Freeze, RoundRobin, SingleSite
from disttrack.protocols import DifferenceEstimators
from disttrack.protocols.base import Message
from disttrack.protocols.rounds.difference_estimators import doubling
from disttrack.simulator import play

EVERYBODY: list[Adversary] = [RoundRobin(), Freeze(), Drain(), SingleSite()]


def test_division_of_a_doubling_by_hand() -> None:
    """alpha = 0.1: 2^5 = 32 blocks, as 2/alpha = 20; eta = 0.01 / 96; late = sqrt(100 ln(9600) / 2) = 21.4."""
    found = doubling(100, 0.1, 0.01)
    late = sqrt(100 * log(9600) / 2)
    assert found.levels == 5
    assert found.blocks == 32
    assert late == pytest.approx(21.41, abs=0.01)
    assert found.quota == int(late * (1 + sqrt(5)) / 2.2) == 31
    assert found.budget == pytest.approx(found.quota + late * (1 + sqrt(5)))
    # the blocks together are about a doubling: 2^levels quotas of alpha F / budget items
    assert 0.8 < found.blocks * found.quota * 0.1 / found.budget <= 1


@pytest.mark.parametrize(("k", "alpha"), [(1, 0.5), (7, 0.2), (100, 0.1), (5000, 0.01)])
def test_error_terms_fit_the_budget(k: int, alpha: float) -> None:
    """Lag, a late end and an output's error; a block of level 0 grows N by alpha F / 2 at most in the mean."""
    found = doubling(k, alpha, 1e-3)
    late = min(sqrt(k * log(3 * found.blocks / 1e-3) / 2), k)
    off = min(sqrt(found.levels) * sqrt(k * log(3 * found.blocks / 1e-3) / 2), found.levels * k)
    assert found.quota + late + off <= found.budget + 1e-9
    assert found.quota <= max(1, found.budget / 2)
    assert found.blocks >= 2 / alpha > found.blocks / 2


def test_doublings_share_delta() -> None:
    """What each doubling may fail with, worked out of its budget, adds up to delta: 1/r^2 does, 1/r does not."""
    protocol = DifferenceEstimators(alpha=0.1, delta=0.2)
    shares = []
    for number in range(1, 1000):
        found = protocol.doubling(400, number)
        late = (found.budget - found.quota) / (1 + sqrt(found.levels))
        shares.append(3 * found.blocks * exp(-2 * late**2 / 400))
    assert 0.99 * 0.2 < sum(shares) < 0.2


def test_outputs_are_sums_of_the_binary_digits() -> None:
    """Bits by hand: level j gets 10^j bits a block of level 0 beyond the quota, and the output must name its levels."""
    protocol = DifferenceEstimators(alpha=0.3)
    server = protocol.server(4, np.random.default_rng(0), [250_000] * 4)
    found = protocol.doubling(4, 1)
    size = int(0.3 * 1_000_000 / found.budget)
    assert found.levels == 3
    outputs = []
    for block in range(1, 8):
        for level in (1, 2):
            for _ in range(10**level):
                assert server.hear(0, Message("bit", level)) == ()
        for _ in range(found.quota - 1):
            assert server.hear(1, Message("bit", 0)) == ()
        assert server.hear(2, Message("bit", 0)) == ((-1, Message("block", block)),)
        outputs.append((float(server.output) - 1_000_000) / size)
    q = found.quota
    # 1 = 001, 2 = 010, 3 = 011, ...: level 0 counts q, level 1 two blocks of 10, level 2 four of 100
    assert outputs == [q, 20, 20 + q, 400, 400 + q, 420, 420 + q]
    for _ in range(q - 1):
        server.hear(3, Message("bit", 0))
    assert [message.kind for _, message in server.hear(3, Message("bit", 0))] == ["poll"]


@pytest.mark.parametrize("adversary", EVERYBODY, ids=lambda one: one.kind)
def test_a_broadcast_a_block(adversary: Adversary) -> None:
    """Each doubling has 2^l - 1 broadcasts to k sites between two polls, and each changes the output."""
    protocol = DifferenceEstimators(alpha=0.2)
    game = play(protocol, adversary, sites=9, items=60_000, seed=3, record=True)
    assert game.ok
    table = game.transcript
    begins = table.loc[(table["kind"] == "round") & (table["receiver"] == 0), "step"].tolist()
    blocks = table.loc[(table["kind"] == "block") & (table["receiver"] == 0), "step"].to_numpy()
    changes = game.outputs["step"].to_numpy()
    assert len(begins) > 4
    for begin, end in pairwise(begins):
        inside = blocks[(blocks > begin) & (blocks < end)]
        assert len(inside) == 2**4 - 1
        assert set(changes[(changes > begin) & (changes < end)]) <= set(inside)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", EVERYBODY, ids=lambda one: one.kind)
@pytest.mark.false_alarm(1e-6)
def test_holds(adversary: Adversary) -> None:
    """Failures beyond delta: false alarm 1e-6 (exact binomial). Measured: none, errors up to 0.4 alpha.

    Power: with a tenth of the bits (a budget ten times too small) errors are ten times as large, and all games fail.
    """
    protocol = DifferenceEstimators(alpha=0.2, delta=0.05)
    games = [play(protocol, adversary, sites=25, items=30_000, seed=seed) for seed in range(20)]
    assert sum(not game.ok for game in games) <= stats.binom.isf(1e-6, 20, 0.05)
    assert max(game.max_rel_error for game in games) > 0.02


def test_pays_at_least_k_over_alpha_a_doubling_and_no_more_than_the_bound() -> None:
    protocol = DifferenceEstimators(alpha=0.1)
    for k in (16, 128):
        game = play(protocol, RoundRobin(), sites=k, items=3 * 100_000, start=100_000, seed=0)
        assert game.words >= k / 0.1 * log2(4)
        assert game.words <= protocol.cost_bound(k, 3 * 100_000, 100_000)
    assert next(n for n in count(1) if 2**n >= 2 / 0.1) == ceil(log2(2 / 0.1)) == protocol.doubling(16, 1).levels


def test_late_signals_of_an_old_block_do_no_harm() -> None:
    """On one item, a site's bits of higher levels come before that of level 0, which may end their blocks."""
    protocol = DifferenceEstimators(alpha=0.3)
    site = protocol.sites(4, np.random.default_rng(1), [250_000] * 4)[0]
    found = 0
    for _ in range(4000):
        kinds = [message.value for message in site.take(site.quota() + 1)]
        assert kinds == sorted(kinds, reverse=True)
        found += len(kinds) > 1
        if found == 3:
            break
    size = int(0.3 * 1_000_000 / protocol.doubling(4, 1).budget)
    assert found or size > 4000
