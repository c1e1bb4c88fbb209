"""Files are written whole or not at all, whatever goes wrong in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from disttrack.simulator.errors import RunError
from disttrack.simulator.experiments.results.files import replacing, write_text


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


@pytest.mark.parametrize("name", ["figures/a.png", "figures/paper/a.pdf"])
def test_a_file_where_a_folder_must_be_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "figures").touch()
    with pytest.raises(RunError, match=f"{name}: cannot be written: {tmp_path}/figures is no folder$"):
        write_text(tmp_path / name, "text")


def test_a_link_stays_a_link_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link.txt").symlink_to(tmp_path / "there" / "file.txt")
    write_text(tmp_path / "link.txt", "text")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "there" / "file.txt").read_text() == "text"
    write_text(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()
