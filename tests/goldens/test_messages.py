"""What is said to wrong input is as in the files; each message is whole lines, and none is missing."""

from __future__ import annotations

import pytest
from golden_messages import FOLDER, INDENT, ROOMS, inputs, said, written


@pytest.mark.parametrize("room", ROOMS)
def test_messages_are_those_of_the_files(room: str) -> None:
    """If not, read the difference; ``python tests/goldens`` writes it."""
    assert written(room) == (FOLDER / f"{room}.txt").read_text(encoding="utf-8")


def test_each_input_is_wrong_and_has_a_message() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*ROOMS}
    wrong = [(room, text) for room in ROOMS for text in inputs(room)]
    assert len(wrong) >= 120
    assert len(set(wrong)) == len(wrong)
    for room, text in wrong:
        assert said(room, text), text


@pytest.mark.parametrize("room", ROOMS)
def test_messages_end_without_a_full_stop_and_name_no_class(room: str) -> None:
    lines = [line for line in written(room).splitlines() if line.startswith(INDENT)]
    assert lines
    for line in lines:
        assert line[-1] != ".", line
        assert "Error" not in line
