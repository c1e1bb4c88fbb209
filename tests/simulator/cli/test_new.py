"""``disttrack new``: what it writes runs at once and passes its own test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import disttrack

from disttrack.simulator.templates import NAMES, written


@pytest.mark.slow
@pytest.mark.parametrize("what", ["adversary", "protocol", "task", "plot"])
def test_a_new_file_runs_at_once_and_passes_its_test(what: str) -> None:
    result = disttrack("new", what, "odd-one")
    assert result.exit_code == 0, result.output
    scenario = ["odd_one.yaml"] * (what in ("task", "plot"))
    assert sorted(path.name for path in Path().iterdir()) == ["odd_one.py", *scenario, "test_odd_one.py"]
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
    command = result.output.splitlines()[1].removeprefix("  disttrack ")
    played = disttrack(*command.split())
    assert played.exit_code == 0, played.output
    if scenario:
        assert disttrack("check", "odd_one.yaml").exit_code == 0
        assert Path("results/odd-one/report.html").is_file()
        drawn = {"task": "measure-shops-busiest", "plot": "odd-one"}[what]
        assert Path(f"results/odd-one/figures/{drawn}.png").is_file()
    described = disttrack("describe", "odd_one.py:OddOne")
    assert described.stdout.startswith(f"odd_one.py:OddOne ({what}, your own, class OddOne)\n")


def test_template_names_are_replaced_everywhere() -> None:
    assert set(NAMES) == {"adversary", "protocol", "task", "plot"}
    for what in NAMES:
        texts = written(what, module="wave_form", class_name="WaveForm", kind="wave-form")
        assert {"wave_form.py", "test_wave_form.py"} <= set(texts)
        for text in texts.values():
            assert "WaveForm" in text
            assert "my_" not in text.replace("dummy_", "")
            assert "My" not in text
            assert "disttrack.simulator.templates" not in text
