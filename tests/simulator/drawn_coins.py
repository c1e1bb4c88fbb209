"""Whether a game says that no stream of its has given a number."""

from __future__ import annotations

from pathlib import Path

from disttrack.simulator.experiments.runs.jobs import Job
from disttrack.simulator.experiments.runs.worker import play_job
from disttrack.simulator.experiments.scenario.load import load


def written(task: str, protocol: str, adversary: str, trials: int = 1) -> str:
    """Return a scenario as text; a task with its sizes."""
    return f"task: {task}\nprotocol: {protocol}\nadversary: {adversary}\nseed: 3\ntrials: {trials}\n"


def hold_coins(task: str, protocol: str, adversary: str, coins: bool) -> None:
    """Assert that a game says whether it has drawn coins, and that without any all seeds play one game."""
    Path("one.yaml").write_text(written(task, protocol, adversary), encoding="utf-8")
    point = load("one.yaml").points[0]
    assert play_job(Job("", point, 0, 5, 1.0, point.made_of())).coins is coins
    if not coins:
        made_of = point.made_of()
        rows = [play_job(Job("", point, 0, seed, 1.0, made_of)).row for seed in range(4)]
        assert len({repr({**row, "seconds": 0}) for row in rows}) == 1
