"""How often a game is played: one without coins for all seeds, if it came to its end; one that kills workers twice."""

from __future__ import annotations

from pathlib import Path

import own_kinds
import pytest

from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load

SMALL = """\
trials: 4
sites: 2
items: 100
protocol: {kind: exact}
adversary: {kind: own.py:RaisesOnce, mark: once}
"""


def test_a_game_that_went_wrong_is_not_counted_for_other_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No coin had fallen in it when it broke off, which says nothing of the other trials; those do share theirs."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(own_kinds.RAISES_ONCE)
    Path("small.yaml").write_text(SMALL.replace("once", str(tmp_path / "once")))
    report = run(load("small.yaml"), out="out", workers=1)
    assert len(report.errors) == 1
    assert report.played + report.alike == 4
    assert report.alike >= 1  # a game of each point comes first; how many go with the next is a matter of pace


def test_a_game_that_kills_its_worker_is_tried_once_more_alone_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two games, each of which would go through at the tenth try."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(own_kinds.DIES_OFTEN)
    text = SMALL.replace("once", str(tmp_path / "tries")).replace("RaisesOnce", "DiesOften")
    Path("small.yaml").write_text(text.replace("trials: 4", "trials: 2"))
    report = run(load("small.yaml"), out="out", workers=2)
    assert len(report.errors) == 2
    assert (tmp_path / "tries").stat().st_size == 2 * 2
