"""A load of the user's that is asked at each request takes its time by requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.tracking import ASKED_IN_PYTHON


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
