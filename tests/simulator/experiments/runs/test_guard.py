"""A script that starts games with its own function needs a guard: its file is imported for the function."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("call", ["arena(far, items=10, sites=2)", "run(dict(SCENARIO, adversary='script.py:far'))"])
def test_a_script_that_would_be_run_twice_is_refused_with_the_remedy(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(
        "from disttrack import arena, run\n"
        "SCENARIO = {'name': 'twice', 'trials': 1, 'sites': 2, 'items': 5, 'protocol': 'exact'}\n"
        "def far(view):\n    return 1\n"
        f"print('here')\n{call}\n"
    )
    said = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "script.py:6: " in said.stderr
    assert 'put the call under `if __name__ == "__main__":`' in said.stderr
    assert not (tmp_path / "results" / "twice" / "trials.csv").exists()
