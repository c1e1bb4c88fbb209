"""Logs as loads: formats, files without a header, rows that stand for many events, and times of their own."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from disttrack import Deterministic, FrequencyDeterministic, play, play_duel
from disttrack.adversaries import ItemTrace, Labels, Runs, Trace, View
from disttrack.adversaries import streams as reading
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.point import made_from

pytestmark = pytest.mark.usefixtures("folder")


def steps(trace: Trace, k: int | None = None) -> list[tuple[int, int]]:
    """Return the step and the site of each item, by the plans one after the other."""
    sites = k or trace.sites or 1
    view = View(sites=sites, items=trace.items, rng=np.random.default_rng(0))
    begun, sent, found = 0, 0, []
    while sent < trace.items:
        view.stand(begun, sent, 0, 0, 0)
        plan = trace.plan(view)
        assert isinstance(plan, Labels | Runs)
        fed = [(begun + step, plan.at(step)) for step in range(1, plan.length + 1)]
        found += [(step, site) for step, site in fed if site is not None]
        begun, sent = begun + plan.length, len(found)
    assert trace.plan(view) is not None
    view.stand(begun, sent, 0, 0, 0)
    assert trace.plan(view) is None
    return found


def written(text: str, name: str) -> str:
    path = Path(name)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return name


def test_columns_of_counts_come_one_after_the_other() -> None:
    file = written("app,f,1,2,3\nA,x,0,2,1\nB,y,1,,3\nA,z,0,0,0\n", "wide.csv")
    wide = {"columns": "1..3", "unit": "1 min"}
    trace = Trace(file, site="app", wide=wide)
    assert (trace.names, [site for _, site in steps(trace)]) == (("B", "A"), [0, 1, 1, 1, 0, 0, 0])
    timed = Trace(file, site="app", wide=wide, step="30s", speed=0.5)  # four steps a minute, of four each
    assert (timed.pace, steps(timed)) == (4, [(1, 0), (17, 1), (18, 1), (33, 1), (34, 0), (35, 0), (36, 0)])
    items = ItemTrace(file, site="app", item="f", wide=wide)
    plan = items.stream().plan
    assert items.item_names == ("y", "x")
    assert (plan.labels.tolist(), plan.contents.tolist(), plan.weights.tolist()) == (
        [0, 1, 1, 0], [0, 1, 1, 0], [1, 2, 1, 3]
    )  # fmt: skip
    assert play_duel(FrequencyDeterministic(alpha=0.1), items, items=50).ok
    with pytest.raises(ValueError, match="wide: column '3' must come before '1'"):
        _ = Trace(file, site="app", wide={**wide, "columns": "3..1"}).items
    with pytest.raises(ValueError, match=r"^wide: column '2' has 'x' in line 2; accepted: a whole number from 0"):
        _ = Trace(written("app,1,2\nA,0,x\n", "x.csv"), site="app", wide={**wide, "columns": "1..2"}).items


def test_rows_are_dealt_to_the_sites_of_the_game() -> None:
    file = written("who,n\nx,2\ny,1\nx,1\n", "t.csv")
    turn = Trace(file, deal="round-robin", count="n")
    assert ([site for _, site in steps(turn, 2)], turn.sites) == ([0, 0, 1, 0], None)
    hashed = Trace(file, deal="hash", key="who")
    x, y = (crc32(name) % 5 for name in (b"x", b"y"))
    assert ([site for _, site in steps(hashed, 5)], x != y) == ([x, y, x], True)
    assert play(Deterministic(alpha=0.1), turn, sites=2, items=4).messages_of_site[0][0] > 0
    with pytest.raises(ScenarioError, match="sites: is missing: a trace is dealt to sites"):
        load({"protocol": "exact", "adversary": {"kind": "trace", "file": file, "deal": "round-robin"}})


@pytest.mark.parametrize("seed", range(6))
def test_rows_in_their_own_time_are_those_of_a_list(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a list of steps, sorted: in blocks of a few rows, with counts, from rows in and out of order."""
    for module in ("tables", "streams"):
        monkeypatch.setattr(f"disttrack.adversaries.{module}.CHUNK", 1 + seed * 2)
    draw, at, rows = random.Random(seed), 0, []
    for _ in range(40):
        at += draw.choice((0, 0, 1, 30, 999, 5_000))
        rows.append((at, f"s{draw.randrange(3)}", draw.choice((1, 1, 2, 6))))
    if seed % 2:
        draw.shuffle(rows)
    reading.load.cache_clear()
    lines = "".join(f"{moment / 1000:.3f},{site},{count}\n" for moment, site, count in rows)
    trace = Trace(written("at,who,n\n" + lines, f"{seed}.csv"), site="who", time="at", count="n", step="10ms", speed=2)
    rows.sort(key=lambda row: row[0])
    sites = list(dict.fromkeys(site for _, site, _ in rows))
    moments = [((moment - rows[0][0]) // 20, sites.index(site)) for moment, site, count in rows for _ in range(count)]
    pace = max(sum(other == moment for other, _ in moments) for moment, _ in moments)
    seen: dict[int, int] = {}
    expected = []
    for moment, site in moments:
        seen[moment] = seen.get(moment, 0) + 1
        expected.append((moment * pace + seen[moment], site))
    assert (trace.pace, steps(trace)) == (pace, expected)
    assert trace.stream().rows.steps == expected[-1][0]
    assert trace.stream().rows.in_order == (not seed % 2)


@pytest.mark.parametrize("network", [None, {"latency": 2}])
def test_trackers_play_a_log_in_its_own_time(network: dict[str, Any] | None) -> None:
    rows = "".join(f"{7 * number // 2},s{number % 3}\n" for number in range(90))
    trace = Trace(written("at,who\n" + rows, "t.csv"), site="who", time="at", step="7s")
    games = [
        play(Deterministic(alpha=0.1), trace, sites=3, items=90, engine=engine, network=network)
        for engine in ("step", "leap", "auto")
    ]
    assert len({(game.words, game.steps, game.max_rel_error, game.extra["max_lag_error"]) for game in games}) == 1
    assert (games[0].steps, trace.pace, trace.oblivious) == (45 * 2, 2, True)


def test_items_have_no_time_of_their_own() -> None:
    """Seen: "did you mean 'site'?" """
    for name, why in (("step", "so there are no pauses"), ("cost", "count has the weights of items")):
        given = {"file": "t.csv", "site": "a", "item": "b", name: "1s"}
        with pytest.raises(TypeError, match=f"^ItemTrace has no parameter '{name}': .*{why}"):
            ItemTrace(**given)  # type: ignore[arg-type]
        with pytest.raises(ScenarioError, match=f"{name}: item-trace has no such parameter: .*{why} .accepted: file"):
            made_from("adversary", {"kind": "item-trace", **given})


def test_settings_are_those_of_texts_and_files() -> None:
    file = written("app,1,2\nA,0,3\n", "wide.csv")
    text = made_from("adversary", f"trace:file={file},site=app,wide={{columns: 1..2, unit: 1 min}},step=1s")
    entry = {"kind": "trace", "file": file, "site": "app", "wide": {"columns": "1..2", "unit": "1 min"}, "step": "1s"}
    assert text == made_from("adversary", entry)
    assert load({"protocol": "exact", "sites": 1, "items": 3, "adversary": entry}).points[0].items == 3
