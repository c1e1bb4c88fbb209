"""Names that are markup are shown as text on the page of a replay and in its drawing."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack
from hostile import sealed

pytestmark = pytest.mark.usefixtures("folder")
EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"


def renamed(value: Any) -> Any:
    """Return a row of a record with every name in it made hostile."""
    match value:
        case ["m", step, sender, receiver, kind, *rest]:
            return ["m", step, sender, receiver, kind + EVIL, *rest]
        case dict():
            names = ("protocol", "adversary", "task", "title", "name", "error", "note")
            return {key: f"{one}{EVIL}" if key in names and isinstance(one, str) else one for key, one in value.items()}
    return value


def test_names_of_a_record_become_text() -> None:
    sides = ["--protocol", "randomized:alpha=0.3", "--adversary", "freeze"]
    disttrack("play", *sides, "--sites", "3", "--items", "25", "--record", "game")
    rows = [renamed(json.loads(line)) for line in Path("game").read_text(encoding="utf-8").splitlines()[:-1]]
    assert any(EVIL in str(row) for row in rows[1:])
    Path("game").write_bytes(sealed(rows))
    for out in ("page.html", "game.svg"):
        assert disttrack("replay", "game", "--out", out).exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert not [wrong for wrong in (EVIL, "<img src=x", "<script>alert") if wrong in page]
    assert "alert(" in page  # it is there, as text
    ElementTree.parse("game.svg")
    assert "<script" not in Path("game.svg").read_text(encoding="utf-8")
