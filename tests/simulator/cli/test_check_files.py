"""`check` says which of the user's files it has executed, and which it reads."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from disttrack.simulator.cli import main

CODE = """\
from disttrack.adversaries import Adversary, Burst
from helper import SITE

class Mine(Adversary):
    def plan(self, view):
        return Burst(SITE)
"""
SCENARIO = """\
{name: s, sites: 2, items: 10, protocol: exact,
 adversary: [{kind: 'mine.py:Mine'}, {kind: trace, file: t.csv, site: at}]}
"""


def check(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["check", *arguments])
    assert ended.value.code == 0


def test_files_of_the_user_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CODE)
    Path("helper.py").write_text("SITE = 0\n")
    Path("t.csv").write_text("at\n" + "a\nb\n" * 10)
    Path("s.yaml").write_text(SCENARIO)
    check("s.yaml")
    said = " ".join(capsys.readouterr().out.split())
    assert "executes: helper.py, mine.py: code of yours, already run by this check" in said
    assert "reads: t.csv" in said
    check("s.yaml", "--json")
    (told,) = json.loads(capsys.readouterr().out)["files"]
    files = {Path(one["file"]).name: one for one in told["user_files"]}
    assert {name: one["executed"] for name, one in files.items()} == {
        "helper.py": True,
        "mine.py": True,
        "t.csv": False,
    }
    for name, one in files.items():
        assert one["sha256"] == hashlib.sha256(Path(name).read_bytes()).hexdigest()


def test_without_files_nothing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("{name: s, sites: 2, items: 10, protocol: exact, adversary: uniform}")
    check(str(file))
    said = capsys.readouterr().out
    assert "executes" not in said
    assert "reads" not in said
