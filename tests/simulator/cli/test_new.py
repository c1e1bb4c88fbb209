"""``disttrack new``: what it writes runs at once and passes its own test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simulator.cli import main
from simulator.templates import written


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def disttrack(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["adversary", "protocol"])
def test_a_new_file_runs_at_once_and_passes_its_test(what: str) -> None:
    result = disttrack("new", what, "odd-one")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in Path().iterdir()) == ["odd_one.py", "test_odd_one.py"]
    again = disttrack("new", what, "OddOne")
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_odd_one.py"],
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    side = f"--{what}"
    other = ["--protocol", "randomized"] if what == "adversary" else []
    played = disttrack("play", *other, side, "odd_one.py:OddOne", "--sites", "4", "--items", "1000")
    assert played.exit_code == 0, played.output


def test_template_names_are_replaced_everywhere() -> None:
    for what in ("adversary", "protocol"):
        for text in written(what, module="wave_form", class_name="WaveForm", kind="wave-form"):
            assert "WaveForm" in text
            assert "my_" not in text.replace("dummy_", "")
            assert "My" not in text
            assert "simulator.templates" not in text
