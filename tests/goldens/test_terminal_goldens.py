"""What the terminal and the report show is as in the golden files; no word or number is broken in two."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_terminal import FOLDER, cases, printed, wanted

GOLDENS = wanted()
NOTE = "with more room"
"""Printed below a table only where there was no room for all columns."""


def words(text: str) -> set[str]:
    """Return the words of a text, without the rules of tables and the marks that set parts apart."""
    return {word for part in text.split() if (word := part.strip("─·,:()"))}


def broken(text: str, *whole: str) -> set[str]:
    """Return what is a word of a text and none of what the same tables say where there is no limit."""
    return words(text) - set().union(*map(words, whole))


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", GOLDENS)
def test_what_is_shown_is_what_the_golden_file_says(name: str) -> None:
    hold_golden(FOLDER, name)


def hold_golden(folder: Path, name: str) -> None:
    """Assert that a text is that of its golden file."""
    wanted_text = (folder / f"{name}.txt").read_text(encoding="utf-8")
    assert wanted(folder)[name]().splitlines() == wanted_text.splitlines(), (
        "if this was meant, read the difference that `python tests/goldens` makes"
    )


def test_there_is_a_file_for_every_case_and_no_other() -> None:
    assert len(GOLDENS) == 5
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GOLDENS)


@pytest.mark.parametrize("width", [60, 80, 120, 47])
def test_no_word_and_no_number_is_broken(width: int) -> None:
    for case in cases(FOLDER):
        hold_unbroken(case, width)


def hold_unbroken(case: Path, width: int) -> None:
    """Assert that no word and no number of the tables of a result is broken in two."""
    text = printed(case, width)
    assert max(map(len, text.splitlines())) <= width
    assert broken(text, printed(case, None), NOTE) == set()
