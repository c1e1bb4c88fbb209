"""Results are of one piece: tables, claims and manifest of different runs are refused, figures of older tables gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import status_of

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.runs import runner

SCENARIO = """\
name: small
sites: [2, 4]
items: 300
protocol: {kind: randomized, alpha: 0.4}
adversary: {kind: uniform}
claims: [{name: any, measure: min(words), at_least: 1, no_control: an example}]
plots: [{kind: cost, x: sites}]
"""


@pytest.fixture(autouse=True)
def scenario(folder: Path) -> None:
    Path("small.yaml").write_text(SCENARIO)


def run(*more: str) -> int:
    return status_of("run", "small.yaml", "--out", "out", "--workers", "1", "--quiet", *more)


def test_tables_of_another_run_than_the_manifest_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("--no-figures")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runner, "write_manifest", interrupted)
        assert run("--no-figures", "--trials", "2") == 1
    capsys.readouterr()
    for command in (["report", "out"], ["plot", "out"], ["compare", "out", "out"]):
        assert status_of(*command) == 2
        message = capsys.readouterr().err
        assert "out: trials.csv cannot be read: not that of manifest.json" in message
        assert message.count("\n") == 1
    assert run("--no-figures", "--trials", "2") == 0
    assert status_of("compare", "out", "out") == 0


def test_a_table_that_the_run_has_not_written_is_refused() -> None:
    run("--no-figures")
    Path("out/controls.csv").write_bytes(Path("out/trials.csv").read_bytes())
    with pytest.raises(ValueError, match=r"controls\.csv cannot be read: no table of the result"):
        _ = Results("out").controls
