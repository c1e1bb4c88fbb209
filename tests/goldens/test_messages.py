"""What is said to wrong input is as in the files; each message is whole lines, and none is missing."""

from __future__ import annotations

import pytest
from environments import GONE
from golden_messages import FILES, INDENT, ROOMS, blocks, written

pytestmark = pytest.mark.skipif(bool(GONE), reason="messages name what wings have")

@pytest.mark.filterwarnings("error::RuntimeWarning", "error::SyntaxWarning")
@pytest.mark.parametrize("name", FILES)
def test_messages_are_those_of_the_files(name: str) -> None:
    """If not, read the difference; ``python tests/goldens`` writes it."""
    assert written(FILES[name]) == FILES[name].read_text(encoding="utf-8")


def test_each_input_is_wrong_and_has_a_message() -> None:
    assert {path.stem for path in FILES.values()} == {*ROOMS}
    wrong = [(path, text) for path in FILES.values() for text in blocks(path) if not text.startswith("#")]
    assert len(wrong) >= 450
    assert len(set(wrong)) == len(wrong)
    empty = [text for path in FILES.values() for text, below in blocks(path).items() if not (below or text[0] == "#")]
    assert not empty


@pytest.mark.parametrize("name", FILES)
def test_messages_end_without_a_full_stop_and_name_no_class(name: str) -> None:
    lines = [line for line in FILES[name].read_text(encoding="utf-8").splitlines() if line.startswith(INDENT)]
    assert lines
    for line in lines:
        assert line[-1] != ".", line
        assert "Error" not in line or "own.py:" in line, "but for errors of the user's code"
