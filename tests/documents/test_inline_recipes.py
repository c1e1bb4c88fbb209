"""Recipes within sentences name what there is: commands and options, tests, scripts, kinds with parameters, classes."""

from __future__ import annotations

import importlib.util
import inspect
import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import click
import pytest
import yaml
from environments import GONE

import disttrack
from disttrack.simulator.cli import main
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.registry import HOMES, kinds
from handbook.written import ROOT, written

PAGES: Final = {"README.md": ROOT / "README.md", "CONTRIBUTING.md": ROOT / "CONTRIBUTING.md", **written(".md")}
BLOCK: Final = re.compile(r"^ *(`{3,}).*?^ *\1$", re.MULTILINE | re.DOTALL)
SCRIPTS: Final = ("tests/opened.py", "tests/conftest.py", "tests/e2e/replay_reference.py")
PLACEHOLDER: Final = re.compile(r"[A-Z…|]|^[a-z]\w*\.(?:ya?ml|py|jsonl)\b|/")
"""Arguments that stand for others, and files of the reader's."""

pytestmark = pytest.mark.skipif(bool(GONE), reason="pages of the core name what wings have")


def recipes(page: str) -> list[str]:
    """Return the pieces of code within the sentences of a page, each on one line."""
    text = BLOCK.sub("", PAGES[page].read_text(encoding="utf-8"))
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]


def refusals(code: str) -> Iterator[str]:
    """Yield what a piece of code names that is not there."""
    words = code.split()
    if words[0] == "disttrack" and len(words) > 1:
        yield from of_command(shlex.split(code.partition(" | ")[0])[1:])
    elif words[0] == "pytest" and "-k" in words:
        file = ROOT / words[1]
        if not file.is_file() or not re.search(rf"def test_\w*{words[words.index('-k') + 1]}", file.read_text()):
            yield "no such test"
    elif words[0] == "python" and len(words) > 1:
        yield from of_program(words[1:])
    elif code.startswith("{kind: ") and "{kind: …" not in code:
        keys = yaml.safe_load(code.replace(", …", ""))
        if (kind := keys.pop("kind")) != "exec":  # a program of the reader's
            yield from of_kind(kind, set(keys))
    elif words[0].startswith("--"):
        given = [word.partition("=")[0] for word in words if word.startswith("--")]
        yield from (f"no option {word}" for word in given if word not in every_option())
    elif label := re.fullmatch(r"([a-z][a-z-]+)((?:[ :,][a-z_]+=[\w.]+)+)", code):
        yield from of_kind(label[1], set(re.findall(r"(\w+)=", label[2])))
    elif (call := re.fullmatch(r"([A-Z]\w+)\((.*)\)", code)) and hasattr(disttrack, call[1]):
        known = inspect.signature(getattr(disttrack, call[1])).parameters
        yield from (f"{call[1]} has no {name}" for name in re.findall(r"(\w+)=", call[2]) if name not in known)


def of_program(words: list[str]) -> Iterator[str]:
    """Yield the module or file that a command of Python would not find."""
    if words[0] == "-m":
        if importlib.util.find_spec(words[1]) is None:
            yield f"no module {words[1]}"
    elif "NAME" not in words[0] and not (ROOT / words[0]).exists():
        yield f"no file {words[0]}"


def of_command(words: list[str]) -> Iterator[str]:
    """Yield what is wrong with a command: its name, its options, or the shipped scenario or kind that it asks for."""
    command: Any = main
    while isinstance(command, click.Group) and words and not PLACEHOLDER.search(words[0]):
        if words[0] not in command.list_commands(click.Context(command)):
            if command is main:
                yield f"no command {words[0]}"
                return
            break  # the default of a group, such as the question of advise
        command, words = command.get_command(click.Context(command), words[0]), words[1:]
    options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    given = [word.partition("=")[0] for word in words if word.startswith("--")]
    yield from (f"no option {word}" for word in given if word not in options)
    named = [word for word in words[:1] if not word.startswith("-") and not PLACEHOLDER.search(word)]
    if command.name == "run":
        yield from (f"no scenario {word}" for word in named if word not in shipped_scenarios())
    if command.name == "describe":
        yield from (f"no kind {word}" for word in named if word not in HOMES and not of_family(word))


@cache
def every_option() -> set[str]:
    """Return the options of all commands, and of the scripts that pages name."""
    of_scripts = "".join((ROOT / script).read_text(encoding="utf-8") for script in SCRIPTS)
    found, commands = set(re.findall(r'"(--[a-z-]+)"', of_scripts)), [main]
    while commands:
        command: Any = commands.pop()
        found |= {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        if isinstance(command, click.Group):
            context = click.Context(command)
            commands += [command.get_command(context, name) for name in command.list_commands(context)]
    return found | {"--help"}


def of_family(name: str) -> list[str]:
    return [family for family in HOMES if name in kinds(family)]


def of_kind(name: str, parameters: set[str]) -> Iterator[str]:
    """Yield the parameters that no kind of this name takes."""
    families = [one for one in of_family(name) if one != "scenario"]
    if not families:
        yield f"no kind {name}"
    known = {one for family in families for one in inspect.signature(kinds(family)[name].load()).parameters}
    yield from (f"{name} has no {one}" for one in sorted(parameters - known - {"sees", "looks"}))


@pytest.mark.parametrize("page", PAGES)
def test_recipes_in_sentences_name_what_there_is(page: str) -> None:
    assert [f"{code}: {why}" for code in recipes(page) for why in refusals(code)] == []


def test_recipes_of_each_form_are_there() -> None:
    """A form that no page has any more is compared with nothing."""
    codes = [code for page in PAGES for code in recipes(page)]
    least = {r"disttrack \S": 60, "pytest .*-k": 5, "python ": 15, "--[a-z]": 50, "{kind: ": 4, r"[a-z-]+[ :]\w+=": 10}
    assert {form: sum(bool(re.match(form, code)) for code in codes) >= number for form, number in least.items()} == (
        dict.fromkeys(least, True)
    )
