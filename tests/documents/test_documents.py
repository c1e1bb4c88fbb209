"""Every snippet of README.md and docs/ does what the page says, in an empty folder."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from environments import GONE
from forked import Interpreter
from snippets import PAGES, SnippetError, environment, matches, run_all, snippets

from disttrack.simulator.game.tasks.base import SITES
from disttrack.simulator.kinds.registry import kinds

ALL = {name: list(snippets(page.read_text(encoding="utf-8"), name)) for name, page in PAGES.items()}

QUICK = {"README.md", "scenarios.md"}
"""Pages that start no processes, or one; what they start is started in earnest."""


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interpreter]:
    with Interpreter(environment(tmp_path_factory.mktemp("interpreter"))) as one:
        yield one


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow], id=name)
        for name, found in ALL.items()
        if found
    ],
)
def test_the_snippets_of(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run_all(ALL[page], tmp_path, None if page in QUICK else request.getfixturevalue("interpreter"))


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


PAGE = """\
# A page

```python gap.py
WIDTH = 3
```

```python own.py
from disttrack.adversaries import Freeze
from gap import WIDTH

class Gap(Freeze):
    kind = "gap"
```

```python
from gap import WIDTH
assert WIDTH == 3
```

```console
$ python -c "print('a   1.25', 'b', sep='\\n')"
a 1.…
b
$ disttrack --version
```

```yaml
plots:
  - {kind: cost, x: items}
items: [100, 1000]
```

```toml
[project.entry-points."disttrack.adversaries"]
gap = "own:Gap"
```

```text
anything at all
```

<!-- not run: it takes an hour -->
```console
$ disttrack run headline --trials 2    # or another
$ make test
```
"""


def played(text: str, folder: Path, interpreter: Interpreter | None = None) -> list[str]:
    """Run the page's snippets in a folder; return the languages of those run."""
    return [snippet.language for snippet in run_all(list(snippets(text, "page.md")), folder, interpreter)]


def test_a_page_that_is_right(tmp_path: Path) -> None:
    assert played(PAGE, tmp_path) == ["python", "python", "python", "console", "yaml", "toml"]


@pytest.mark.slow
def test_a_forked_program_is_one_of_its_own(tmp_path: Path, interpreter: Interpreter) -> None:
    """It has its folder, variables, streams, arguments and status, and leaves nothing to the next."""
    assert len(played(PAGE, tmp_path, interpreter)) == 6
    (tmp_path / "show.py").write_text("import os, sys\nprint(sys.argv, os.getcwd(), os.environ['A'])\n")
    shown = interpreter.run(["show.py", "b"], tmp_path, {"A": "1"}, "", 9)
    assert shown.stdout == f"['show.py', 'b'] {tmp_path} 1\n"
    for text, status, said in (
        ("raise SystemExit(3)", 3, ""),
        ("import nowhere", 1, "No module named 'nowhere'"),
        ("words", 1, "name 'words' is not defined"),
        ("import time; time.sleep(9)", -14, ""),
    ):
        done = interpreter.run(["-"], tmp_path, {}, text, 1 if status == -14 else 60)
        assert (done.returncode, done.stdout) == (status, "")
        assert said in done.stderr
    assert interpreter.words_of("disttrack run x.yaml --set 'sites=[1, 2]'") == [
        "-m", "disttrack.simulator", "run", "x.yaml", "--set", "sites=[1, 2]",
    ]  # fmt: skip
    for command in ("disttrack run x | head -1", "ls", "python -c 'x'", "disttrack serve &", "disttrack $NAME", "make"):
        assert interpreter.words_of(command) is None


OWN = "```python own.py\nfrom adversaries import Freeze\n\nclass Own(Freeze):\n    kind = 'own'\n```\n\n"
BROKEN = {
    "```python\nassert 3 == 4\n```": "page.md:1: python - ends with 1",
    "```console\n$ echo a 1.5\na 2.…\n```": "page.md:1: echo a 1.5 prints something else than the page says",
    "```console\n% disttrack --version\n```": "begins with '$ '",
    "```yaml\nplots: [{kind: costs, x: items}]\n```": "did you mean 'cost'?",
    "```yaml\nitems: [100, 1000\n```": "page.md:1: while parsing",
    "```yaml\n- items\n```": "is no mapping",
    "<!-- not run: too long -->\n```console\n$ disttrack run headline --trails 2\n```": "No such option",
    "<!-- not run: too long -->\n```python\nWIDTH =\n```": "invalid syntax",
    "<!-- not run: too long -->\n```console\n$ make tset\n```": "make tset: there is no such target",
    "<!-- not run: too long -->\n```console\n$ python examples/gone.py\n```": "there is no examples/gone.py",
    "<!-- not run: too long -->\n```console\n$ distrack run headline\n```": "'distrack' is none of",
    "```toml\n[project\n```": "TOMLDecodeError",
    '```toml\n[project.entry-points."disttrack.clocks"]\na = "a:A"\n```': "'disttrack.clocks' is none of",
    '```toml\n[project.entry-points."disttrack.plots"]\na = "a:A"\n```': "there is no file a.py",
    f'{OWN}```toml\n[project.entry-points."disttrack.plots"]\nown = "own:Own"\n```': "does not extend",
    f'{OWN}```toml\n[project.entry-points."disttrack.adversaries"]\nmine = "own:Own"\n```': "calls itself 'own'",
    "```\nanything\n```": "is none of python, yaml, console, toml, text",
    "```text\nanything\n": "has no end",
}


@pytest.mark.parametrize("page", BROKEN)
def test_a_page_that_is_wrong_is_caught(page: str, tmp_path: Path) -> None:
    with pytest.raises(SnippetError) as caught:
        played(page, tmp_path)
    assert BROKEN[page] in str(caught.value)


def test_what_a_command_prints() -> None:
    assert matches("one  two\n…\nend 3.…", "one two\nany\nlines\nend 3.14\n")
    assert matches("…\nlast", "last\n")
    assert not matches("one\ntwo", "one\n")
    assert not matches("one", "one\ntwo\n")
    assert not matches("a b", "ab\n")
