"""Snippets of the documentation as tests: the fenced blocks of a page, run in order in an empty folder.

======================  ======================================================================================
```` ```python ````      runs, each block in a process of its own
```` ```python x.py ````  is written to that file; so with any language: ```` ```yaml x.yaml ````
```` ```yaml ````        is a scenario, or keys of one, and is read and checked as one
```` ```console ````     lines that begin with ``$`` run in a shell; the lines after one are what it prints, where
                        ``…`` stands for anything, and a line of it for any number of lines
```` ```toml ````        is a part of a pyproject.toml, and each entry point in it loads
```` ```text ````        is shown only
======================  ======================================================================================

``<!-- not run: reason -->`` on the line before a block leaves it at what can be told without running it: Python
compiles, the commands of disttrack take these options, and files and targets of make are there. ``<!-- in tests:
--trials 1 -->`` there adds options to each command of the block, so that it is tried at the size of a test. Nothing
else escapes: another language is refused.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import yaml

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds.registry import HOMES, find
from disttrack.simulator.kinds.source import import_reference, source_of
from handbook.written import ROOT, written

PAGES = {"README.md": ROOT / "README.md", **written(".md")}
"""Every page by its name: README.md, and those of the handbook by their paths there."""
LANGUAGES = ("python", "yaml", "console", "toml", "text")
SECONDS = 300
"""Time that a command may take."""

FENCE = re.compile(r"^ *(`{3,})(.*)$")
SKIP = re.compile(r"^<!-- not run: (.+) -->$")
ADDED = re.compile(r"^<!-- in tests: (.+) -->$")
FILE = re.compile(r"/.*\.(?:py|c)$")
"""An argument that is a file of the project."""
SHELL = (".", "cc", "dask", "python")
"""Other programs in blocks that are not run."""
SMALLEST: dict[str, Any] = {
    "name": "keys-of-a-page",
    "sites": 4,
    "items": 100,
    "protocol": {"kind": "exact"},
    "adversary": "round-robin",
}
"""A scenario for keys that a page shows alone."""


@dataclass(frozen=True)
class Snippet:
    """A fenced block.

    Parameters
    ----------
    page, line
        Where it begins.
    language
        The first word of its fence.
    file
        The second word: the file that it is the text of; empty if there is none.
    skipped
        Why it is not run; empty if it is.
    added
        Options that each command gets in tests.
    """

    page: str
    line: int
    language: str
    file: str
    text: str
    skipped: str = ""
    added: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


class SnippetError(AssertionError):
    """A snippet does not do what the page says; the message begins with its page and line."""


def snippets(text: str, page: str) -> Iterator[Snippet]:
    """Yield the fenced blocks of a page."""
    lines = iter(enumerate(text.splitlines(), 1))
    skipped = added = ""
    for number, line in lines:
        begun = FENCE.match(line)
        if not begun:
            skipped, added = (mark[1] if (mark := form.match(line.strip())) else "" for form in (SKIP, ADDED))
            continue
        block, fence = [], None
        for _, inside in lines:
            if (fence := FENCE.match(inside)) and fence[1] == begun[1]:
                break
            block.append(inside)
        if fence is None or fence[2]:
            raise SnippetError(f"{page}:{number}: this block has no end")
        language, _, file = begun[2].strip().partition(" ")
        if language not in LANGUAGES:
            raise SnippetError(f"{page}:{number}: {language!r} is none of {', '.join(LANGUAGES)}")
        yield Snippet(page, number, language, file.strip(), "\n".join(block) + "\n", skipped, added)
        skipped = added = ""


def run_all(found: list[Snippet], folder: Path) -> None:
    """Run snippets in a folder, one after the other.

    Raises
    ------
    SnippetError
        At the first that does not do what the page says.
    """
    _tools(folder)
    for snippet in found:
        if snippet.skipped:
            _look_at(snippet)
        elif snippet.file:
            (folder / snippet.file).write_text(snippet.text, encoding="utf-8")
            if snippet.language == "yaml":
                _check(snippet, folder / snippet.file)
        elif snippet.language == "python":
            _command(snippet, "python -", folder, snippet.text)
        elif snippet.language == "yaml":
            _scenario(snippet, folder)
        elif snippet.language == "console":
            _console(snippet, folder)
        elif snippet.language == "toml":
            _entry_points(snippet, folder)


def _tools(folder: Path) -> None:
    """Put `python` and `disttrack` of this very tree where the shell finds them first."""
    tools = folder / ".tools"
    tools.mkdir()
    for name, command in (("python", ""), ("disttrack", " -m disttrack.simulator")):
        (tools / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{command} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of the commands of a page."""
    path = os.pathsep.join((str(folder / ".tools"), os.environ.get("PATH", "")))
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120", "MPLBACKEND": "agg"}


