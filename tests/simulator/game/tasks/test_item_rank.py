"""The task `item-rank`: against a plain reference item by item, `step` as `leap`, nodes and their errors, quantiles."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from itertools import product
from math import log2
from typing import Any, Final

import numpy as np
import pytest
from plain_contents import as_plain, errors_in_order, largest_rank, reference

from disttrack.adversaries.contents import DrainItem, FreezeItem, RankDrift, SamplingAttack, UniformItems, ZipfItems
from disttrack.protocols.contents import FrequencySample, ItemSample, RankDeterministic, RankRandomized
from disttrack.simulator.game.contents import representative
from disttrack.simulator.game.tasks.contents.task import RankGame, SampleGame
from disttrack.simulator.game.tasks.duel import play_duel

TRACKERS: Final = (
    RankDeterministic(alpha=0.9),
    RankDeterministic(alpha=0.5),
    RankRandomized(alpha=0.5, strength=0.6),
    FrequencySample(alpha=0.2, strength=2),
)
ADVERSARIES: Final = (
    ZipfItems(domain=9),
    ZipfItems(domain=20, period=37),
    UniformItems(domain=1),
    RankDrift(domain=60),
    FreezeItem(items=3),
    DrainItem(patience=0.3),
    SamplingAttack(bits=12),
)


@pytest.mark.parametrize(
    ("tracker", "adversary"),
    [(one, two) for place, one in enumerate(TRACKERS) for two in ADVERSARIES[place % 3 :: 3]],
    ids=lambda one: f"{one.kind}-{getattr(one, 'period', '')}",
)
def test_the_largest_error_and_the_words_are_those_of_a_plain_game(tracker: Any, adversary: Any) -> None:
    """Also that the promise of `rank-deterministic` is kept, and that blocks are merged."""
    for k, items in ((1, 90), (5, 450)):
        plain, record, _ = as_plain(RankGame(), tracker, adversary, largest_rank, k, items)
        assert tracker.kind != "rank-deterministic" or record.ok
        assert plain.changes > 10
        assert tracker.kind == "frequency-sample" or plain.sent["summary"] > 5


@pytest.mark.parametrize(
    ("task", "tracker"),
    [
        (RankGame(), RankDeterministic(alpha=0.3)),
        (RankGame(), RankRandomized(alpha=0.5, strength=0.6)),
        (RankGame(), FrequencySample(alpha=0.2, strength=0.01)),
        (SampleGame(), ItemSample(alpha=0.5, size=1)),
        (SampleGame(), ItemSample(alpha=0.3, size=30)),
    ],
)
def test_no_step_that_is_passed_over_is_the_worst(task: Any, tracker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound on the growth of errors: the worst step and the rows are those of looking at all items in each step.

    Also that most steps are passed over, and that an error is met that is no larger than the worst one by then.
    """
    looked = list[int]()
    error_of = representative.error_of

    def noted(stream: Any, sample: Any, step: int, size: Any) -> float:
        looked.append(step)
        return float(error_of(stream, sample, step, size))

    monkeypatch.setattr(representative, "error_of", noted)
    steps = not_worst = 0
    for k, items, adversary in product((1, 6), (1, 700), (*ADVERSARIES, UniformItems(domain=900))):
        looked.clear()
        game = task.match(tracker, adversary, {"sites": k, "items": items}, seed=items)
        row, errors = game.problem.row(), errors_in_order(game.problem)
        assert row["max_rel_error"] == max(errors)
        assert row["worst_step"] == (errors.index(max(errors)) + 1 if max(errors) else 0)
        not_worst += any(errors[step - 1] <= max(errors[: step - 1]) for step in looked[1:])
        steps += items - len(looked)
        assert game.series["rel_error"] == [errors[step - 1] for step in game.series["step"]]
    assert steps > 4000
    assert not_worst > 3


