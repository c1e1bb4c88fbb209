"""Several limits at once: none is exceeded, a refusal by one takes nothing from the others, and what that costs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from rare_fleets import several
from small_fleets import by_limit, seldom

from disttrack.adversaries import RoundRobin, Trace
from disttrack.fleet.quotas import BatchQuota, Central, CountdownQuota, HybridQuota, Lease, Quota, Split
from disttrack.fleet.task import by_window, measured
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError

KINDS: list[type[Quota]] = [Split, Central, Lease, CountdownQuota]
CONTROLS = 5
"""Games that exceed a further limit without it, after which no more of these are played."""


@pytest.mark.parametrize("kind", KINDS)
def test_no_limit_is_exceeded_and_each_is_reached(kind: type[Quota]) -> None:
    """Drawn games with losses, copies, delays and deaths. Control: without the further limits these are exceeded."""
    met: Counter[str] = Counter()
    for number in range(20):
        given = several(number, (kind, "window"))
        rule = given["protocol"]
        game = play(**given, engine="leap", sees="state")
        assert number % 3 or game.looks == play(**given, engine="step", sees="state").looks
        for place, one in enumerate(rule.singles):
            seen = by_limit(game, one, given["network"])
            assert seen.most <= seen.worst, given
            met[f"{min(place, 1)} reached"] += seen.most == one.limit
        assert measured(game)["verdict"] in ("ok", "undecided")
        if met["exceeded without"] == CONTROLS:
            continue
        alone = play(**given | {"protocol": rule.singles[0]}, engine="leap", sees="state")
        met["exceeded without"] += any(
            row["admitted"] > one.limit for one in rule.singles[1:] for row in by_window(alone.looks, one.window)
        )
    assert min(met["0 reached"], met["1 reached"]) >= 5, met
    assert met["exceeded without"] == CONTROLS


def test_the_shorter_limit_takes_nothing_from_the_longer_one() -> None:
    """Ten in 30 steps and 25 in 300: the third window has five, the next seven none; all that is refused is free."""
    for kind in (Central, Lease, CountdownQuota):
        game = play(kind(10, 30, limits="25/300"), RoundRobin(), sites=2, items=600)
        admitted = [row["admitted"] for row in by_window(game.looks, 30)]
        assert admitted == [10, 10, 5, *[0] * 7] * 2
        row = measured(game)
        assert (row["overshoot"], row["overshoot_promised"], row["utilisation"]) == (0, 0, 1)
    game = play(Split(10, 30, limits="24/300"), RoundRobin(), sites=2, items=600)
    assert [row["admitted"] for row in by_window(game.looks, 30)] == [10, 10, 4, *[0] * 7] * 2


def test_what_is_unused_of_a_lease_comes_back_for_the_longer_limit() -> None:
    """One request a window at one of three sites: a lease has more, which the next windows use."""
    game = play(Lease(9, 10, limits="20/300", fraction=1), seldom, sites=3, items=30)
    assert sum(row["admitted"] for row in by_window(game.looks, 300)[:1]) == 20


def test_windows_may_be_lengths_of_time_for_a_log_in_its_own_time(tmp_path: Path) -> None:
    """Two rows in each tenth of a second: a step of the log is two of the game. Without a step they are refused."""
    rows = [f"{number // 2 / 10:.1f},{number % 3}" for number in range(600)]
    (tmp_path / "log.csv").write_text("\n".join(["time,site", *rows]) + "\n")
    log: dict[str, Any] = {"file": str(tmp_path / "log.csv"), "site": "site", "time": "time"}
    for rule in (Central(10, 10, limits="25/10s"), Central(10, 10, limits="25/100")):
        game = play(rule, Trace(**{**log, "step": "100ms"}), sites=3, items=600)
        assert [row["admitted"] for row in by_window(game.looks, 20)][:11] == [10, 10, 5, *[0] * 7, 10]
    for load in (Trace(**log), RoundRobin()):
        with pytest.raises(ScenarioError, match="limits must be in steps without a trace that has a step; got 25/10s"):
            play(Central(10, 10, limits="25/10s"), load, sites=3, items=100)
    with pytest.raises(ScenarioError, match="limits must have windows of a whole number of the trace's steps; got 10s"):
        play(Central(10, 10, limits="25/10s"), Trace(**{**log, "step": "15s"}), sites=3, items=600)


def test_words_are_those_of_the_shorter_limit_and_returns() -> None:
    """Those of the shorter one alone, and a return per site and window of a lease; of reports those of both alone."""
    for kind, more in ((Central, 0), (Lease, 4 * 20), (Split, 0), (CountdownQuota, None)):
        rule = kind(30, 60, limits="500/1200")
        both = play(rule, RoundRobin(), sites=4, items=1_200).words
        short, long = (play(one, RoundRobin(), sites=4, items=1_200).words for one in rule.singles)
        assert both <= short + (long if more is None else more)
        assert both <= rule.cost_bound(4, 1_200)


@pytest.mark.parametrize("kind", [HybridQuota, BatchQuota])
def test_kinds_that_keep_one_limit_have_no_others(kind: type[Quota]) -> None:
    with pytest.raises(TypeError, match="limits"):
        kind(5, 10, limits="9/20")  # type: ignore[call-arg]