def _command(snippet: Snippet, command: str, folder: Path, given: str = "") -> str:
    """Return what a command prints; an error if it fails."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(folder), input=given, capture_output=True, text=True,
        check=False, timeout=SECONDS,
    )  # fmt: skip
    if done.returncode:
        raise SnippetError(f"{snippet}: {command} ends with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def commands(snippet: Snippet) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a console block, each with the lines that it is said to print."""
    if not snippet.text.startswith("$ "):
        raise SnippetError(f"{snippet}: a console block begins with '$ ' and a command")
    for part in re.split(r"^\$ ", snippet.text, flags=re.MULTILINE)[1:]:
        command, *printed = part.splitlines()
        yield command, printed


def _console(snippet: Snippet, folder: Path) -> None:
    for command, printed in commands(snippet):
        out = _command(snippet, f"{command} {snippet.added}".rstrip(), folder)
        if printed and not matches("\n".join(printed), out):
            raise SnippetError(f"{snippet}: {command} prints something else than the page says:\n{out}")


def matches(said: str, printed: str) -> bool:
    """Return whether a text is what a page says, where ``…`` stands for anything in a line, alone for any lines."""
    lines = []
    for line in said.strip("\n").splitlines():
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            # a page does not show how wide a column happens to be
            words = (r"[^\n]*?".join(map(re.escape, word.split("…"))) for word in line.split())
            lines.append(r"[ \t]*" + r"[ \t]+".join(words) + r"[ \t]*\n")
    return re.fullmatch("".join(lines) + r"\s*", printed.lstrip("\n").rstrip() + "\n") is not None


def _entry_points(snippet: Snippet, folder: Path) -> None:
    """Load what each entry point names, in the folder, as what its group says it is."""
    try:
        groups = tomllib.loads(snippet.text)["project"]["entry-points"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise SnippetError(f"{snippet}: {error!r}") from error
    families = {f"disttrack.{home.plural}": family for family, home in HOMES.items()}
    for group, points in groups.items():
        if group not in families:
            raise SnippetError(f"{snippet}: {group!r} is none of {', '.join(families)}")
        for name, reference in points.items():
            kind = reference.replace(":", ".py:")
            try:
                made = find(families[group], kind, source_of(kind, folder))
            except ScenarioError as error:
                raise SnippetError(f"{snippet}: {error}") from error
            base = HOMES[families[group]].base
            if base and not issubclass(made, import_reference(base)):
                raise SnippetError(f"{snippet}: {reference} does not extend {base}")
            if made.kind != name:
                raise SnippetError(f"{snippet}: {reference} calls itself {made.kind!r}, not {name!r}")


def _scenario(snippet: Snippet, folder: Path) -> None:
    """Check a scenario, or keys of one put into the smallest scenario that there is."""
    keys = _read(snippet)
    whole = keys if "protocol" in keys else {**SMALLEST, **keys}
    path = folder / "keys-of-a-page.yaml"
    path.write_text(yaml.safe_dump(whole), encoding="utf-8")
    _check(snippet, path)


def _check(snippet: Snippet, path: Path) -> None:
    """Load a scenario, as `disttrack check` does; an error if it is refused."""
    try:
        load(path)
    except ScenarioError as error:
        raise SnippetError(f"{snippet}: {error}") from error


def _read(snippet: Snippet) -> dict[str, Any]:
    try:
        keys = yaml.safe_load(snippet.text)
    except yaml.YAMLError as error:
        raise SnippetError(f"{snippet}: {error}") from error
    if not isinstance(keys, dict):
        raise SnippetError(f"{snippet}: is no mapping")
    return keys


def _look_at(snippet: Snippet) -> None:
    """Find what is wrong with a snippet without running it."""
    if snippet.language == "python":
        try:
            compile(snippet.text, str(snippet), "exec")
        except SyntaxError as error:
            raise SnippetError(f"{snippet}: {error}") from error
    elif snippet.language == "yaml":
        _read(snippet)
    elif snippet.language == "console":
        for command, _ in commands(snippet):
            words = shlex.split(command, comments=True)
            if words[0] == "disttrack":
                _parse(snippet, words[1:])
            elif words[0] == "make":
                _target(snippet, words[1])
            elif missing := [word for word in words[1:] if FILE.search(word) and not (ROOT / word).exists()]:
                raise SnippetError(f"{snippet}: {command}: there is no {missing[0]}")
            elif words[0] not in SHELL:
                raise SnippetError(f"{snippet}: {command}: {words[0]!r} is none of {', '.join(SHELL)}")


def _target(snippet: Snippet, name: str) -> None:
    """Raise SnippetError unless the Makefile has this target."""
    if not re.search(rf"^{re.escape(name)}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE):
        raise SnippetError(f"{snippet}: make {name}: there is no such target")


def _parse(snippet: Snippet, words: list[str]) -> None:
    """Raise SnippetError unless the command line takes these words; nothing is run."""
    from disttrack.simulator.cli import main

    group: Any = main
    try:
        with group.make_context("disttrack", words) as context:
            name, command, rest = group.resolve_command(context, words)
            command.make_context(name, rest, parent=context)
    except click.ClickException as error:
        raise SnippetError(f"{snippet}: disttrack {' '.join(words)}: {error.format_message()}") from error
