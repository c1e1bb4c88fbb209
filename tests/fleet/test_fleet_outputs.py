"""Commands of this wing write over their own files and into their own folders only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import refused
from own_outputs import hold_own_output

pytestmark = pytest.mark.usefixtures("folder")


def test_a_file_of_the_users_is_not_replaced_by_advise() -> None:
    hold_own_output("advise", "--quota", "1000/s", "--sites", "3", "--overshoot", "50%", "--out")


def test_live_looks_at_its_folders_before_the_first_game() -> None:
    small = {"name": "small", "sites": [2, 3], "items": 9, "protocol": "exact", "adversary": "round-robin", "seed": 1}
    Path("small.yaml").write_text(json.dumps(small))
    Path("out/predicted").mkdir(parents=True)
    Path("out/predicted/mine").touch()
    assert "out/predicted: has files" in refused("live", "small.yaml", "--out", "out")
