"""A folder of results is data: whatever its files name or hold, none of it is run, and links lead nowhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import own_kinds
import pytest
from commands import status_of
from synthetic_results import write_result

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results, class_of
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.shown.plots import Plot

EVIL = """\
from pathlib import Path
Path({mark!r}).touch()
class Evil:
    kind = "evil"
"""


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return a folder of results with code in it, and the file that this code would make."""
    monkeypatch.chdir(tmp_path)
    # a name of its own: a module is imported only once by a process
    folder = write_result(tmp_path / tmp_path.name, sites=(16, 64), protocols=("robust",), trials=1)
    mark = tmp_path / "mark"
    (folder / "evil.py").write_text(EVIL.format(mark=str(mark)))
    return folder, mark


def changed(folder: Path, change: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


PLACES: dict[str, Any] = {
    "plots": lambda manifest, kind: manifest["scenario"].update(plots=[kind, {"kind": "cost", "x": "sites"}]),
    "task": lambda manifest, kind: manifest["scenario"].update(task=kind),
    "protocol": lambda manifest, kind: [one["protocol"].update(kind=kind) for one in manifest["points"]],
}
FORMS = ("{}/evil.py:Evil", "{}.evil:Evil")


@pytest.mark.parametrize(
    ("place", "form"), [("plots", FORMS[0]), ("plots", FORMS[1]), ("task", FORMS[0]), ("protocol", FORMS[1])]
)
@pytest.mark.slow
def test_no_code_runs_that_a_result_names(planted: tuple[Path, Path], form: str, place: str) -> None:
    folder, mark = planted
    kind = form.format(folder.name)

    def plant(manifest: dict[str, Any]) -> None:
        PLACES[place](manifest, kind)
        manifest["own"] = {kind: {"folder": ".", "text": EVIL.format(mark=str(mark))}}

    changed(folder, plant)
    for arguments in (["plot", str(folder)], ["report", str(folder)], ["compare", str(folder), str(folder)]):
        assert status_of(*arguments) in (0, 1, 2)
    results = Results(folder)
    with pytest.raises(ScenarioError) if place == "task" else pytest.MonkeyPatch.context():
        results._repr_html_()
    assert not mark.exists()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("form", FORMS)
def test_no_code_runs_that_a_table_names(planted: tuple[Path, Path], form: str) -> None:
    folder, mark = planted
    table = folder / "trials.csv"
    table.write_text(table.read_text().replace(",robust,", f",{form.format(folder.name)},"))
    assert status_of("compare", str(folder), str(folder)) == 0
    assert Results(folder)._repr_html_()
    assert not mark.exists()


OWN_PLOT = """\
name: small
sites: [2, 4]
items: 300
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
plots: [{kind: spread.py:Spread, x: sites, size: 4}, {kind: cost, x: sites}]
"""


def test_a_kind_of_a_package_that_is_gone_is_the_class_that_the_user_names() -> None:
    gone = type("Gone", (Plot,), {"kind": "gone"})
    assert class_of("plot", "gone", {"mine.py:Gone": gone}) is gone
    assert class_of("plot", "cost", {"mine.py:Gone": gone}) is not gone
    with pytest.raises(ScenarioError, match=r"unknown kind 'gone' .*; install its package, or --with"):
        class_of("plot", "gone", {})


def test_a_plot_of_the_users_is_drawn_if_the_user_names_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("spread.py").write_text(own_kinds.SPREAD)
    Path("small.yaml").write_text(OWN_PLOT)
    run(load("small.yaml"), out="out", workers=1)
    assert "own" not in json.loads(Path("out/manifest.json").read_text())
    assert status_of("plot", "out") == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "'spread.py:Spread' is yours: --with spread.py:Spread" in message
    assert Path("out/figures/cost-sites.svg").is_file()
    assert not Path("out/figures/spread-sites.svg").exists()
    Path("elsewhere").mkdir()
    Path("spread.py").rename("elsewhere/mine.py")
    assert status_of("plot", "out", "--with", "elsewhere/mine.py:Spread") == 0
    assert Path("out/figures/spread-sites.svg").is_file()


def test_a_task_of_the_users_is_read_if_the_user_names_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("dice.py").write_text(own_kinds.DICE)
    Path("dice.yaml").write_text(own_kinds.DICE_SCENARIO)
    results = run(load("dice.yaml"), out="out", workers=1)
    assert results._repr_html_()
    with pytest.raises(ScenarioError, match=r"'dice\.py:Dice' is yours"):
        Results("out")._repr_html_()
    capsys.readouterr()
    refusal = "'dice.py:Dice' is yours: --with dice.py:Dice\n"
    for command in (["plot", "out"], ["report", "out"], ["compare", "out", "out"]):
        assert status_of(*command) == 2
        assert capsys.readouterr().err == refusal
        assert status_of(*command, "--with", "dice.py:Dice") == 0
    with pytest.raises(ScenarioError, match=r"is yours: --with dice\.py:Dice"):
        Results("out").plot.cost(x="sites")


@pytest.mark.slow
def test_links_lead_no_file_out_of_the_folder(planted: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder, outside = planted
    outside.write_text("<svg>not of this result</svg>")
    assert status_of("report", str(folder)) == 0
    for name in ("report.html", "figures/cost-sites.svg", "errors.txt"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(outside)
    trials = folder / "trials.csv"
    trials.write_text(trials.read_text().replace(",ok,True,", ",error,False,", 1))
    capsys.readouterr()
    assert status_of("plot", str(folder)) == 2
    assert "a link leads out of" in capsys.readouterr().err
    assert status_of("report", str(folder)) == 2
    (folder / "report.html").unlink()
    assert status_of("report", str(folder)) == 1  # without its figure
    assert "not of this result" not in (folder / "report.html").read_text()
    assert outside.read_text() == "<svg>not of this result</svg>"
    (folder / "figures").rename(folder.parent / "elsewhere")
    (folder / "figures").symlink_to(folder.parent / "elsewhere")
    kept = {path: path.stat().st_mtime_ns for path in (folder.parent / "elsewhere").iterdir()}
    assert status_of("plot", str(folder)) == 2
    assert kept == {path: path.stat().st_mtime_ns for path in (folder.parent / "elsewhere").iterdir()}


def test_a_terminal_is_not_sent_the_codes_of_a_table(
    planted: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = planted
    for name in ("trials.csv", "kinds.csv", "series.csv"):
        table = folder / name
        table.write_text(table.read_text().replace("robust", "ro\x1b]0;bust\x07"))
    changed(folder, lambda manifest: manifest["scenario"].update(question="\x1b[2Jcleared"))
    assert status_of("compare", str(folder), str(folder)) == 0
    message = capsys.readouterr().out
    assert "ro\\x1b]0;bust" in message
    assert "\x1b" not in message
