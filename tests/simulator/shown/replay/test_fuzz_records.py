"""Recorded games that are damaged, or made up with a right checksum: one line, or a game to be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hostile import damaged, hold_line, mutated, often, sealed
from hypothesis import given

from disttrack.simulator.cli import main
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.shown.replay.files import load


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("record") / "game.jsonl"
    sides = ["--protocol", "randomized:alpha=0.3", "--adversary", "freeze"]
    with pytest.raises(SystemExit) as ended:
        main.main(["play", *sides, "--sites", "3", "--items", "25", "--record", str(path)])
    assert ended.value.code in (0, 1)
    return path


def hold(content: bytes, path: Path) -> bool:
    """Hold that a file is refused in a line; tell whether it was taken."""
    path.write_bytes(content)
    try:
        load(path)
    except ScenarioError as error:
        hold_line(error)
        return False
    return True


def test_a_damaged_record_is_never_taken(recorded: Path, tmp_path: Path) -> None:
    whole = recorded.read_bytes()

    @often(150)
    @given(content=damaged([whole]))
    def tried(content: bytes) -> None:
        taken = hold(content, tmp_path / "damaged.jsonl")
        assert taken == (content == whole) or content.rstrip(b"\n") == whole.rstrip(b"\n")

    tried()


@pytest.mark.slow
def test_a_made_up_record_is_refused_or_shown(recorded: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()[:-1]]
    path = tmp_path / "made-up.jsonl"

    @often(150)
    @given(changed=mutated([rows]))
    def tried(changed: Any) -> None:
        if hold(sealed(changed), path):
            with pytest.raises(SystemExit) as ended:
                main.main(["replay", str(path), "--out", str(tmp_path / "page.html")])
            assert ended.value.code in (0, 2)

    tried()
