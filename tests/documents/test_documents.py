"""Every snippet of README.md and docs/ does what the page says, in an empty folder."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from environments import GONE
from snippets import PAGES, run_all, snippets

from disttrack.simulator.game.tasks.base import SITES
from disttrack.simulator.kinds.registry import kinds

ALL = {name: list(snippets(page.read_text(encoding="utf-8"), name)) for name, page in PAGES.items()}

QUICK = {"README.md", "scenarios.md"}
"""Pages that start no processes, or one."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow], id=name)
        for name, found in ALL.items()
        if found
    ],
)
def test_the_snippets_of(page: str, tmp_path: Path) -> None:
    run_all(ALL[page], tmp_path)


def code_lines(text: str) -> int:
    """Return the lines of Python that are neither empty, comments nor texts of their own, such as docstrings."""
    lines: set[int] = set()
    for line in ast.walk(ast.parse(text)):
        if isinstance(line, ast.stmt) and not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)):
            inner = getattr(line, "body", None)
            last = inner[0].lineno - 1 if inner else line.end_lineno
            lines |= set(range(line.lineno, max(line.lineno, last or 0) + 1))
            lines |= {one.lineno for one in getattr(line, "decorator_list", ())}
    return len(lines)


def test_an_example_takes_at_most_26_lines_of_code() -> None:
    blocks = [one for page in ("extending", "adversaries", "counters", "sketches") for one in ALL.get(f"{page}.md", [])]
    made = {one.file: code_lines(one.text) for one in blocks if one.language == "python" and one.file}
    assert len(made) >= 3
    assert {name: lines for name, lines in made.items() if lines > 26} == {}


def test_that_there_is_something_to_run() -> None:
    assert {"README.md", "extending.md", "game.md", "scenarios.md", "tracking.md", "tutorial.md"} <= set(ALL)
    run = [snippet for found in ALL.values() for snippet in found if not snippet.skipped]
    if not GONE:
        least = {"python": 26, "console": 48, "yaml": 9, "toml": 1}
        numbers = Counter(snippet.language for snippet in run)
        assert {language: number for language, number in least.items() if numbers[language] < number} == {}
    # what is left out is what sets up an environment or plays for minutes
    assert sum(bool(snippet.skipped) for found in ALL.values() for snippet in found) <= 8


def test_limits_name_the_tasks_that_have_sites() -> None:
    text = PAGES["trust.md"].read_text(encoding="utf-8").partition("\n## Limits\n")[2]
    first = text[text.index("\n- ") :].split("\n- ")[1]
    with_sites = {name for name, kind in kinds("task").items() if SITES in kind.load().sizes}
    named = set(first.split("`")[1::2])
    assert with_sites <= named
    assert {name for name in named if name in kinds("task")} == with_sites
