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
