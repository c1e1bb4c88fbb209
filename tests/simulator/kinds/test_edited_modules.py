"""A module that was edited after its import is never taken for its file, however and whenever it was imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

MINE: Final = """
from disttrack import Exact
from helper_of_mine import SHARE
class Mine(Exact):
    share: int = SHARE
"""
HELPER: Final = "SHARE = 1\n"
WAYS: Final = {
    "a class": ("import mine_to_edit", "mine_to_edit.py"),
    "a helper": ("import mine_to_edit", "helper_of_mine.py"),
    "a helper, before disttrack": ("import helper_of_mine", "helper_of_mine.py"),
    "in a package": ("import folder_of_mine.mine", "folder_of_mine/mine.py"),
    "the package": ("import folder_of_mine.mine", "folder_of_mine/__init__.py"),
    "by a computed name": ("import importlib; importlib.import_module('mine_to_edit')", "mine_to_edit.py"),
    "after disttrack": ("import disttrack; import mine_to_edit", "mine_to_edit.py"),
    "imported again": ("import mine_to_edit; import mine_to_edit", "mine_to_edit.py"),
    "by its path": (
        "import sys; from importlib.util import *\n"
        "spec = spec_from_file_location('mine_to_edit', 'mine_to_edit.py')\n"
        "sys.modules['mine_to_edit'] = made = module_from_spec(spec); spec.loader.exec_module(made)",
        "mine_to_edit.py",
    ),
    "reloaded, whose heirs have the old one": (
        "import mine_to_edit, helper_of_mine, pathlib, importlib\n"
        "pathlib.Path('helper_of_mine.py').write_text('SHARE = 33')\nimportlib.reload(helper_of_mine)",
        "helper_of_mine.py",
    ),
}
"""What imports a module, and which file is edited afterwards."""
RUN: Final = """
from disttrack import ScenarioError, run
scenario = {{"name": "s", "sites": 2, "items": 5, "protocol": {{"kind": "{kind}"}}, "adversary": "round-robin"}}
try:
    print(run(scenario, out="out", workers=1).played)
except ScenarioError as error:
    print(error)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine_to_edit.py").write_text(MINE)
    (tmp_path / "helper_of_mine.py").write_text(HELPER)
    (tmp_path / "folder_of_mine").mkdir()
    (tmp_path / "folder_of_mine/mine.py").write_text(MINE)
    (tmp_path / "folder_of_mine/__init__.py").write_text("")
    return tmp_path


def _printed(folder: Path, script: str) -> str:
    (folder / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.drawn(3)
@pytest.mark.parametrize("way", WAYS)
def test_a_module_that_was_edited_after_its_import_is_refused(way: str, folder: Path) -> None:
    imports, edited = WAYS[way]
    kind = "folder_of_mine.mine:Mine" if "folder" in edited else "mine_to_edit:Mine"
    # the system tells the start of a process in hundredths of a second, and changes of files in four thousandths
    edit = f"\nimport time; time.sleep(0.05); open('{edited}', 'a').write('\\nSHARE = 22')\n"
    answer = _printed(folder, imports + edit + RUN.format(kind=kind))
    assert f"{edited} has changed" in answer
    assert "restart Python" in answer


def test_a_comment_is_no_edit_and_a_file_is_read_when_its_scenario_is(folder: Path) -> None:
    imports = "import disttrack, mine_to_edit\n"
    comment = "open('mine_to_edit.py', 'a').write('\\n# a remark')\n"
    assert _printed(folder, imports + comment + RUN.format(kind="mine_to_edit:Mine")) == "1"
    edit = "open('mine_to_edit.py', 'a').write('\\nMORE = 22')\n"
    assert _printed(folder, edit + RUN.format(kind="mine_to_edit.py:Mine")) == "1"


def test_the_core_is_that_of_the_first_import_of_it(folder: Path) -> None:
    """An edit of a checkout between the first import of a class and that of what digests the code."""
    edit = (
        "from disttrack import loaded, protocols\nimport pathlib\n"
        "loaded.SINCE = pathlib.Path(protocols.__file__).stat().st_mtime_ns - 1\n"
    )
    answer = _printed(folder, f"import disttrack\n{edit}" + RUN.format(kind="exact"))
    assert answer.endswith("has changed: restart Python")


def test_a_class_that_was_typed_in_has_no_text_and_is_refused(folder: Path) -> None:
    """Defined anew, it kept the games of the class before it."""
    define = "from disttrack import Exact\nclass Mine(Exact): pass\n"
    text = define + RUN.format(kind="__main__:Mine")
    done = subprocess.run([sys.executable, "-"], input=text, cwd=folder, capture_output=True, text=True, env=os.environ)
    assert "Mine is of this session only: write a file" in done.stdout
    assert _printed(folder, text).endswith("Mine is named with its file: 'script.py:Mine'")
