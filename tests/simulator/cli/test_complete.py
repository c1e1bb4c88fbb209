"""What a shell completes: commands, scenarios, folders of results, kinds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from click.shell_completion import ShellComplete

from disttrack.simulator.cli import main

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "_DISTTRACK_COMPLETE"


def completed(*words: str) -> list[str]:
    """Return the answers for the last word; a kind of file in brackets where the shell is to look itself."""
    *before, typed = words
    items = ShellComplete(main, {}, "disttrack", VARIABLE).get_completions(before, typed)
    return [item.value if item.type == "plain" else f"<{item.type}>" for item in items]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("run", "headl"), ["headline", "headless.yaml"]),
        (("run", "./mi"), ["<file>"]),
        (("play", "--protocol", "freez"), ["<file>"]),
        (("play", "--adv"), ["--adversary"]),
        (("describe", "freez"), ["freeze", "freeze-item"]),
        (("list", "sc"), ["scenarios"]),
        (("plot", "nowhere"), ["<dir>"]),
    ],
)  # fmt: skip
def test_names_with_the_prefix(words: tuple[str, ...], names: list[str]) -> None:
    Path("headless.yaml").write_text("name: headless\n")
    assert completed(*words) == names


def test_folders_of_results_come_first() -> None:
    Path("results/one").mkdir(parents=True)
    Path("results/one/manifest.json").write_text("{}")
    Path("results/other").mkdir()
    assert completed("report", "res") == ["results/one"]


SCRIPTS = {
    "bash": """
        eval "$(disttrack completion bash)"
        COMP_WORDS=(disttrack play --protocol robu) COMP_CWORD=3
        _disttrack_completion disttrack
        echo "${COMPREPLY[@]}"
    """,
    "zsh": """
        compdef() { : }
        compadd() { print -r -- "$plain" "${(@)argv}" "${completions[@]}" }
        _describe() { print -rl -- "${(@P)3}" }
        eval "$(disttrack completion zsh)"
        words=(disttrack play --protocol robu) CURRENT=4
        _disttrack_completion
    """,
    "fish": """
        disttrack completion fish | source
        complete -C "disttrack play --protocol robu"
    """,
}
COMMANDS = {"bash": ["bash", "--norc"], "zsh": ["zsh", "-f"], "fish": ["fish", "--no-config"]}


@pytest.mark.slow
@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shell_itself_completes(shell: str, tmp_path: Path) -> None:
    if not which(shell):
        pytest.skip(f"{shell} is not installed")
    program = tmp_path / "disttrack"
    code = "from disttrack.simulator.cli import main; main(prog_name='disttrack')"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
    program.chmod(0o755)
    paths = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path)}
    done = subprocess.run(
        [*COMMANDS[shell], "-c", SCRIPTS[shell]],
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    assert "robust" in done.stdout.splitlines()[-1]
