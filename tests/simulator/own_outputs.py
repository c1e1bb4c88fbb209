"""A command writes over its own file, and over no other."""

from __future__ import annotations

import os
from pathlib import Path

from commands import disttrack, refused


def hold_own_output(*words: str, name: str = "x") -> None:
    """Assert that a command, its words up to the name of its file, replaces its own file only; in a folder of ours."""
    Path("taken").touch()
    assert disttrack(*words, name).exit_code == 0
    own = Path(name).read_bytes()
    assert disttrack(*words, name).exit_code == 0
    assert Path(name).read_bytes() == own
    assert disttrack(*words, os.devnull).exit_code == 0
    Path(name).write_text("mine")
    assert "not written by this command" in refused(*words, name)
    assert Path(name).read_text() == "mine"
    assert "cannot be written" in refused(*words, "taken/x")
    assert "directory" in refused(*words, ".")
