"""The engine that a command is asked for: one of earlier versions, one that a task lacks, and what numba would save."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from commands import disttrack, refused

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


@pytest.mark.parametrize("engine", ["arrays", "warp"])
def test_an_engine_that_the_task_lacks_is_one_line(engine: str, file: str) -> None:
    for command in (("play", *SIDES), ("run", file)):
        assert engine in refused(*command, "--set", f"engine={engine}")


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
            said = [line for line in done.output.splitlines() if "numba is not installed" in line]
            assert done.exit_code == 0
            assert len(said) == lines, command
            assert all("of play, and" in line and "with it" in line for line in said)
