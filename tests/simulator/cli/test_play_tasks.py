"""`play` plays every task, with sizes that are not given left to it, by the engine that is asked for."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

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
    """Each prints a verdict, in words and as a document, and without a network no column of one.

    Seen: a limit in windows had a lag-aware error.
    """
    played = {kind: point for kind, point in quickest().items() if point.task.make().demand(point).seconds < SHORT}
    assert len(played) > len(kinds("task")) / 2
    for kind, point in played.items():
        result = disttrack("play", *flags(point), "--json")
        assert result.exit_code == 0, (kind, flags(point), result.output)
        shown = json.loads(result.stdout)
        assert shown["verdict"] in ("ok", "failed", "undecided"), kind
        lines = disttrack("play", *flags(point)).stdout.splitlines()
        labels = {line.partition(":")[0].replace(" ", "_") for line in lines}
        assert not ({*shown} | labels) & {*NETWORK}, kind


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


# ---------------------------------------------------------------------- the engine that is asked for


FORMER: Final = "engine: bulk is no more; auto plays the game"
SIDES: Final = ("--protocol", "randomized:alpha=0.2", "--adversary", "uniform", "--sites", "3", "--items", "300")
FILE: Final = """\
name: former
sites: 3
items: 300
engine: bulk
protocol: {kind: randomized, alpha: 0.2}
adversary: uniform
"""


@pytest.fixture
def file() -> str:
    Path("former.yaml").write_text(FILE, encoding="utf-8")
    return "former.yaml"


def test_a_former_engine_in_a_file_is_read_with_a_line(file: str) -> None:
    assert FORMER in disttrack("check", file).output
    done = disttrack("run", file, "--workers", "1", "--no-figures")
    assert (done.exit_code, done.stderr.count(FORMER)) == (0, 1)
    tables = []
    for engine in ("bulk", "auto"):
        flags = ("--workers", "1", "--no-figures", "--set", f"engine={engine}", "--out", engine)
        assert disttrack("run", file, *flags).exit_code == 0
        rows = [line.split(",") for line in Path(engine, "trials.csv").read_text(encoding="utf-8").splitlines()]
        seconds = rows[0].index("seconds")
        tables.append([row[:seconds] + row[seconds + 1 :] for row in rows])
        assert rows[1][rows[0].index("engine")] == "leap"
    assert tables[0] == tables[1]


def test_a_former_engine_in_a_flag_is_read_with_a_line() -> None:
    done = disttrack("play", *SIDES, "--set", "engine=bulk")
    assert (done.exit_code, done.stderr.count(FORMER)) == (0, 1)
    assert FORMER not in disttrack("play", *SIDES).stderr


@pytest.mark.parametrize("there", [True, False])
def test_large_games_without_numba_are_named_before_they_begin(
    there: bool, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, with how long they take and how long with numba; not where that saves less than to compile."""
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: there)
    for compiling, asked, lines in ((0.0, "auto", not there), (1e9, "auto", 0), (0.0, "leap", 0)):
        monkeypatch.setattr("disttrack.simulator.game.engines.compiled.COMPILING", compiling)
        more = "--set", f"engine={asked}"
        commands = (("check", file), ("play", *SIDES), ("run", file, "--workers", "1", "--no-figures", "--fresh"))
        for command in commands[: 1 + 2 * (asked == "auto" and not compiling)]:
            done = disttrack(*command, *more)
            shown = [line for line in done.output.splitlines() if not line.startswith("engine: ")]
            said = [line for line in shown if "numba is not installed" in line]
            assert done.exit_code == 0
            assert len(said) == lines, command
            assert all("of play, and" in line and "with it" in line for line in said)
