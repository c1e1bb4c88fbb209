"""Bars: whole in the width of the terminal, for whatever takes long, and none in a log."""

from __future__ import annotations

import re
import time
from io import StringIO

import pytest

from disttrack.simulator.experiments.runs.progress import Progress
from disttrack.simulator.game.present import in_play
from disttrack.simulator.shown.terminal import progress
from disttrack.simulator.shown.terminal.progress import bar, waiting


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.getvalue())
        return [line for line in re.split(r"[\r\n]+", plain) if line.strip()]


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return the terminal that is standard error from now on: pytest sets its own at the beginning of a test."""
    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "TICK", 0.01)
    return stderr


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("name", ["a", "a scenario with a name that is longer than a line"])
def test_a_bar_is_whole_in_any_width(monkeypatch: pytest.MonkeyPatch, columns: int, name: str) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = terminal(monkeypatch)
    with bar(name) as show:
        show(Progress(games=355, played=7, left=19500.0, in_play=0.25))
    words = "7 of 355 games, about 5 h 25 min left" if columns > 60 else "7 of 355 games"
    assert any(words in line and "━" in line for line in shown.lines)
    assert max(map(len, shown.lines)) <= columns


@pytest.mark.parametrize(("share", "words"), [(0.25, "25 % of the items sent, 0"), (float("nan"), " 0.0")])
def test_one_long_game_has_a_bar(monkeypatch: pytest.MonkeyPatch, share: float, words: str) -> None:
    shown = terminal(monkeypatch)
    with in_play(lambda: share), waiting("play"):
        time.sleep(0.2)
    assert any(words in line for line in shown.lines)


def test_a_short_game_has_none_and_a_log_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with waiting("play"):
        pass
    assert shown.lines == []
    log = StringIO()
    monkeypatch.setattr("sys.stderr", log)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with waiting("play"):
        time.sleep(0.05)
    assert log.getvalue() == ""
    monkeypatch.setattr(progress, "EVERY", 0.02)
    with in_play(lambda: 0.25), waiting("play"):
        time.sleep(0.2)
    assert log.getvalue().startswith("play: 25 % of the items sent, 0")
