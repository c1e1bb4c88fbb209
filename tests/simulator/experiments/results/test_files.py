"""Files are written whole or not at all, whatever goes wrong in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.errors import RunError
from disttrack.simulator.experiments.results.files import replacing, write_text, writing


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
    with pytest.raises(error), replacing(path) as part:
        write(part)
    assert path.read_text() == "the old page"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_file_that_cannot_take_its_place_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text(tmp_path / "page.html", "the old page")
    monkeypatch.setattr("disttrack.simulator.experiments.results.files.os.replace", full)
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
