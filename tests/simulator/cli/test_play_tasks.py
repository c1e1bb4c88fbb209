"""`play` plays every task: the game that its protocol is made for, with sizes that are not given left to the task."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from commands import disttrack
from loaded_scenarios import loaded

from disttrack.simulator.game.columns import NETWORK
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.registry import kinds

SHORT = 0.3
"""Seconds that a game may take, by its estimate."""


@cache
def quickest() -> dict[str, Point]:
    """Return of each task that a shipped scenario plays the point with the shortest games."""
    points = [point for scenario in loaded().values() for point in scenario.points if point.network is None]
    points.sort(key=lambda point: point.task.make().demand(point).seconds)
    return {point.task.kind: point for point in reversed(points)}


def flags(point: Point) -> list[str]:
    """Return the options that describe a point."""
    task, words = point.task.maker(), ["--task", point.task.kind]
    for role in ("protocol", "adversary"):
        part = getattr(point, role)
        # a list is swept: one that is a value stands in another
        values = {name: [value] if isinstance(value, list | tuple) else value for name, value in part.arguments.items()}
        given = [f"{name}={json.dumps(value)}" for name, value in values.items()]
        words += [f"--{role}", " ".join([part.kind, *given])]
    for size in task.sizes:
        if (value := getattr(point, size.column)) is not None:
            words += ["--set", f"{size.key}={value}"]
    return words


@pytest.mark.slow
def test_every_task_that_a_scenario_plays() -> None:
    """Each prints a verdict, in words and as a document; no number of a size is left over."""
    played = {kind: point for kind, point in quickest().items() if point.task.make().demand(point).seconds < SHORT}
    assert len(played) > len(kinds("task")) / 2
    for kind, point in list(played.items())[::4]:
        result = disttrack("play", *flags(point), "--json")
        assert result.exit_code == 0, (kind, flags(point), result.output)
        assert json.loads(result.stdout)["verdict"] in ("ok", "failed", "undecided"), kind


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["frequency-sample:alpha=0.2", "--adversary", "zipf-items", "--items", "50"], ["worst item:", "64 sites"]),
        (["countdown:threshold=40,epsilon=0.1", "--set", "threshold=40", "--sites", "2"], ["raised:", "40 threshold"]),
    ],
)
def test_the_task_is_the_protocols_own(words: list[str], says: list[str]) -> None:
    result = disttrack("play", "--protocol", *words)
    assert result.exit_code == 0, result.output
    assert [text for text in says if text not in result.stdout] == []


@pytest.mark.slow
def test_columns_of_a_network_are_shown_of_one_only() -> None:
    """Of every task, in words and as a document. Seen: a limit in windows had a lag-aware error."""
    for kind, point in quickest().items():
        if point.task.make().demand(point).seconds < SHORT:
            shown = json.loads(disttrack("play", *flags(point), "--json").stdout).keys()
            lines = disttrack("play", *flags(point)).stdout.splitlines()
            labels = {line.partition(":")[0].replace(" ", "_") for line in lines}
            assert not (shown | labels) & {*NETWORK}, kind


def test_a_lag_aware_error_is_shown_on_a_network() -> None:
    words = ["play", "--protocol", "exact", "--items", "99", "--json"]
    assert "max_lag_error" in json.loads(disttrack(*words, "--set", "network.latency=2").stdout)
    assert "max_lag_error" not in json.loads(disttrack(*words).stdout)


def engine_of(*words: str) -> Any:
    return json.loads(disttrack("play", "--json", "--sites", "4", *words).stdout)["engine"]


def test_a_small_game_is_played_by_simpy_if_no_engine_is_asked_for() -> None:
    reacting = ["--protocol", "randomized", "--adversary", "freeze"]
    assert engine_of(*reacting, "--items", "500") == "step"
    assert engine_of(*reacting, "--items", "500", "--set", "engine=leap") == "leap"
    assert engine_of(*reacting, "--items", "50000") in ("leap", "compiled")
    assert engine_of("--protocol", "randomized", "--items", "500") == "step"
