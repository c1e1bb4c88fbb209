"""The outcomes of all tasks have one face: ok, words, max_error, plot, a short repr, a table in a notebook."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

import pytest
from loaded_scenarios import short_data

from disttrack import Freeze, FrequencySample, Robust, ZipfItems, play, play_duel
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.point import Point

RUNS = 400
"""Runs of an audit, which needs many more to state anything."""


@cache
def scenarios() -> dict[str, list[Any]]:
    """Return the files of the shipped scenarios by task."""
    files: dict[str, list[Any]] = {}
    for path in shipped_scenarios().values():
        named = re.search(r"^task: ([\w-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        files.setdefault(named[1] if named else "count", []).append(path)
    return files


def smallest(task: str) -> Point:
    """Return the smallest point of the shipped scenarios of a task."""
    points = [point for path in scenarios()[task][:3] for point in load(path).points]
    point = min(points, key=lambda one: (one.items or inf) * (one.sites or 1))
    return replace(point, items=RUNS) if task == "audit" else point


def check_face(game: Any, tmp_path: Any) -> None:
    assert game.ok in (True, False)
    assert game.words is None or game.words >= 0
    assert game.max_error is None or game.max_error >= 0
    assert repr(game).startswith("<game")
    assert "\n" not in repr(game)
    assert len(repr(game)) <= 160
    assert str(game.facts["verdict"]) in repr(game)
    assert str(game.facts["verdict"]) in game._repr_html_()
    if len(game.series):
        assert game.plot(tmp_path / "game.png").axes
        assert (tmp_path / "game.png").stat().st_size > 1_000
    else:
        with pytest.raises(ValueError, match="keeps no timeline"):
            game.plot()


@pytest.mark.drawn(8)
@pytest.mark.parametrize("task", scenarios())
def test_every_task(task: str, tmp_path: Any) -> None:
    with short_data():
        point = smallest(task)
        record = point.task.make().play(point, 1)
    check_face(record, tmp_path)
    assert pickle.loads(pickle.dumps(record)) == record


def test_games_of_play_and_of_play_duel(tmp_path: Any) -> None:
    game = play(Robust(alpha=0.1), Freeze(), sites=4, items=1_000)
    check_face(game, tmp_path)
    assert game.max_error == game.max_rel_error
    assert repr(game).startswith(f"<game robust against freeze: {game.verdict}, largest error ")
    assert f"{game.words:,} words" in repr(game)
    duel = play_duel(FrequencySample(alpha=0.2), ZipfItems(), sites=3, items=100)
    check_face(duel, tmp_path)
    assert duel.max_error == duel.max_rel_error
