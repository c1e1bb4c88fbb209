"""The tables at the end of a run are kept beside it, and made again when anything that they show has changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from disttrack.simulator.experiments.results.stored import read_manifest, store_manifest
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.shown.plots import unchanged
from disttrack.simulator.shown.terminal import answered as kept
from disttrack.simulator.shown.terminal.answered import answered

SCENARIO = """\
name: short
question: who holds?
sites: [2, 4, 8, 16]
items: 200
protocol: [{kind: randomized, alpha: 0.1}, {kind: exact}]
adversary: round-robin
claims: [{name: it holds, measure: fraction(ok), at_least: 0.01, weak: an example, no_control: an example}]
"""


def test_kept_tables_are_those_that_were_made_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    whole = kept.answer_table
    monkeypatch.setattr(kept, "answer_table", lambda results: made.append(1) or whole(results))
    file = tmp_path / "short.yaml"
    file.write_text(SCENARIO)

    def shown() -> tuple[object, bool]:
        """Return the tables of a run, and whether they were made anew."""
        made.clear()
        tables = answered(run(file, out=tmp_path / "short", workers=1), paired=True)
        return tables, bool(made)

    first, anew = shown()
    assert anew
    assert len(first[0].texts) == 8  # type: ignore[index]
    assert first[2].rows  # type: ignore[index]
    assert shown() == (first, False)
    file.write_text(SCENARIO.replace("who", "what"))
    other, anew = shown()
    assert anew
    assert other[0].title == "what holds?"  # type: ignore[index]
    folder = tmp_path / "short"
    (folder / "answers.json").write_text((folder / "answers.json").read_text().replace("what", "why"))
    assert shown() == (other, True), "an edited file is not believed"
    store_manifest(folder, read_manifest(folder / "manifest.json") | {"comment": "edited"})
    assert shown() == (other, False), "a run writes the manifest anew"
    monkeypatch.setattr(unchanged, "whole_code", lambda: "edited")
    assert shown() == (other, True)
    file.write_text(SCENARIO.replace("16]", "32]"))
    assert shown()[0] != other


@pytest.mark.slow
def test_a_run_that_plays_nothing_needs_no_library_of_tables(tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text(SCENARIO)
    script = (
        "import sys\nfrom disttrack.simulator.cli import main\n"
        "try:\n    main(['run', 'short.yaml', '--workers', '1'])\n"
        "except SystemExit as end:\n    print('pandas' in sys.modules, end.code)\n"
    )
    outs = []
    for needed in (True, False):
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        text, _, rest = done.stdout.partition("\n\n8 games" if needed else "\n\n0 games")
        outs.append((text, done.stderr))
        assert rest.splitlines()[-1] == f"{needed} 0"
    assert outs[0] == outs[1]
