"""Logs in their own time against quotas: each outcome is computed again, by a loop over the events of the file."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from disttrack import BatchQuota, Central, Deterministic, Lease, PeriodicQuota, Split, Trace, play
from disttrack.fleet.book import in_order
from disttrack.fleet.quotas import QUOTAS
from disttrack.fleet.task import QuotaGame, measured
from disttrack.mechanisms.checks import Whole
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.remarks import remarks

Event = tuple[int, int, int]
"""The step of the file's own time, the site, and the cost."""
pytestmark = pytest.mark.usefixtures("folder")


def cluster_trace(draw: random.Random) -> tuple[Trace, list[Event], int]:
    """Events of machines in microseconds, not in order, without a header."""
    rows = [(draw.randrange(60_000_000), draw.randrange(5), draw.randrange(4)) for _ in range(200)]
    Path("task_events.csv").write_text("".join(f"{at},,job{kind},{machine}\n" for at, machine, kind in rows))
    rows.sort(key=lambda row: row[0])
    sites = list(dict.fromkeys(machine for _, machine, _ in rows))
    events = [((at - rows[0][0]) // 500_000, sites.index(machine), 1) for at, machine, _ in rows]
    given = {"columns": "time,missing,job,machine", "site": "machine", "time": "time", "unit": "1us"}
    return Trace("task_events.csv", **given, step="500 ms"), events, 5


def tokens(draw: random.Random) -> tuple[Trace, list[Event], int]:
    """Requests to a language model with their tokens, dealt in turn to four sites, at twice their speed."""
    at, lines, events = 0, [], []
    for number in range(150):
        cost = draw.choice((3, 10, 40))
        when = (datetime(2023, 11, 16, 18, 0, tzinfo=UTC) + timedelta(milliseconds=at)).isoformat()
        lines.append(json.dumps({"when": when, "usage": {"total": cost}, "tags": ["a"]}) + "\n")
        events.append((at // 200, number % 4, cost))
        at += draw.choice((0, 30, 300, 900))
    Path("requests.jsonl").write_text("".join(lines))
    given: dict[str, Any] = {"deal": "round-robin", "cost": "usage.total", "step": "100ms", "speed": 2}
    return Trace("requests.jsonl", time="when", **given), events, 4


LOGS = (cluster_trace, tokens)
PROTOCOLS = {
    Split: {}, Central: {}, Lease: {"fraction": 0.5}, BatchQuota: {"size": 2}, PeriodicQuota: {"every": 2}
}  # fmt: skip


@dataclass
class Outcome:
    """What a game is compared in: the cost admitted by each site, the most in a window, refusals and words."""

    by_site: list[int]
    most: int
    refused: int
    words: int


def recomputed(rule: Any, events: Sequence[Event], k: int, limit: int, window: int) -> Outcome:
    """Play events against one of `PROTOCOLS`, one after the other; a step has as many places as the fullest."""
    pace = max([sum(one[0] == step for one in events) for step in {one[0] for one in events}])
    seen, kind, now, admitted, words, refused = {}, type(rule), 0, {}, 0, 0
    by_site, spent, stopped, asked, held, least = [0] * k, 0, False, set(), [0] * k, [0] * k
    left = []
    every = rule.every * pace if kind is PeriodicQuota else 0
    for at, site, cost in [*events, (None, 0, 0)]:
        seen[at] = seen.get(at, 0) + 1
        step = now + 1 if at is None else at * pace + seen[at]
        for clock in range(now, step):
            if clock % (window * pace) == 0:
                spent, stopped, asked, held, least = 0, False, set(), [0] * k, [0] * k
                share = [limit // k + (one < limit % k) for one in range(k)]
                left = share if kind is Split else [0 if kind in (Central, Lease) else limit] * k
            for one in range(k if every else 0):
                if clock >= (first := max(1, (one + 1) * every // k)) and (clock - first) % every == 0:
                    spent, held[one], words = spent + held[one], 0, words + 2
                    left[one] = limit - spent
        now = step
        if at is None:
            break
        if kind in (Central, Lease) and left[site] < cost and not 0 < least[site] <= cost:
            words, rest, part = words + 2, limit - spent, len(asked) if site in asked else k
            lease = 0 if cost > rest else cost if kind is Central else min(rest, max(cost, rest // 2 // part))
            asked, spent, left[site] = asked | {site}, spent + lease, left[site] + lease
            least[site] = 0 if lease else cost
        if left[site] < cost:
            refused += 1
            continue
        left[site], held[site], by_site[site] = left[site] - cost, held[site] + cost, by_site[site] + cost
        admitted[at // window] = admitted.get(at // window, 0) + cost
        if kind is BatchQuota and held[site] >= rule.size:
            spent, held[site], words = spent + held[site], 0, words + 1
            if spent >= limit and not stopped:
                stopped, left, words = True, [0] * k, words + k
    return Outcome(by_site, max(admitted.values()), refused, words)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_log_in_its_own_time_is_what_a_loop_over_its_events_gives(kind: Any, log: Any) -> None:
    trace, events, k = log(random.Random(7))
    limit, window = (120, 10) if trace.cost else (5, 3)
    rule = kind(limit=limit, window=window, **PROTOCOLS[kind])
    assert trace.items == len(events)
    for engine in ("leap", "auto"):
        game = play(rule, trace, sites=k, items=trace.items, engine=engine)
        row, last = measured(game), game.looks[-1]
        most = round(limit * (1 + row["overshoot"])) if row["overshoot"] else None
        expected = recomputed(rule, events, k, limit, window)
        found = Outcome(last["by_site"], most or expected.most, last["rejected"], game.words)
        assert found == expected
        assert most is not None or expected.most <= limit
    assert expected.refused > 0 or kind is PeriodicQuota
    assert game.pace > 1
    assert max(gap for (one, *_), (other, *_) in pairwise(events) if (gap := other - one) >= 0) > 0


@pytest.mark.drawn(12)
@pytest.mark.parametrize("kind", sorted(QUOTAS))
@pytest.mark.parametrize("network", [None, {"latency": 1, "loss": 0.1}])
def test_engines_play_one_game_of_a_log(kind: str, network: dict[str, Any] | None) -> None:
    """With several events a step, costs of their own, and rests longer than a window, from its first event on."""
    trace, events, k = tokens(random.Random(3))
    given: dict[str, Any] = {"limit": 90, "window": 6, **({"depth": 60} if kind == "bucket-lease" else {})}
    rule = QUOTAS[kind](**given)
    if "limits" in {one.name for one in fields(QUOTAS[kind])} and network is None:
        rule = QUOTAS[kind](**given, limits="150/18")
    for items in (1, len(events) if kind in ("lease", "periodic", "sliding-lease") else 40):
        sizes: dict[str, Any] = {"sites": k, "items": items, "network": network, "seed": 5}
        games = [play(rule, trace, engine=engine, **sizes) for engine in ("step", "leap", "auto")]
        facts = [(game.words, game.steps, game.looks, game.book.waited) for game in games]
        noted = [[part.tolist() for part in in_order(game.book.admitted)] for game in games]
        assert facts[0] == facts[1] == facts[2]
        assert noted[0] == noted[1] == noted[2]
    assert games[0].pace == max(sum(one[0] == step for one in events) for step, *_ in events) > 1


def test_a_quota_says_of_each_parameter_whether_it_is_a_number_of_steps() -> None:
    """One that is not named here is not divided with the steps of a log: say which it is in `in_steps`."""
    counted = {"costs", "depth", "epsilon", "fraction", "limit", "low", "memory", "reserve"}
    counted |= {"shape", "share", "size", "slots", "upfront", "away", "charge", "clock", "free", "rounding"}
    others = {one.name for kind in QUOTAS.values() for one in fields(kind) if one.name not in kind.in_steps}
    assert others == counted | {"limits"}
    assert Lease(limit=9, window=3, limits="20/9 70/30").of_trace(4).limits == "20/36 70/120"


@dataclass(frozen=True)
class Late(Split):
    """A quota of a user's, with a number of steps that nobody knows of."""

    grace: Whole = 5


@dataclass(frozen=True)
class Known(Late):
    """The same, which says what it is."""

    in_steps = Late.in_steps | {"grace"}


def test_what_holds_for_one_request_a_step_is_refused_with_the_count() -> None:
    trace, _, k = tokens(random.Random(3))
    sizes: dict[str, Any] = {"sites": k, "items": trace.items}
    with pytest.raises(ScenarioError, match=rf"a step of the trace has up to {trace.pace} requests, and Late promises"):
        play(Late(limit=90, window=6), trace, **sizes)
    assert Known(limit=9, window=6, grace=2).of_trace(3) == Known(limit=9, window=18, grace=6)
    page = (Path(__file__).parents[2] / "docs/adversaries.md").read_text(encoding="utf-8")
    stated = page.partition("refused where the fullest step has several:")[2].partition("quotas")[0]
    rare = {"rate": 0.01, "down": 2}
    networks: list[dict[str, Any]] = [{"crash": rare}, {"server": rare}, {"partition": {"from": 1, "to": 3}}]
    networks += [{"link": "reliable"}, {"faults": "site 1 forgets 3-4"}, {"reordering": 0.1}]
    assert {name for network in networks for name in network} == {*re.findall("`(.*?)`", stated)}
    for network in networks:
        says = rf"^network: {next(iter(network))}: must be left out with {trace.pace} items a step"
        with pytest.raises(ScenarioError, match=says):
            play(Split(limit=90, window=6), trace, network=network, **sizes)
    with pytest.raises(ScenarioError, match="cost: must be left out: deterministic takes no costs"):
        play(Deterministic(alpha=0.1), trace, **sizes)
    log = {"kind": "trace", **trace.as_mapping()}
    with pytest.raises(ScenarioError, match=r"adversary.cost: must be left out"):
        load({"protocol": "exact", "adversary": log, "sites": k})
    with pytest.raises(ScenarioError, match=r"network.link: must be left out with \d+ items a step"):
        load({"protocol": "exact", "adversary": {**log, "cost": None}, "sites": k, "network": {"link": "reliable"}})
    with pytest.raises(ScenarioError, match="costs must be at most the limit of 20; got 40"):
        play(Split(limit=20, window=6), trace, **sizes)


def test_a_scenario_plays_a_log_and_says_how_its_steps_are_divided() -> None:
    tokens(random.Random(3))
    log = {"kind": "trace", "file": "requests.jsonl", "time": "when", "deal": "round-robin", "step": "200ms"}
    keys = {"task": "quota", "sites": 4, "requests": 150, "limit": 3, "window": 5, "trials": 1, "protocol": "central"}
    point = load({**keys, "adversary": log, "network": {"latency": 1}}).points[0]
    assert any("items in a step: " in line for line in remarks([point]))
    task = QuotaGame()
    record = task.play(point, 1)
    game = task.game(point, seed=1)
    assert record.row == {**record.row, **measured(game)}
    assert record.row["waiting"] >= 2
    steps = -(-game.steps // game.pace)
    shorter = load({**keys, "window": 10 * steps, "adversary": log}).points[0]  # of a log: a day's limit, an hour's log
    assert task.play(shorter, 1).row["windows"] == 1
    by_rows = {"kind": "trace", "file": "requests.jsonl", "deal": "round-robin"}
    with pytest.raises(ScenarioError, match="window: must be at most the steps of a game, 150 by `requests`; got 151"):
        load({**keys, "window": 151, "adversary": by_rows})
    assert record.row["overshoot"] == 0 == record.row["overshoot_promised"]
