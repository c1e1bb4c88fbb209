"""A reader that goes away early loses what it does not read, and nothing else; and what the first minute is like."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import SMALL

SOURCE = str(Path(__file__).resolve().parents[2] / "src")


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    Path("small.yaml").write_text(SMALL + "plots: [{kind: cost, x: sites}]\n")
    return folder


def piped(script: str) -> subprocess.CompletedProcess[str]:
    """Run a pipeline; `$disttrack` is the program."""
    environment = {**os.environ, "PYTHONPATH": SOURCE, "disttrack": f"{sys.executable} -m disttrack.simulator"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_reader_that_closes_the_pipe_loses_no_file() -> None:
    done = piped("$disttrack run small.yaml --workers 1 2> said | { read -r first; echo $first; }")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "A small scenario\n"
    there = {path.name for path in Path("results/small").iterdir()}
    assert {"trials.csv", "claims.csv", "manifest.json", "report.html", "figures"} <= there
    assert len(list(Path("results/small/figures").glob("*.png"))) == 1
    assert "Traceback" not in Path("said").read_text()
    assert "Broken" not in Path("said").read_text()


@pytest.mark.slow
def test_the_status_is_that_of_the_run_whoever_reads_it() -> None:
    Path("small.yaml").write_text(SMALL.replace("(ok)", "(not ok)"))
    done = piped("$disttrack run small.yaml --workers 1 --no-figures 2>&1 | true")
    assert done.returncode == 1, "a claim failed"
    done = piped("$disttrack list 2> said | true")
    assert (done.returncode, Path("said").read_text()) == (0, "")


def test_without_arguments_it_says_what_to_do_first_in_six_lines() -> None:
    done = piped("$disttrack")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 6
    assert " run headline " in done.stdout
