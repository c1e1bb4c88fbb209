"""Files are written whole or not at all, whatever goes wrong in between, and there is one place that writes them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic
from disttrack.simulator.errors import RunError
from disttrack.simulator.game.play import play
from disttrack.simulator.results.files import write_text, write_with, writing

ROOT = Path(__file__).resolve().parents[3]


def full(*_: Any) -> None:
    raise OSError(28, "No space left on device")


def half(path: Path) -> None:
    path.write_text("half of the n")
    raise OSError(28, "No space left on device")


def stopped(path: Path) -> None:
    path.write_text("half of the n")
    raise KeyboardInterrupt


@pytest.mark.parametrize(("write", "error"), [(half, RunError), (stopped, KeyboardInterrupt)])
def test_a_write_that_fails_leaves_the_old_file_whole(
    tmp_path: Path, write: Callable[[Path], None], error: type[BaseException]
) -> None:
    path = tmp_path / "page.html"
    write_text(path, "the old page")
    with pytest.raises(error):
        write_with(path, write)
    assert path.read_text() == "the old page"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_file_that_cannot_take_its_place_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text(tmp_path / "page.html", "the old page")
    monkeypatch.setattr("disttrack.simulator.results.files.os.replace", full)
    with pytest.raises(RunError, match=r"page\.html: cannot be written: No space left on device"):
        write_text(tmp_path / "page.html", "the new page")
    assert (tmp_path / "page.html").read_text() == "the old page"
    assert os.listdir(tmp_path) == ["page.html"]


def test_several_files_appear_together_or_not_at_all(tmp_path: Path) -> None:
    with writing(tmp_path) as start:
        start("a.csv").write("a")
        assert not (tmp_path / "a.csv").exists()
        start("b.csv").write("b")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.csv": "a", "b.csv": "b"}
    with pytest.raises(RunError), writing(tmp_path) as start:  # noqa: PT012
        start("a.csv").write("new")
        start("b.csv").write("half of the n")
        full()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.csv": "a", "b.csv": "b"}


def test_a_figure_and_a_transcript_are_whole_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = play(Deterministic(alpha=0.1), RoundRobin(), sites=2, items=50, record=True)
    game.plot(tmp_path / "game.png")
    before = (tmp_path / "game.png").read_bytes()
    monkeypatch.setattr("disttrack.simulator.results.files.os.replace", full)
    with pytest.raises(RunError, match="cannot be written"):
        game.plot(tmp_path / "game.png")
    assert (tmp_path / "game.png").read_bytes() == before
    assert os.listdir(tmp_path) == ["game.png"]


def test_a_link_stays_a_link_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link.txt").symlink_to(tmp_path / "there" / "file.txt")
    write_text(tmp_path / "link.txt", "text")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "there" / "file.txt").read_text() == "text"
    write_text(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()


def test_a_folder_in_the_way_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "page.html").mkdir()
    with pytest.raises(RunError, match="cannot be written"):
        write_text(tmp_path / "page.html", "text")
    assert os.listdir(tmp_path) == ["page.html"]


HERE = {
    "simulator/results/files.py": "the one place",
    "simulator/points/code.py": "digests of the code, beside what Python compiles of it",
    "simulator/plots/style.py": "the picture that a notebook shows, into memory",
    "simulator/replay/files.py": "the record of a game, to the path that `write_with` hands over",
    "simulator/replay/drawing.py": "the drawing of a game, into memory",
    "simulator/runs/journal.py": "moves a damaged journal aside; the games are written by SQLite",
    "simulator/runs/worker.py": "what classes print, to the end of a file",
    "simulator/runs/dask_workers.py": "the same, into nothing",
    "simulator/templates/checks_my_task.py": "the scenario that a user's test plays, in a folder of its own",
    "simulator/templates/checks_my_plot.py": "the same",
}
"""Files in which something is written, and what."""


def writes(call: ast.Call) -> bool:
    """Tell whether a call opens a file to write, writes one, or moves one."""
    name = ast.unparse(call.func)
    if name in ("open", "FileIO"):
        return any(ast.unparse(mode)[1] in "wax" for mode in call.args[1:2])
    methods = (".write_text", ".write_bytes", ".savefig", ".to_csv", ".to_json")
    return name in ("os.write", "os.replace", "os.rename", "shutil.move") or name.endswith(methods)


MAY_WRITE = re.compile(r"\bopen\(|FileIO|\.write_|\.savefig|\.to_csv|\.to_json|\bos\.|\bshutil\.")
"""Text without which no call writes: only what has it is parsed."""


def test_nothing_is_written_anywhere_else() -> None:
    found = set()
    for package in ("simulator", "protocols", "adversaries", "mechanisms", "benchmarks"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text("utf-8")
            calls = ast.walk(ast.parse(text)) if MAY_WRITE.search(text) else ()
            if any(writes(node) for node in calls if isinstance(node, ast.Call)):
                found.add(str(path.relative_to(ROOT)))
    assert found == set(HERE)
