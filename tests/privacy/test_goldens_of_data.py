"""What the terminal and the report show of games of this wing is as in the golden files of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.goldens.golden_terminal import cases, wanted
from tests.goldens.test_terminal_goldens import hold_golden, hold_unbroken

FOLDER: Final = Path(__file__).parent / "goldens"


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", wanted(FOLDER))
def test_what_is_shown_of_data_is_what_the_golden_file_says(name: str) -> None:
    hold_golden(FOLDER, name)


def test_there_is_a_file_for_every_case_of_data_and_no_other() -> None:
    assert [case.name for case in cases(FOLDER)] == ["counter", "experts", "sketch"]
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(wanted(FOLDER))


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("case", cases(FOLDER), ids=lambda case: case.name)
@pytest.mark.parametrize("width", [60, 80, 120, 47])
def test_no_word_and_no_number_of_data_is_broken(case: Path, width: int) -> None:
    hold_unbroken(case, width)
