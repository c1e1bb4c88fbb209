"""Quotas in flags and calls, the files that commands of this wing write, and how much work a load is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import disttrack, refused

from disttrack import Freeze, Lease, play
from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.tracking import ASKED_IN_PYTHON

pytestmark = pytest.mark.usefixtures("folder")


def test_a_game_without_a_verdict_says_why() -> None:
    """Seen: `undecided` for a quota that the command line judges, as a run does."""
    sizes = {"sites": 2, "items": 100}
    assert "undecided (run({'task': 'quota', …}) judges it)" in repr(
        play(Lease(limit=9, window=50), Freeze(), **sizes)
    )


def test_a_parameter_that_it_has_not_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"Lease has no parameter 'limt'; did you mean 'limit'\?"):
        Lease(limt=9)  # type: ignore[call-arg]


def test_what_a_trace_means_is_said_of_quotas() -> None:
    Path("log.csv").write_text("replica,at\na,1\nb,90\na,700\n", encoding="utf-8")
    sizes = ["--sites", "2", "--set", "requests=3"]
    stream = ["--adversary", "trace:file=log.csv,site=replica,time=at"]
    result = disttrack("play", "--protocol", "central:limit=2,window=3", *stream, *sizes)
    assert result.exit_code == 0
    assert "log.csv: 'at' only sorts rows" in result.stderr
    assert "beyond the limit" in result.stdout


def test_live_looks_at_its_folders_before_the_first_game() -> None:
    small = {"name": "small", "sites": [2, 3], "items": 9, "protocol": "exact", "adversary": "round-robin", "seed": 1}
    Path("small.yaml").write_text(json.dumps(small))
    Path("out/predicted").mkdir(parents=True)
    Path("out/predicted/mine").touch()
    assert "out/predicted: has files" in refused("live", "small.yaml", "--out", "out")


def test_a_load_that_is_asked_at_each_request_takes_its_time_by_requests(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def each(view):\n    return view.steps % view.sites\n", encoding="utf-8")
    quota = {"task": "quota", "requests": 10**6, "limit": 500, "window": 1000, "sites": 8, "protocol": "lease"}
    loads = ("round-robin", f"{tmp_path}/own.py:each")
    usual, own = (estimate(load({**quota, "adversary": one}), 1).seconds for one in loads)
    assert own - usual == pytest.approx(10**6 / ASKED_IN_PYTHON)


@pytest.mark.usefixtures("folder")
def test_a_log_with_long_pauses_takes_its_time_by_its_windows() -> None:
    """Seen: 3 s were said of a log in microseconds that took 95, and 6,159 messages where 245,568 were sent."""
    Path("log.csv").write_text("time,site\n0,a\n20,b\n")
    log = {"kind": "trace", "file": "log.csv", "site": "site", "time": "time"}
    quota = {"task": "quota", "limit": 1, "window": 1000, "trials": 1, "protocol": {"kind": "periodic", "every": 500}}
    games = [load({**quota, "requests": 2, "adversary": {**log, "step": step}}) for step in ("1ms", "1us")]
    long, longer = (estimate(one, 1) for one in games)
    assert longer.seconds > long.seconds + 2
    assert longer.messages >= 2 * 20 * 10**6 / 500 > long.messages
    own = "from disttrack import Lease\nclass Mine(Lease):\n    def cost_bound(self, k, items, start=0):\n        "
    Path("own.py").write_text(f"{own}return float('inf')\n")
    unbounded = load({**quota, "requests": 2, "adversary": {**log, "step": "1us"}, "protocol": "own.py:Mine"})
    assert (estimate(unbounded, 1).messages, estimate(unbounded, 1).unbounded) == (2, ("Mine",))


def test_a_quota_has_no_lag_aware_error() -> None:
    """Seen: it had one, which no verdict was by."""
    words = ["play", "--protocol", "split limit=5 window=50", "--sites", "2", "--set", "requests=99", "--json"]
    for network in ([], ["--set", "network.latency=2"]):
        shown = json.loads(disttrack(*words, *network).stdout)
        assert ("max_lag_error" in shown, "lost" in shown) == (False, bool(network))
