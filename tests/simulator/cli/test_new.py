"""``disttrack new``: what it writes runs at once and passes its own test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import disttrack

from disttrack.simulator.cli.new import why_taken
from disttrack.simulator.kinds.registry import FAMILIES, kinds
from disttrack.simulator.workshop.templates import NAMES


@pytest.mark.slow
def test_new_files_run_at_once_and_pass_their_tests() -> None:
    commands = {}
    for what in NAMES:
        before = set(Path().iterdir())
        result = disttrack("new", what, f"odd-{what}")
        assert result.exit_code == 0, result.output
        scenario = [f"odd_{what}.yaml"] * (what in ("task", "plot"))
        made = sorted(path.name for path in {*Path().iterdir()} - before)
        assert made == [f"odd_{what}.py", *scenario, f"test_odd_{what}.py"]
        again = disttrack("new", what, f"Odd{what.title()}")
        assert again.exit_code == 2
        assert "exists; choose" in again.stderr
        commands[what] = result.output.splitlines()[1].removeprefix("  disttrack ")
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        env={"PYTHONPATH": str(root / "src"), "PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 passed" in done.stdout
    for what, command in commands.items():
        played = disttrack(*command.split())
        assert played.exit_code == 0, played.output
        described = disttrack("describe", f"odd_{what}.py:Odd{what.title()}")
        assert described.stdout.startswith(
            f"odd_{what}.py:Odd{what.title()} ({what}, your own, class Odd{what.title()})\n"
        )
    for what, drawn in {"task": "measure-shops-busiest", "plot": "odd-plot"}.items():
        assert disttrack("check", f"odd_{what}.yaml").exit_code == 0
        assert Path(f"results/odd-{what}/report.html").is_file()
        assert Path(f"results/odd-{what}/figures/{drawn}.png").is_file()


@pytest.mark.parametrize("what", NAMES)
def test_a_name_that_hides_another_is_refused_before_a_file_is_written(what: str) -> None:
    said = {
        "class": "class is a keyword",
        "none": "None is a keyword",
        "Freeze": "disttrack has Freeze",
        "protocol": "disttrack has Protocol",
        "arithmetic-error": "its file uses ArithmeticError",
        "random": "random is an installed module",
        "numpy": "numpy is an installed module",
    }
    for name, why in said.items():
        result = disttrack("new", what, name)
        remedy = f"choose another, such as my-{name.lower()}\n"
        assert (result.exit_code, result.stderr) == (2, f"{name!r} is taken: {why}; {remedy}"), name
    assert not [*Path().iterdir()]


def test_no_registered_kind_is_the_name_of_a_new_one() -> None:
    for name in (name for family in FAMILIES for name in kinds(family)):
        assert why_taken(name.replace("-", "_"), "".join(word.capitalize() for word in name.split("-")), ""), name
