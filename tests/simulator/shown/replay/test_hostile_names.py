"""Names that are markup are shown as text on the page of a replay and in its drawing."""

from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.cli import main

EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"


def renamed(value: Any) -> Any:
    """Return a row of a record with every name in it made hostile."""
    match value:
        case str() if value in ("ok", "failed", "undecided", "step", "leap"):
            return value
        case ["m", step, sender, receiver, kind, *rest]:
            return ["m", step, sender, receiver, kind + EVIL, *rest]
        case dict():
            names = ("protocol", "adversary", "task", "title", "name", "error", "note")
            return {key: f"{one}{EVIL}" if key in names and isinstance(one, str) else one for key, one in value.items()}
    return value


def test_names_of_a_record_become_text(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    sides = ["--protocol", "randomized:alpha=0.3", "--adversary", "freeze"]
    with pytest.raises(SystemExit):
        main.main(["play", *sides, "--sites", "3", "--items", "25", "--record", str(record)])
    rows = [renamed(json.loads(line)) for line in record.read_text(encoding="utf-8").splitlines()[:-1]]
    assert any(EVIL in str(row) for row in rows[1:])
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    end = {"lines": len(lines), "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    record.write_bytes(b"".join(lines) + json.dumps(end).encode() + b"\n")
    with pytest.raises(SystemExit) as ended:
        main.main(["replay", str(record), "--out", str(tmp_path / "page.html")])
    assert ended.value.code in (0, None)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert EVIL not in page
    assert "<img src=x" not in page
    assert "<script>alert" not in page
    assert "alert(" in page  # it is there, as text
    with pytest.raises(SystemExit) as ended:
        main.main(["replay", str(record), "--out", str(tmp_path / "game.svg")])
    assert ended.value.code in (0, None)
    ElementTree.parse(tmp_path / "game.svg")
    assert "<script" not in (tmp_path / "game.svg").read_text(encoding="utf-8")
