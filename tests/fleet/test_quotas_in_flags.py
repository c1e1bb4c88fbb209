"""Quotas in flags and calls: a kind with parameters, sizes as floats, and the game that they play."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import disttrack, refused

from disttrack import Freeze, Lease, RoundRobin, Split, play

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("kind", ["split", "lease"])
def test_a_quota_is_no_counter(kind: str) -> None:
    said = refused("play", "--protocol", f"{kind} limit=10 window=100", "--task", "count")
    assert "plays quota, not count: a scenario with `task: quota` plays it" in said


def test_sizes_of_a_quota_may_be_floats_that_are_whole() -> None:
    assert play(Split(limit=10, window=100), RoundRobin(), sites=2, items=1e3).items == 1000  # type: ignore[arg-type]


def test_a_game_without_a_verdict_says_why() -> None:
    """Seen: `undecided` for a quota that the command line judges, as a run does."""
    sizes = {"sites": 2, "items": 100}
    assert "undecided (its promise is that of task quota: run({'task': 'quota', …}) judges it)" in repr(
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
    assert "log.csv: 'at' only sorts the rows" in result.stderr
    assert "beyond the limit" in result.stdout


def test_sizes_of_another_task_are_refused_with_those_of_a_quota() -> None:
    said = refused("play", "--protocol", "lease:limit=9,window=30", "--adversary", "greedy", "--items", "90")
    assert "--items: task quota has other sizes (accepted: --set sites=N, --set requests=N)" in said
