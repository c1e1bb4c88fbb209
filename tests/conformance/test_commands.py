"""What ``disttrack conformance`` prints of classes with a fault is as in `commands.txt`: a cause is one fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_messages import blocks
from user_files import FILE, printed, shorten, write_files


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("name", blocks(FILE))
def test_the_command_prints_what_the_file_has(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If not, read the difference; ``python tests/goldens`` writes it."""
    shorten(monkeypatch)
    write_files(folder)
    assert printed(name) == blocks(FILE)[name]


def test_a_class_with_one_wrong_part_has_one_fault() -> None:
    lines = {name: below for name, below in blocks(FILE).items() if name.startswith(("parts.py:", "wrong.py:Shared"))}
    assert len(lines) >= 8
    for name, below in lines.items():
        assert any(line.startswith(f"{name}: 1 fault in ") for line in below), name
