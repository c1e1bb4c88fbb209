"""The pace of a machine: which games are played for how long, and what is divided by what."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from adversaries import Freeze, RoundRobin, Uniform
from protocols import Deterministic
from simulator.game import pace
from simulator.game.network import Latency
from simulator.game.pace import Speed, calibrate, speeds


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Let each game take a quarter of a second and send a hundred messages; return the games."""
    made: list[dict[str, Any]] = []
    clock = [100.0]

    def play(protocol: Any, adversary: Any, **options: Any) -> Any:
        made.append({"protocol": protocol, "adversary": type(adversary), **options})
        clock[0] += 0.25
        return SimpleNamespace(messages=100)

    monkeypatch.setattr(pace, "play", play)
    monkeypatch.setattr(pace, "time", SimpleNamespace(process_time=lambda: clock[0]))
    return made


@pytest.mark.parametrize(
    ("name", "engine", "first", "items", "second", "each", "late"),
    [
        ("bulk", "bulk", RoundRobin, 50_000_000, "bulk", 2_000_000, False),
        ("leap", "leap", RoundRobin, 200_000, "leap", 200_000, False),
        ("step", "step", RoundRobin, 20_000, "step", 20_000, False),
        ("reacting", "leap", Freeze, 50_000, "step", 4_000, False),
        ("network", "leap", RoundRobin, 50_000, "leap", 50_000, True),
    ],
)
def test_the_games_of_a_pace(
    played: list[dict[str, Any]], name: str, engine: str, first: type, items: int, second: str, each: int, late: bool
) -> None:
    found = calibrate([name], seconds=2.0)
    common = {"protocol": Deterministic(alpha=0.05), "sites": 200, "network": Latency(constant=5) if late else None}
    assert played[:4] == [{**common, "adversary": first, "items": items, "engine": engine}] * 4  # a second's half each
    assert played[4:] == [{**common, "adversary": Uniform, "items": each, "engine": second}] * 4
    assert found == {name: Speed(messages=400.0, items=4.0 * each)}


def test_the_time_is_shared_by_the_paces(played: list[dict[str, Any]]) -> None:
    found = calibrate(["leap", "step"], seconds=2.0)
    assert [game["engine"] for game in played] == ["leap"] * 4 + ["step"] * 4
    assert list(found) == ["leap", "step"]
    played.clear()
    calibrate(["leap"])  # half a second
    assert len(played) == 2
    played.clear()
    calibrate(["leap"], seconds=0.0)  # one game at least
    assert len(played) == 2
    played.clear()
    calibrate(["leap"], seconds=1.1)
    assert len(played) == 6


def test_a_pace_is_measured_once_in_a_process(played: list[dict[str, Any]]) -> None:
    pace._speed.cache_clear()
    first = speeds(["leap", "step"])
    assert first == {"leap": Speed(400.0, 800_000.0), "step": Speed(400.0, 80_000.0)}
    number = len(played)
    assert number == 4  # a quarter of a second each, of two games
    assert speeds(["step"]) == {"step": first["step"]}
    assert len(played) == number
    pace._speed.cache_clear()