def test_the_error_as_it_is_compiled_is_the_largest_quotient() -> None:
    """Bit by bit: shares that are equal but for rounding, samples as large as the stream, smaller and below 0, none."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        stream = rng.integers(0, rng.choice([2, 10, 2**16]), rng.integers(1, 60)).astype(float)
        near = stream * rng.integers(1, 4), np.clip(stream + rng.integers(-2, 3, len(stream)), 0, None), stream[::-1]
        for sample in (*near, rng.integers(-5, 9, len(stream)) * 1.0):
            step = int(stream.sum()) or 1
            for size in (int(sample.sum()) or 1, step, 0):
                with np.errstate(all="ignore"):
                    error = representative.error_of(stream, sample, step, np.int64(size))
                by_loop = representative.error_by_loop(stream, sample, step, size)
                assert by_loop == error if size else np.isnan(by_loop)


def test_a_tracker_with_too_few_blocks_fails() -> None:
    """The promise can be broken: with blocks ten times too large it is."""

    class Careless(RankDeterministic):
        kind = "careless"

        def blocks(self, k: int) -> float:
            return super().blocks(k) / 10

    sizes = {"sites": 5, "items": 700}
    assert RankGame().game(RankDeterministic(alpha=0.5), RankDrift(), sizes).ok
    assert not RankGame().game(Careless(alpha=0.5), RankDrift(), sizes).ok


@pytest.mark.parametrize("tracker", [RankDeterministic(alpha=0.4), RankRandomized(alpha=0.4, strength=2)])
def test_nodes_and_their_errors(tracker: Any) -> None:
    """Each node is twice the next one, the server knows its size, and a summary's error is below its step."""
    for k, adversary in ((1, ZipfItems(domain=50)), (4, RankDrift(domain=900)), (7, FreezeItem(items=5))):
        game = RankGame().match(tracker, adversary, {"sites": k, "items": 3000}, seed=k)
        server, merges = game.server, 0
        for site, known in zip(game.sites, server.nodes, strict=True):
            ended = known if tracker.kind == "rank-deterministic" or len(known) == len(site.nodes) else known[:-1]
            assert [size for size, _, _ in ended] == [len(node) for node in site.nodes]
            for older, newer in zip(site.nodes, site.nodes[1:], strict=False):
                assert len(older) >= 2 * len(newer)
            for (size, step, summary), node in zip(ended, site.nodes, strict=True):
                assert step <= min(size, server.scale)
                assert set(summary) <= set(node)
                merges += size > step
                for item in node:
                    off = step * bisect_right(summary, item) - bisect_right(node, item)
                    assert abs(off) <= (step // 2 if tracker.kind == "rank-deterministic" else step - 1)
        assert merges >= k


@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
def test_ranks_of_random_summaries_are_unbiased() -> None:
    """A sum of 200 games lies within its distribution; summaries that begin with their first item would be too large.

    An error has the variance of at most a quarter of the sum of the squares of the steps, and a sum of hundreds of
    variables is as good as normal: 6 standard deviations are twice what 1e-6 asks for.
    """
    off = most = 0.0
    for seed in range(200):
        game = RankGame().match(
            RankRandomized(alpha=0.3, strength=1), RankDrift(domain=40), {"sites": 4, "items": 1500}, seed=seed
        )
        s, items = game.server.scale, Counter(game.problem.items)
        off += sum(copies - items[item] for item, copies in game.server.estimates.items() if item < 23)
        most += 4 * s**2 * (4 / 3 + log2(1 + 2 * 1500 / (4 * s))) / 4
        assert s > 8
    assert abs(off) < 6 * most**0.5


@pytest.mark.parametrize("adversary", ADVERSARIES[:4], ids=lambda one: one.kind)
def test_quantiles_at_every_step(adversary: Any) -> None:
    """As many items as asked for are up to a quantile, within (1 + share) alpha N, but for copies of that item."""
    alpha, asked = Fraction(1, 4), (0.0, 0.25, 0.5, 0.9, 1.0)

    def check(server: Any, truth: Counter[int], step: int) -> Fraction:
        for share in asked:
            item = server.quantile(share)
            below = sum(copies for one, copies in truth.items() if one < item)
            slack = (1 + Fraction(share)) * alpha * step
            assert below - slack <= Fraction(share) * step <= below + truth[item] + slack
        return Fraction(0)

    reference(RankDeterministic(alpha=0.25), adversary, check, 3, 600, seed=1)


def test_what_is_refused() -> None:
    game = RankGame().match(RankDeterministic(alpha=0.5), FreezeItem(), {"sites": 2, "items": 9}, seed=1)
    server = game.server
    assert server.quantile(0.5) == 0
    with pytest.raises(ValueError, match="share must be a number from 0 to 1"):
        server.quantile(1.5)
    with pytest.raises(ValueError, match="of at least one item"):
        RankDeterministic(alpha=0.5).server(2, None).quantile(0.5)


def test_the_number_of_blocks() -> None:
    """It is the least one: a thousandth less breaks the inequality."""
    for alpha in (0.9, 0.1, 0.003):
        for k in (1, 50, 4000):
            tracker = RankDeterministic(alpha=alpha)
            for factor, kept in ((1, True), (0.999, False)):
                z = factor * tracker.blocks(k)
                assert (k * (1.5 + log2(1 + 2 * z / k) / 2) <= alpha * z) == kept
            assert tracker.scale(int(tracker.levels(k) * tracker.blocks(k)), k) == 1
            assert tracker.scale(int(2 + tracker.levels(k) * tracker.blocks(k) * 2), k) > 1
    assert RankRandomized(alpha=0.1, delta=1e-9).blocks(9) > RankRandomized(alpha=0.1).blocks(9)
    assert RankRandomized(alpha=0.5, strength=1e-9).blocks(1) == 1


@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize("sites", [1, 30])
def test_no_game_costs_more_than_the_bound(sites: int) -> None:
    """The bound is one on the expected words; these games are short of it by more than eight standard deviations."""
    for tracker in (RankDeterministic(alpha=0.2), RankRandomized(alpha=0.2)):
        for items in (300, 3_000):
            game = play_duel(tracker, ZipfItems(domain=10, period=60), sites=sites, items=items, seed=1)
            assert 0.2 * tracker.cost_bound(sites, items) < game.words <= tracker.cost_bound(sites, items)
