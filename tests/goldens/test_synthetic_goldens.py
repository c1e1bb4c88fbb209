"""What figures and pages of synthetic results show is as in the golden files: every text, axis, look and value."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import golden_edited
import golden_figures
import golden_pages
import pytest

MODULES = (golden_edited, golden_figures, golden_pages)
CASES = [pytest.param(module, name, id=name) for module in MODULES for name in sorted(module.wanted(Path()))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("synthetic")


@pytest.mark.parametrize(("module", "name"), CASES)
def test_it_is_what_the_golden_file_says(module: ModuleType, name: str, folder: Path) -> None:
    place = folder / module.__name__
    place.mkdir(exist_ok=True)
    text = (module.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert module.wanted(place)[name]().splitlines() == text.splitlines(), (
        "if this was meant, read the difference that `python tests/goldens` makes"
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_there_is_a_file_for_each_and_no_other(module: ModuleType) -> None:
    names = {path.stem for path in module.FOLDER.glob("*.txt")}
    assert names - golden_figures.UNREGISTERED == set(module.wanted(Path()))
