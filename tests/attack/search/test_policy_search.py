"""The search for the worst policy: it keeps to its budget, repeats itself, and finds what is there."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml
from commands import refused

from disttrack.adversaries import Freeze, Policy, View
from disttrack.adversaries.schedules import NEVER, Burst
from disttrack.attack.adversaries import Posterior
from disttrack.attack.search.policy_search import PolicyGames, SearchResult, attack, bounds_of, policy_at, scenario_of
from disttrack.protocols import Exact, Randomized
from disttrack.simulator import play, run

SIZE: dict[str, Any] = {"sites": 8, "items": 800}


def test_the_space_holds_what_is_known_to_work() -> None:
    """Its corners make policies, and one of its places is `freeze` as it plays against this protocol."""
    low, high = np.array(bounds_of(Randomized(alpha=0.1), 64, 50_000)).T
    for corner in (low, high, (low + high) / 2):
        assert isinstance(policy_at(corner), Policy)
    frozen = policy_at(np.array([0, 5, 1, -0.5, -1]))
    assert frozen == Policy(stay=0.0, patience=32.0, reach=1.0, growth=1.0, begin=0.0)
    begins = [policy_at(np.array([0, 5, 1, -0.5, begin])).begin for begin in (-0.5, -0.4, 1)]
    assert begins == [0.0, 0.758, 2.0]
    options: dict[str, Any] = {"sites": 64, "items": 20_000, "seed": 2}
    errors = [play(Randomized(alpha=0.1), one, **options).max_rel_error for one in (frozen, Freeze())]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)  # it may lose patience a few times


def test_the_strongest_policy_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """In games whose error is the policy's `stay`, the winner is the one that stays longest of all that were played."""
    errors: list[float] = []

    def game(protocol: Any, policy: Policy, **options: Any) -> Any:
        errors.append(policy.stay)
        return SimpleNamespace(verdict="ok" if policy.stay < 1 else "failed", max_rel_error=policy.stay)

    monkeypatch.setattr("disttrack.attack.search.policy_search.play", game)
    result = attack(Randomized(alpha=0.1), **SIZE, budget=100, seed=1)
    assert result.policy.stay == result.strength == max(errors) > 1
    assert result.broken == 1
    assert len(errors) == result.games <= 100


def test_a_policy_by_hand() -> None:
    """k = 4, alpha = 0.1, c = 3: a unit is output / 60 items."""
    seen = View(sites=4, items=10**6, rng=np.random.default_rng(1))

    def ask(adversary: Policy, output: float, moved: bool) -> tuple[int, int]:
        seen.record(output=output)
        seen.record(changes=seen.changes + moved)
        plan = adversary.plan(seen)
        assert isinstance(plan, Burst)
        return plan.site, plan.length

    stays = Policy(stay=0.5, patience=2.0)
    assert ask(stays, 600, False) == (0, 20)  # two units of 10
    assert ask(stays, 720, True) == (0, 6)  # the output moved: half a unit of 12 more
    assert ask(stays, 720, False) == (1, 24)
    assert ask(stays, 720, False) == (2, 24)  # in vain
    stores = Policy(reach=0.5, growth=2.0, begin=10.0)
    seen.record(changes=0)
    assert ask(stores, 599, False) == (3, NEVER)
    assert ask(stores, 600, True) == (0, 80)
    assert ask(stores, 610, True) == (1, 82)
    assert ask(stores, 620, True) == (3, NEVER)  # the lap over half of the sites is done; the next begins at 1200
    assert ask(stores, 1200, True) == (0, 160)


@pytest.mark.slow
def test_what_is_found_is_a_scenario_that_anyone_can_play(tmp_path: Path) -> None:
    result = attack(Randomized(alpha=0.1), **SIZE, budget=100, seed=1)
    text = scenario_of(result, {"kind": "randomized", "alpha": 0.1}, size={**SIZE, "start": 0}, seed=1)
    file = tmp_path / "attack.yaml"
    file.write_text(text, encoding="utf-8")
    results = run(file, out=tmp_path / "out", workers=1, overrides=["trials=2"])
    trials = results.trials
    assert len(trials) == 6
    assert set(trials["adversary"]) == {"policy", "freeze", "uniform"}


def test_the_claim_of_what_was_found_is_below_it_by_five_deviations(tmp_path: Path) -> None:
    """It was nine tenths of the mean of eight games, which the next twenty often missed."""
    for spread, least in ((0.0, 0.3), (0.05, 0.3 - 5 * 0.05 * sqrt(1 / 8 + 1 / 20)), (1.0, 0.0)):
        found = SearchResult(Freeze(), 0.3, 0.5, 100, 8, spread)
        text = scenario_of(found, {"kind": "randomized", "alpha": 0.1}, size={**SIZE, "start": 0}, seed=1)
        assert yaml.safe_load(text)["claims"][0]["at_least"] == pytest.approx(0.995 * least, rel=0.005)


def test_a_policy_is_searched_against_trackers_of_a_count_only(tmp_path: Path) -> None:
    """The games of a quota have no relative error, and none of them fails for want of a verdict."""
    flags = ("--protocol", "lease limit=50 window=100", "--set", "requests=400", "--sites", "4", "--budget", "100")
    said = refused("attack", *flags, "--out", str(tmp_path / "worst.yaml"))
    assert "a policy is searched against trackers of a count; lease plays quota" in said
    assert not (tmp_path / "worst.yaml").exists()
    undecided = PolicyGames(Exact(), {"sites": 2, "items": 0, "start": 0}, 0)
    assert undecided.play(Freeze(), 1) == (0.0, "undecided")


@pytest.mark.slow
def test_it_finds_unaided_an_attack_almost_as_strong_as_the_best_built_in_one() -> None:
    """k = 32, 5,000 items, 400 games: at least 80 % of the strength of `posterior`.

    Three searches with other seeds came to 106 %, 99 % and 112 %. The means have standard errors of about 1 %, so a
    search like these is below 80 % with a probability far under 1e-6. Power: `freeze` as it comes is at 73 %,
    `uniform` at 28 %.
    """
    size: dict[str, Any] = {"sites": 32, "items": 5000}
    result = attack(Randomized(alpha=0.1), **size, budget=400, seed=0)
    best = fmean(play(Randomized(alpha=0.1), Posterior(), **size, seed=seed).max_rel_error for seed in range(30))
    assert result.games <= 400
    assert result.strength >= 0.8 * best
