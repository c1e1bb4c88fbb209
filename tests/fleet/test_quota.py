"""Games of quotas: the count is right, sites come and go in order, and each guarantee holds where it is tried."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import described
from small_fleets import SHAPED, made, stay

from disttrack.adversaries import Burst, RoundRobin, SingleSite
from disttrack.adversaries.base import View
from disttrack.fleet.change import Change
from disttrack.fleet.loads import ChurnOfSites, Greedy
from disttrack.fleet.quotas import Central, CountdownQuota, Lease, PeriodicQuota, Quota, Split
from disttrack.fleet.task import by_window, measured, never
from disttrack.simulator import play
from disttrack.simulator.errors import MoveError
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.pairs import pairs
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import build
from disttrack.simulator.game.network import network_of
from disttrack.simulator.game.tasks.remarks import remarks
from disttrack.simulator.shown.plots.description import Series


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize(
    "protocol", [Split(40, 100), PeriodicQuota(40, 100, every=9), CountdownQuota(40, 100), Central(40, 100)]
)
def test_what_is_counted_is_what_a_client_sees(protocol: Any, engine: str) -> None:
    answers: list[bool] = []

    def load(view: Any) -> Iterator[Burst]:
        rng = random.Random(3)
        while True:
            site = rng.randrange(view.sites)
            yield Burst(site, 1)
            answers.append(view.answers[site])

    game = play(protocol, load, sites=5, items=330, engine=engine)
    # it is asked after each step but the last
    seen = [sum(map(bool, answers[begin : begin + 100])) for begin in (0, 100, 200)]
    assert [row["admitted"] for row in by_window(game.looks, 100)][:3] == seen
    assert len(answers) == 329
    assert measured(game)["burst"] >= max(seen) / 40


@pytest.mark.parametrize(("k", "trip"), [(1, 15), (4, 0), (50, 15)])
def test_the_rule_of_thumb_is_the_mean_under_even_load(k: int, trip: int) -> None:
    """Of round robin, without chance: within a tenth, or one request per site."""
    network = network_of({"latency": trip}) if trip else None
    game = play(PeriodicQuota(2_000, 5_000, every=300), RoundRobin(), sites=k, items=25_000, network=network)
    row = measured(game)
    assert abs(row["mean_overshoot"] - row["rule_of_thumb"]) <= 0.1 * row["rule_of_thumb"] + k / 2_000


TOKENS = {"costs": "1 2 4 8 16 32", "reserve": 1, "settle": 5}


@pytest.mark.parametrize(
    "protocol",
    [
        Lease(1_500, 400, **TOKENS),
        CountdownQuota(1_500, 400, **TOKENS),
        PeriodicQuota(1_500, 400, every=20, **TOKENS),
    ],
    ids=lambda protocol: protocol.kind,
)
def test_a_site_that_leaves_in_order_settles_its_costs(protocol: Any) -> None:
    row = measured(play(protocol, ChurnOfSites(stay=4, dies=False), sites=3, items=400))
    assert row["verdict"] == "ok"
    assert row["overshoot"] <= 0.21, "at most what one site has not settled, and a flush of it"
    # one that dies loses them each time
    assert measured(play(protocol, ChurnOfSites(stay=4), sites=3, items=400))["verdict"] == "ok"


@pytest.mark.parametrize(("how", "admitted"), [("die", [15, 20]), ("leave", [20, 20])])
def test_a_lease_is_returned_by_a_site_that_leaves_and_lost_with_one_that_dies(how: Any, admitted: list[int]) -> None:
    """It has a lease of half, of which it used 5; what comes while it is away is rejected, until the window ends."""

    def goes(view: Any) -> Iterator[Any]:
        yield from stay(view, 0, 5)
        yield Change(how, (0,))
        yield from stay(view, 0, 9)
        yield Change("join", (0,))
        yield from stay(view, 1, 200)

    game = play(Lease(20, 100, fraction=1.0), goes, sites=2, items=198)
    assert [row["admitted"] for row in by_window(game.looks, 100)] == admitted
    assert by_window(game.looks, 100)[0]["rejected"] == 98 - admitted[0]
    assert measured(game)["deaths"] == (how == "die")


def test_greedy_waits_only_when_all_have_rejected_one_after_the_other() -> None:
    view = View(sites=3, items=10_000, rng=np.random.default_rng(1), known={"window": 1000})
    view.record(answers=[None] * 3)
    moves, fed = Greedy(stay=1).script(view), []
    for admitted in (False, True, False, False, False, False):
        burst = next(moves)
        fed.append((burst.at(1), burst.length))
        view.answers[burst.at(1)] = admitted
        view.record(steps=view.steps + burst.length)
    assert fed == [(0, 1), (1, 1), (2, 1), (0, 1), (1, 1), (1, 995)]


@pytest.mark.parametrize(
    ("plans", "said"),
    [
        ([Change("leave", (1,)), Change("die", (1,))], "site 1 must not die in step 2: it is not there"),
        ([Burst(0, 1), Change("join", (1,))], "site 1 must not join in step 2: it is there"),
        ([Change("join", (1,))], "site 1 must not join before the first step: it is there"),
        ([Change("leave", (7,))], "site 7 at step 1; this game has sites 0 … 1"),
    ],
)
@pytest.mark.parametrize("engine", ["step", "leap"])
def test_sites_come_and_go_in_order(plans: list[Any], said: str, engine: str) -> None:
    def script(view: Any) -> Iterator[Any]:
        yield plans[0]
        yield from (plan for plan in (*plans[1:], Burst(0)))

    with pytest.raises(MoveError, match=said):
        play(Split(5, 10), script, sites=2, items=20, engine=engine)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"limit": 4}, ""),
        ({"limit": 5}, "limit 5 in 5 steps cannot be exceeded by any protocol: requests are at most 5 in 5 steps, one"),
        ({"limit": 14, "costs": "1 3"}, ""),
        ({"limit": 15, "costs": "1 3"}, "at most 15 in 5 steps, one a step of cost 3 at most"),
        ({"limit": 1, "depth": 39}, ""),
        ({"limit": 1, "depth": 40}, "at most 50 in 50 steps"),
    ],
)
def test_a_limit_that_no_stream_can_exceed_is_remarked_upon(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    protocol = {"kind": "bucket-lease" if "depth" in more else "lease", "window": 5, **more}
    keys = {"task": "quota", "sites": 2, "requests": 50, "trials": 1, "adversary": "uniform", "protocol": protocol}
    lines = remarks(build(Document("s.yaml", tmp_path, keys)).points)
    assert said in lines[0] if said else not lines


@pytest.mark.drawn(9)
@pytest.mark.parametrize(("kind", "shape"), SHAPED)
def test_a_site_never_admits_what_is_above_its_most_and_admits_what_is_not(kind: type[Quota], shape: str) -> None:
    """Each site alone, with requests of one price: those that admit none are counted by the remark.

    Seen: sites of which it was said that they never admit, and whose first shares paid for it.
    """
    own = {"window": 6, "upfront": 0.8, "share": 0.3, "every": 2}
    for limit, k, reserved in ((1, 2, False), (7, 3, False), (7, 3, True)):
        for price in sorted({1, (limit + 1) // 2, limit}):
            paid = {"reserve": price, "settle": 2} if reserved else {"costs": price}
            rule = made((kind, shape), limit=limit, **own, **paid)
            games = [play(rule, SingleSite(site), sites=k, items=40, seed=1) for site in range(k)]
            poor = [site for site, game in enumerate(games) if not game.looks[-1]["admitted"]]
            assert poor == [site for site in range(k) if rule.most(site, k) < price], rule
            line = never(rule, price, k)
            assert f"never admitted at {len(poor)} of {k} sites" in line if poor else not line


@pytest.mark.parametrize(
    ("every", "more", "empty"),
    [
        (100, {}, True),
        (1, {"costs": "1 4", "limit": 40}, False),
        (100, {"shape": "sliding"}, True),
        (1, {"shape": "bucket", "depth": 20}, False),
    ],
)
def test_a_guarantee_that_allows_all_that_is_offered_is_not_said_to_hold(
    every: int, more: dict[str, Any], empty: bool, tmp_path: Path
) -> None:
    """Its games do what it promises, which is nothing: trials.csv keeps the verdict, nothing shown counts it."""
    keys = {"name": "q", "task": "quota", "sites": 4, "requests": 200, "limit": 20, "window": 100, "trials": 1, **more}
    protocols = ["central", {"kind": "periodic", "every": every}]
    results = run({**keys, "protocol": protocols, "adversary": "round-robin"}, out=tmp_path / "q", workers=1)
    assert set(results.trials["verdict"]) == {"ok"}
    tables = read_tables([tmp_path / "q"])
    verdicts = dict(zip(tables.trials["protocol"], tables.trials["verdict"], strict=True))
    assert verdicts == {"central": "ok", "periodic": "undecided" if empty else "ok"}
    shown = answer_table(tmp_path / "q")
    held = next(place for place, column in enumerate(shown.columns) if column.header == "held")
    assert [row[held] for row in shown.texts] == ["yes", "" if empty else "yes"]
    assert "a guarantee of all that can come is undecided, and ok in trials.csv alone" in shown.columns[held].says
    states = {pair.protocol.partition("(")[0]: pair.state for pair in pairs(tables)}
    assert (states["periodic"] == "undecided") == empty
    note = described(tmp_path / "q", {"kind": "matrix"}).note
    assert "Held: no more was admitted than the protocol itself guarantees" in note


def test_theory_of_a_clock_is_drawn_where_each_step_brings_a_request(tmp_path: Path) -> None:
    """Where a load rests, reports go on: the bound by requests would be half of what was sent."""
    keys = {"name": "q", "task": "quota", "requests": 200, "limit": 20, "window": 100, "trials": 1, "sites": [2, 4]}
    loads = ["uniform", {"kind": "flash-crowd", "part": 0.5}]
    run({**keys, "protocol": {"kind": "periodic", "every": 10}, "adversary": loads}, out=tmp_path / "q", workers=1)
    even, rests = described(tmp_path / "q", {"kind": "cost", "x": "sites"}).panels
    (bound,), (drawn,) = even.of(Series, "bound"), even.of(Series, "")
    assert (np.asarray(bound.y) >= np.asarray(drawn.y)).all()
    assert not rests.of(Series, "bound")


@pytest.mark.parametrize(("kind", "shape"), SHAPED)
def test_what_is_not_noted_is_left_empty(monkeypatch: pytest.MonkeyPatch, kind: Any, shape: str) -> None:
    """Seen: in long games utilisation and bursts per fixed window, under the names of those in any.

    The first limit is reached, so that fewer are admitted than offered, and the second is not.
    """
    always = {"mean_overshoot", "overshoot_promised", "windows", "words_per_window", "waiting", "refused", "deaths"}
    for limit in (5, 99):
        game = play(made((kind, shape), limit=limit, window=20), RoundRobin(), sites=3, items=100)
        whole = measured(game)
        with monkeypatch.context() as patched:
            patched.setattr("disttrack.fleet.book.MOST", 50 if limit > 20 or shape != "window" else 5)
            short = measured(play(game.quota, RoundRobin(), sites=3, items=100))
        empty = {"burst"} | ({"overshoot", "utilisation", "false_rejections"} if shape != "window" else set())
        assert {name for name in whole if short[name] is None and whole[name] is not None} == empty
        assert {name: whole[name] for name in always} == {name: short[name] for name in always}
        assert short["verdict"] == ("undecided" if shape != "window" and whole["verdict"] == "ok" else whole["verdict"])
