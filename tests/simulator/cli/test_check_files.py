"""`check` names the user's files, of which it has executed the code."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from disttrack.simulator.cli import main

CODE = """\
from disttrack.adversaries import Adversary, Burst
from HELPER import SITE

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


def test_files_of_the_user_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a module is imported once by a process: each run has its own
    helper = f"helper_{hashlib.sha256(bytes(tmp_path)).hexdigest()[:12]}"
    Path("mine.py").write_text(CODE.replace("HELPER", helper))
    Path(f"{helper}.py").write_text("SITE = 0\n")
    Path("t.csv").write_text("at\n" + "a\nb\n" * 10)
    Path("s.yaml").write_text(SCENARIO)
    check("s.yaml")
    printed = capsys.readouterr().out
    assert all(name in printed for name in (f"{helper}.py", "mine.py", "t.csv"))
    assert "executed where code" in printed
    check("s.yaml", "--json")
    (document,) = json.loads(capsys.readouterr().out)["files"]
    digests = {Path(name).name: digest for name, digest in document["user_files"].items()}
    names = (f"{helper}.py", "mine.py", "t.csv")
    assert digests == {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in names}
