"""The task `item-rank`: steps that are passed over, nodes and their errors, quantiles, and the number of blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from itertools import product
from math import log2
from typing import Any, Final

import pytest
from plain_contents import errors_in_order, reference

from disttrack.adversaries.contents import DrainItem, FreezeItem, RankDrift, SamplingAttack, UniformItems, ZipfItems
from disttrack.protocols.contents import FrequencySample, ItemSample, RankDeterministic, RankRandomized
from disttrack.simulator.game.contents import representative
from disttrack.simulator.game.tasks.contents.task import RankGame, SampleGame

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
    server = RankDeterministic(alpha=0.25).server(2, None)
    for share, refused in ((0.5, "of at least one item"), (1.5, "share must be a number from 0 to 1")):
        with pytest.raises(ValueError, match=refused):
            server.quantile(share)


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
