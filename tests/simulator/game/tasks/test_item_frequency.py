"""The task `item-frequency`: what its coins need, what its games cost, its plans, and what it refuses."""

from __future__ import annotations

from math import exp, log
from typing import Any, Final

import pytest
from scipy.stats import binom, chi2

from disttrack.adversaries.base import View
from disttrack.adversaries.contents import (
    FreezeItem,
    HeavyItem,
    ItemAdversary,
    Pairs,
    UniformItems,
    ZipfItems,
)
from disttrack.adversaries.contents.plans import Cycle
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
)
from disttrack.protocols.contents.frequencies import strength_for
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.play import play
from disttrack.simulator.game.tasks.contents.task import ItemFrequency
from disttrack.simulator.game.tasks.duel import play_duel

SIZES: Final = {"sites": 4, "items": 20_000}
TRACKER: Final = FrequencyDeterministic(alpha=0.2)


@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
def test_estimates_are_unbiased() -> None:
    """A sum of 150 games lies within its distribution; an estimate without the copies after the last report would not.

    Its distribution is not known exactly, but its variance is: at most k / p^2 for `frequency-randomized`, f / p for
    `frequency-sample`, with the largest 1/p. Chebyshev's inequality at 1e-3 would need 32 standard deviations, so the
    normal approximation is taken with 6 of them, twice what 1e-6 asks for on both sides together.
    """
    stream = HeavyItem(domain=3, share=0.3, period=10)
    for tracker, variance in (
        (FrequencyRandomized(alpha=0.2, strength=1.0), lambda inverse, f: 4 * inverse**2),
        (FrequencySample(alpha=0.2, strength=0.5), lambda inverse, f: f * inverse),
    ):
        off = most = 0.0
        for seed in range(150):
            game = ItemFrequency().match(tracker, stream, {"sites": 4, "items": 1000}, seed=seed)
            truth = sum(game.held(site, 0) for site in range(4))
            off += game.server.estimates.get(0, 0) - truth
            most += variance(game.server.scale, truth)
            assert game.server.scale > 8
        assert abs(off) < 6 * most**0.5


def test_strengths() -> None:
    """The strength of k coins is exact in the limit of many sites, that of a normal variable, and grows for few."""
    assert strength_for(1e-8, 10**8) == pytest.approx((2 * log(1e8)) ** 0.5, rel=1e-3)
    assert strength_for(1e-8, 10) > strength_for(1e-8, 100) > strength_for(1e-8, 10**8)
    for k in (1, 50):
        x = strength_for(1e-6, k) / k**0.5
        assert exp(-k * (x - log(1 + x))) == pytest.approx(1e-6)
        # the error of a site is at worst an exponential variable less its mean
        assert chi2.sf(2 * (k + x * k), 2 * k) < 1e-6
    sample = FrequencySample(alpha=0.1, domain=100)
    assert sample.size == pytest.approx(sample.needed() / 0.01)
    # of one item only: what the sample misses of n items is a binomial variable
    n = int(40 * sample.size)
    p = 1 / sample.scale(n, 1)
    assert binom.cdf((n - 0.1 * n) * p, n, p) + binom.sf((n + 0.1 * n) * p, n, p) < 0.05 / 100


def test_what_is_refused() -> None:
    class Wrong(ItemAdversary):
        kind = "wrong"

        def plan(self, view: View) -> Any:
            return Pairs([view.sites], [0]) if view.items == 5 else Cycle([0])

    with pytest.raises(MoveError, match="named site 2 at step 1"):
        play_duel(TRACKER, Wrong(), sites=2, items=5)
    with pytest.raises(MoveError, match="accepted: Pairs or None"):
        play_duel(TRACKER, Wrong(), sites=2, items=6)
    with pytest.raises(ValueError, match="labels must be"):
        Cycle([])
    with pytest.raises(ValueError, match="engine must be one of auto, step, leap"):
        play_duel(TRACKER, ZipfItems(domain=20), sites=2, items=5, engine="arrays")


def test_play_takes_a_tracker_of_items_as_any_protocol() -> None:
    """Its game is that of the task, with where the error was largest among the extra columns."""
    tracker, stream = FrequencyDeterministic(alpha=0.2), FreezeItem(items=3)
    options: dict[str, Any] = {"sites": 3, "items": 300, "seed": 7, "record": True}
    games = [play(tracker, stream, engine=engine, **options) for engine in ("step", "leap")]
    record = ItemFrequency().game(tracker, stream, {"sites": 3, "items": 300}, seed=7)
    for game in games:
        columns = ("ok", "max_rel_error", "highest", "lowest", "worst_step", "worst_item", "words", "output_changes")
        assert [getattr(game, name) for name in columns] == [record.row[name] for name in columns]
        assert game.series["rel_error"].tolist() == record.series["rel_error"]
        assert game.first_failure is None
    assert games[0].outputs.equals(games[1].outputs)
    assert set(games[0].outputs["output"].iloc[0]) == {0}  # the estimates that have changed
    assert games[0].plot() is not None


def test_a_game_does_not_cost_its_different_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan is asked about one item as often per message, whether 30 or 20,000 different ones come."""
    asked, count = [0], Cycle.count

    def counted(plan: Cycle, site: object, step: Any) -> Any:
        asked[0] += 1
        return count(plan, site, step)

    monkeypatch.setattr(Cycle, "count", counted)
    per_message = []
    for domain in (30, 20_000):
        asked[0] = 0
        game = ItemFrequency().match(FrequencySample(alpha=0.2, strength=2), UniformItems(domain=domain), SIZES, seed=1)
        per_message.append(asked[0] / game.ledger.messages)
    assert 1 < per_message[1] < 1.3 * per_message[0]


def test_of_equal_errors_the_first_is_the_worst() -> None:
    """Items are judged one after the other, and not in the order of their steps."""
    problem = ItemFrequency().match(FrequencyDeterministic(alpha=0.2), UniformItems(domain=7), SIZES, seed=1).problem
    for step, item in ((18, 2), (6, 3), (9, 4)):
        problem.note(-2.0, step, item)
        problem.note(2.0, step + 1, item)
    assert (problem.worst_step, problem.worst_item, problem.worst) == (6, 3, 2.0)
