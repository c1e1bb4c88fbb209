"""What a scenario says of itself: points that are listed twice, and what was set over a list of entries."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from disttrack.simulator.cli import main
from disttrack.simulator.scenario.load import load

TWICE = """\
sites: [2, 4, 2]
items: 100
trials: 1
protocol:
  - {kind: exact}
  - {kind: deterministic, alpha: 0.1}
adversary: round-robin
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("twice.yaml").write_text(TWICE)


def test_points_that_are_listed_twice_are_named() -> None:
    (note,) = load("twice.yaml").notes
    assert note == (
        "listed twice: 2 points are listed before; the first: point 4 is point 0, exact against round-robin, "
        "2 sites, 100 items (the same games, counted once)"
    )
    assert load("twice.yaml", ["sites=[2, 4]"]).notes == ()


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("protocol=exact", "--set protocol: replaces 2 entries: exact, deterministic"),
        ("protocol.alpha=0.2", "--set protocol.alpha: sets 1 of 2 entries: deterministic"),
        ("protocol.1.alpha=0.2", None),
        ("trials=3", None),
    ],
)
def test_what_was_set_over_a_list_of_entries_is_said(assignment: str, said: str | None) -> None:
    assert list(load("twice.yaml", ["sites=2", assignment]).notes) == ([said] if said else [])


def test_check_and_run_say_both() -> None:
    flags = ["twice.yaml", "--set", "protocol=exact"]
    checked = CliRunner().invoke(main, ["check", *flags])
    played = CliRunner().invoke(main, ["run", *flags, "--no-figures", "--workers", "1"])
    for text in (checked.stdout, played.stderr):
        assert "--set protocol: replaces 2 entries: exact, deterministic" in text
        assert "listed twice: point 2 is point 0, exact against round-robin, 2 sites, 100 items" in text
