"""What figures describe is as in the golden files: every text, axis, look and value."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_figures import FOLDER, wanted

NAMES = sorted(wanted(Path()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("synthetic")


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_describes_what_the_golden_file_says(name: str, folder: Path) -> None:
    path = FOLDER / f"{name}.txt"
    assert wanted(folder)[name]().splitlines() == path.read_text(encoding="utf-8").splitlines(), (
        "if this was meant, read the difference that `make goldens` makes"
    )


def test_there_is_a_file_for_every_figure_and_no_other() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == NAMES
