"""How much work a scenario is: bounds that hold, known at once, and refusals of what no machine can play."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import disttrack

from disttrack.adversaries.base import View
from disttrack.adversaries.contents import BlindSplits
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs import estimate as estimates
from disttrack.simulator.experiments.runs.estimate import (
    BYTES_A_GAME,
    BYTES_A_WORKER,
    SECONDS_A_GAME,
    estimate,
    free_memory,
)
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.game.tasks import Demand
from disttrack.simulator.game.tasks.tracking import ASKED_IN_PYTHON, RATES, SENT, Count

SMALL: dict[str, Any] = {
    "sites": [20, 40],
    "items": 50_000,
    "trials": 2,
    "protocol": [{"kind": "deterministic", "alpha": 0.1}, {"kind": "martingale", "alpha": 0.1}],
    "adversary": ["round-robin", "freeze"],
}


@pytest.fixture(autouse=True)
def _with_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates are those of a machine with numba."""
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: True)


def game_of(**changes: Any) -> Scenario:
    """Return a scenario of one game of a billion items."""
    one = {"sites": 16, "items": 10**9, "protocol": {"kind": "deterministic", "alpha": 0.1}, "adversary": "round-robin"}
    return load({**one, **changes})


def test_the_messages_bound_those_that_are_sent(tmp_path: Any) -> None:
    scenario = load(SMALL)
    work = estimate(scenario, 2)
    sent = run(scenario, workers=1, out=tmp_path).trials["messages"].sum()
    assert sent <= work.messages <= 20 * sent  # an upper bound, and not one of no use
    assert work.disk == 16 * BYTES_A_GAME


def test_the_time_is_that_of_the_messages_sent_by_the_rate_of_the_engine() -> None:
    deterministic = game_of()
    bound = deterministic.points[0].protocol.make().cost_bound(16, 10**9)
    assert estimate(deterministic, 1).messages == bound
    sent = SENT["deterministic"] * bound
    for changes, engine in (({}, "compiled"), ({"adversary": "freeze"}, "compiled"), ({"engine": "leap"}, "leap")):
        assert estimate(game_of(**changes), 1).seconds == pytest.approx(sent / RATES[engine][0] + SECONDS_A_GAME)
    assert estimate(game_of(trials=10), 4).seconds == pytest.approx(10 * estimate(game_of(), 1).seconds / 4)


def test_what_a_compiler_would_save_is_the_difference_of_the_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """And only of games that it would play; `leap` that is asked for saves nothing."""
    with_it, leap = estimate(game_of(), 1), estimate(game_of(engine="leap"), 1)
    assert (with_it.saved, leap.saved) == (0, 0)
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: False)
    without, still = estimate(game_of(), 1), estimate(game_of(engine="leap"), 1)
    assert without.seconds == leap.seconds
    assert without.saved == pytest.approx(leap.seconds - with_it.seconds)
    late = game_of(network={"latency": 3, "faults": "site 0 cut 5-9"})
    assert (still.saved, estimate(late, 1).saved) == (0, 0)


def test_an_adversary_that_is_asked_at_each_item_takes_its_time_by_items(tmp_path: Path) -> None:
    """100,000 items took 2 to 3 s where 15 ms were stated, by the rate of messages."""
    (tmp_path / "own.py").write_text("def each(view):\n    return view.steps % view.sites\n", encoding="utf-8")
    own = {"adversary": f"{tmp_path}/own.py:each", "items": 10**6}
    for protocol in ({"kind": "randomized", "alpha": 0.1}, "exact"):
        assert estimate(game_of(**own, protocol=protocol), 1).seconds > 10**6 / ASKED_IN_PYTHON
    assert estimate(game_of(items=10**6), 1).seconds < 0.1


@pytest.mark.parametrize(("size", "bits"), [(20, 60), (100, 1000), (10, 400)])
def test_splits_of_an_interval_are_about_as_many_as_are_played(size: int, bits: int) -> None:
    """The turns of the control, which knows no sample: it asks for one item at a time until the interval is empty."""
    turns = []
    for seed in range(5):
        view = View(sites=4, items=10**6, rng=np.random.default_rng(seed), known={"size": size})
        script = BlindSplits(bits=bits).script(view)
        while next(script).length == 1:
            view.record(sent=view.sent + 1)
        turns.append(view.sent)
    assert 0.5 < np.mean(turns) / BlindSplits(bits=bits).splits(size, 10**6) < 2
    assert BlindSplits(bits=bits).splits(size, 10) == 10


