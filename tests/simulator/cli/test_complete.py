"""What shells are told may stand at a place: files, kinds, parameters, values."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from click.shell_completion import ShellComplete, ZshComplete
from click.testing import CliRunner

from simulator.cli import main
from simulator.cli.complete import values
from simulator.cli.completion import SHELLS, VARIABLE, WholeValues, WholeWords
from simulator.points.registry import FAMILIES, kinds

ROOT = Path(__file__).resolve().parents[3]

MINE = '''\
from adversaries import Adversary, Burst
from dataclasses import dataclass


@dataclass
class Mine(Adversary):
    """Goes on and on."""

    patience: float = 2.0

    def plan(self, view):
        return Burst(0, 1)
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("mine.yaml").write_text(
        "name: mine\nsites: 2\nitems: 9\nadversary: freeze\nprotocol: [{kind: exact}, {kind: robust, alpha: 0.1}]\n"
    )
    return tmp_path


def completed(*words: str) -> list[str]:
    """Return what may stand for the last word."""
    *before, typed = words
    items = ShellComplete(main, {}, "disttrack", VARIABLE).get_completions(before, typed)
    return [item.value for item in items if item.type == "plain"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("conf",), ["conformance"]),
        (("run", "headl"), ["headline"]),
        (("run", "mi"), ["mirror", "mine.yaml"]),
        (("check", "./mi"), ["mine.yaml"][:0]),
        (("play", "--protocol", "rob"), ["robust"]),
        (("play", "--protocol", "robust:al"), ["robust:alpha="]),
        (("play", "--protocol", "robust:alpha=0.1,d"), ["robust:alpha=0.1,delta="]),
        (("play", "--protocol", "robust:parameters=t"), ["robust:parameters=tight"]),
        (("play", "--protocol", "deterministic:centred=t"), ["deterministic:centred=true"]),
        (("play", "--protocol", "deterministic:alpha=0.1,a"), []),
        (("play", "--adversary", "freez"), ["freeze"]),
        (("play", "--adversary", "mine"), ["mine.py:"]),
        (("play", "--adversary", "mine.py:"), ["mine.py:Mine"]),
        (("play", "--adversary", "mine.py:Mine:"), ["mine.py:Mine:patience="]),
        (("play", "--adversary", "mine.py:Mine:patience="), ["mine.py:Mine:patience=2.0"]),
        (("play", "--adversary", "gone.py:"), []),
        (("play", "--engine", "l"), ["leap"]),
        (("describe", "headl"), ["headline"]),
        (("describe", "mine.py:M"), ["mine.py:Mine"]),
        (("list", "sc"), ["scenarios"]),
        (("audit", "rob"), ["robust"]),
        (("conformance", "binary:hor"), ["binary:horizon="]),
        (("run", "mine.yaml", "--set", "protocol.1.al"), ["protocol.1.alpha="]),
        (("run", "mine.yaml", "--set", "protocol.1.parameters=p"), ["protocol.1.parameters=paper"]),
        (("run", "mine.yaml", "--set", "si"), ["sites="]),
        (("check", "mine.yaml", "--set", "adversary.re"), ["adversary.reach="]),
        (("run", "counters", "--set", "st"), ["steps="]),
        (("run", "gone.yaml", "--set", "si"), []),
        (("run", "mine.yaml", "--set", "engine=b"), ["engine=bulk"]),
    ],
)  # fmt: skip
def test_what_may_stand_there(words: tuple[str, ...], found: list[str]) -> None:
    assert completed(*words) == found


def test_folders_of_results_come_first() -> None:
    Path("results/one").mkdir(parents=True)
    Path("results/one/manifest.json").write_text("{}")
    Path("results/other").mkdir()
    assert completed("report", "res") == ["results/one"]


def test_every_parameter_of_every_kind_can_be_asked_for_values() -> None:
    from simulator.points.registry import parameters

    asked = 0
    for family in FAMILIES:
        for kind in kinds(family).values():
            maker = kind.load()
            for name in parameters(maker):
                assert all(isinstance(value, str) for value in values(maker, name))
                asked += 1
    assert asked >= 150


@pytest.mark.parametrize(
    ("line", "typed", "shown"),
    [
        ("disttrack play --protocol robust:al", "robust:al", "plain,alpha="),
        ("disttrack play --protocol robust:parameters=t", "robust:parameters=t", "plain,tight"),
        ("disttrack run ", "", None),
    ],
)
def test_bash_is_told_the_rest_of_the_word_that_it_cut(
    line: str, typed: str, shown: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", line)
    shell = WholeWords(main, {}, "disttrack", VARIABLE)
    words, incomplete = shell.get_completion_args()
    assert incomplete == typed
    if shown is not None:
        assert shell.complete().splitlines() == [shown]
    else:
        assert words == ["run"]


def test_every_shell_has_its_text() -> None:
    for shell in SHELLS:
        said = CliRunner().invoke(main, ["completion", shell]).stdout
        assert VARIABLE in said
        assert "_disttrack_completion" in said
    assert "--max 1" in WholeValues.source_template, "values have commas of their own"
    assert issubclass(SHELLS["zsh"], ZshComplete)


@pytest.mark.parametrize(("shell", "said"), [("/bin/zsh", ".zshrc"), ("/usr/bin/fish", "config/fish"), ("", ".bashrc")])
def test_it_says_how_to_switch_it_on(shell: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", shell)
    assert said in CliRunner().invoke(main, ["completion"], prog_name="disttrack").stdout


def asked_of(shell: str, script: str, folder: Path) -> list[str]:
    """Return what a shell itself prints when it runs a script with the command on its path."""
    program = folder / "disttrack"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m simulator "$@"\n')
    program.chmod(0o755)
    paths = {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    command = {"bash": ["bash", "--norc"], "zsh": ["zsh", "-f"], "fish": ["fish", "--no-config"]}[shell]
    done = subprocess.run(
        [*command, "-c", script], env={**os.environ, **paths}, capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_bash_itself_completes(tmp_path: Path) -> None:
    script = """\
        eval "$(disttrack completion bash)"
        compopt() { echo "compopt $1 $2"; }
        COMP_LINE="disttrack play --protocol robust:del"; COMP_POINT=${#COMP_LINE}
        _disttrack_completion disttrack
        echo "${COMPREPLY[@]}"
    """
    assert asked_of("bash", script, tmp_path)[-2:] == ["compopt -o nospace", "delta="]


@pytest.mark.slow
@pytest.mark.skipif(not which("zsh"), reason="zsh is not installed")
def test_zsh_itself_completes_and_leaves_open_what_goes_on(tmp_path: Path) -> None:
    script = """
        compdef() { print -r -- "compdef $*" }
        compadd() { print -r -- "compadd $*" }
        _describe() { print -r -- "$*"; print -rl -- "${(@P)3}" }
        eval "$(disttrack completion zsh)"
        words=(disttrack play --protocol robust:del) CURRENT=4
        _disttrack_completion
        words=(disttrack pla) CURRENT=2
        _disttrack_completion
    """
    registered, left_open, parameter, closed, command = asked_of("zsh", script, tmp_path)
    assert registered == "compdef _disttrack_completion disttrack"
    assert left_open == "-V unsorted open_described -U -S "
    assert parameter.startswith("robust\\:delta=:Probability that")
    assert closed == "-V unsorted described -U"
    assert command.startswith("play:")


@pytest.mark.slow
@pytest.mark.skipif(not which("fish"), reason="fish is not installed")
def test_fish_itself_completes(tmp_path: Path) -> None:
    script = """
        disttrack completion fish | source
        complete -C "disttrack play --protocol robust:del"
        complete -C "disttrack pla"
    """
    parameter, command = (line.split("\t") for line in asked_of("fish", script, tmp_path) if line)
    assert parameter[0] == "robust:delta="
    assert parameter[1].startswith("Probability that")
    assert command[0] == "play"