@pytest.mark.parametrize("adversary", ["uniform", "zipf"])
def test_random_streams_take_time_by_labels_and_then_by_messages(adversary: str) -> None:
    few, labels, more = (estimate(game_of(items=n, adversary=adversary), 1).seconds for n in (2**20, 2**26, 2**36))
    assert labels > 30 * few
    assert labels < more < 2 * labels


def test_memory_is_that_of_the_largest_games_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two trials of each point: of sizes 20 and 40, the eight largest games are 40, however many workers there are."""
    monkeypatch.setattr(Count, "demand", lambda task, point: Demand(1.0, memory=1e9 * point.sites))
    scenario = load(SMALL)
    for workers, games in ((1, 40), (2, 80), (8, 8 * 40), (9, 8 * 40 + 20), (16, 8 * 60), (99, 8 * 60)):
        work = estimate(scenario, workers)
        assert work.memory == pytest.approx(1e9 * games + min(workers, 16) * BYTES_A_WORKER)
        assert work.largest.sites == 40


def test_games_that_wait_need_memory() -> None:
    one, many = (estimate(game_of(trials=trials), 1).memory for trials in (1, 10**7))
    assert many - one > 3e9


def test_a_run_of_months_asks_before_it_begins() -> None:
    long = estimate(game_of(items=10**15, engine="step"), 1)
    with pytest.raises(ScenarioError, match=r"hours with 1 worker, more than 24 hours; .*or run --yes$"):
        long.refuse_too_long(24)
    warning = long.refuse_too_long(inf)
    assert "hours with 1 worker;" in warning
    assert "\n" not in warning
    assert estimate(game_of(), 1).refuse_too_long(24) == ""


NO_BOUND = """
from math import inf
from disttrack import {one}

class Mine({one}):
    def cost_bound(self, k, items, start=0):
        return inf
"""


@pytest.mark.parametrize(
    ("one", "task", "adversary"),
    [("Deterministic", "count", "round-robin"), ("FrequencyDeterministic", "item-frequency", "zipf-items")],
)
def test_a_protocol_without_a_cost_bound_is_a_message_an_item(
    one: str, task: str, adversary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An infinite bound ended `check` of item trackers in a traceback; `play` refused games of milliseconds."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(NO_BOUND.format(one=one), encoding="utf-8")
    sides = {"protocol": {"kind": "mine.py:Mine", "alpha": 0.1}, "adversary": adversary}
    work = estimate(load({"name": "s", "task": task, "sites": 4, "items": 10**14, **sides}), 1)
    assert (work.messages, work.unbounded) == (10**14, (work.largest.protocol.label,))
    with pytest.raises(ScenarioError, match=r"at most .* hours .*--yes; no cost_bound in Mine.*: a message an item$"):
        work.refuse_too_long(24)
    if task == "count":
        assert disttrack("play", "--protocol", "mine.py:Mine alpha=0.1", "--sites", "4", "--items", "1e12").stdout


def test_a_trace_needs_the_memory_in_which_it_is_read(tmp_path: Path) -> None:
    """Measured with three million rows: at most 36 bytes a row, and 270 if they are sorted by their time."""
    (tmp_path / "t.csv").write_text("at,who\n" + "".join(f"{-place},s{place % 7}\n" for place in range(1000)))
    trace = {"kind": "trace", "file": str(tmp_path / "t.csv"), "site": "who"}
    plain, timed = (
        load({"protocol": {"kind": "exact"}, "adversary": {**trace, **more}}) for more in ({}, {"time": "at"})
    )
    for scenario, bytes_a_row in ((plain, 36), (timed, 270)):
        assert estimate(scenario, 1).memory >= BYTES_A_WORKER + 1000 * bytes_a_row


@pytest.mark.parametrize(("allowed", "free"), [("5000000\n", 3_000_000), ("2000000\n", 0), ("max\n", None)])
def test_a_container_has_the_memory_that_it_has_not_taken(
    allowed: str, free: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memory.max").write_text(allowed)
    (tmp_path / "memory.current").write_text("2000000\n")
    monkeypatch.setattr(estimates, "CGROUP", tmp_path)
    found = free_memory()
    assert found == free if free is not None else found is None or found > 5_000_000
