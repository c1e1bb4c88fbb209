"""A run writes only into a folder that is empty or its own, and removes only what its manifest lists."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import disttrack, refused
from own_outputs import hold_own_output

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.journal import JOURNAL
from disttrack.simulator.experiments.runs.own_folder import NAMES
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.runs.seeds import run_seeds
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.shown.plots import draw
from disttrack.simulator.shown.report.report import write_report
from disttrack.simulator.workshop.arena import arena

SMALL = {"name": "small", "sites": [2, 3], "items": 9, "protocol": "exact", "adversary": "round-robin", "seed": 1}


@pytest.fixture(autouse=True)
def _in_a_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(json.dumps(SMALL))


def contents(folder: str | Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def web_page(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"name": "An application", "start_url": "/", "icons": []}')
    (folder / "report.html").write_text("mine")


def thesis(folder: Path) -> None:
    (folder / "figures").mkdir()
    (folder / "figures" / "mine.pdf").write_text("mine")


def database(folder: Path) -> None:
    with sqlite3.connect(folder / JOURNAL) as file:
        file.execute("CREATE TABLE notes (text TEXT)")
    file.close()


def names(folder: Path) -> None:
    for name in ("errors.txt", "controls.csv", "output.log", "trials.csv", ".part-mine"):
        (folder / name).write_text("mine\n")


def result_without_origin(folder: Path) -> None:
    (folder / "trials.csv").write_text("mine\n")
    (folder / "manifest.json").write_text("{")


FOREIGN = (web_page, thesis, database, names, result_without_origin)
RUNS: dict[str, Callable[[Path], object]] = {
    "run": lambda out: run(load(SMALL), out=out, workers=1),
    "fresh": lambda out: run(load(SMALL), out=out, workers=1, fresh=True),
    "seeds": lambda out: run_seeds(load(SMALL), 1, out=out, workers=1),
    "one seed": lambda out: run_seeds(load(SMALL), 1, out=out.parents[1], workers=1),
    "arena": lambda out: arena("exact", sites=2, items=9, trials=1, out=out, workers=1),
}


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize(("way", "fill"), [*zip(RUNS, FOREIGN, strict=True), *(("run", fill) for fill in FOREIGN[1:])])
def test_a_folder_of_the_users_is_refused_and_left_as_it_is(way: str, fill: Callable[[Path], None]) -> None:
    out = Path("out")
    if way == "one seed":
        RUNS["run"](out)
        out /= f"seeds/{load(SMALL).reseeded(1).head.seed}"
    out.mkdir(parents=True)
    fill(out)
    before = contents("out")
    with pytest.raises(ScenarioError, match=rf"^{out}: has files that no run has written .*--out$"):
        RUNS[way](out)
    assert contents("out") == before


@pytest.mark.parametrize("command", [("run", "small.yaml"), ("run", "small.yaml", "--seeds", "1")])
def test_the_current_folder_is_refused_in_one_line(command: tuple[str, ...]) -> None:
    assert "has files that no run has written (small.yaml)" in refused(*command, "--out", ".")
    assert os.listdir() == ["small.yaml"]


def test_all_folders_are_looked_at_before_the_first_game() -> None:
    Path("other.yaml").write_text(json.dumps({**SMALL, "name": "other"}))
    Path("out/other").mkdir(parents=True)
    Path("out/other/mine").touch()
    assert "out/other: has files" in refused("run", "small.yaml", "other.yaml", "--out", "out")
    assert not Path("out/small").exists()


def test_what_is_in_the_way_is_one_line() -> None:
    Path("file").touch()
    Path("nowhere").symlink_to("missing")
    Path("loop").symlink_to("loop")
    for name, says in (("file", "is a file"), ("nowhere", "broken link"), ("loop", "broken link")):
        with pytest.raises(ScenarioError, match=f"^{name}: .*{says}"):
            run(load(SMALL), out=name, workers=1)
    with pytest.raises(ScenarioError, match="cannot be"):
        run(load(SMALL), out="file/out", workers=1)


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", NAMES)
def test_a_link_that_leads_out_of_the_folder_is_refused_before_a_game_is_played(name: str) -> None:
    run(load(SMALL), out="out", workers=1)
    Path("elsewhere").write_text("mine")
    if name != "manifest.json":
        Path("out", name).unlink(missing_ok=True)
        Path("out", name).symlink_to(Path("elsewhere").absolute())
        before = contents(".")
        with pytest.raises(ScenarioError, match="a link leads out of"):
            run(load({**SMALL, "items": 10}), out="out", workers=1)
        assert contents(".") == before


def test_own_folders_are_written_to_again() -> None:
    for way in ("seeds", "run", "fresh", "seeds"):
        RUNS[way](Path("out"))
    Path("link").symlink_to("out")
    RUNS["run"](Path("link"))
    Path("out/manifest.json").unlink()  # the run was interrupted
    RUNS["run"](Path("out"))
    Path("out", JOURNAL).write_bytes(b"damaged" * 99)
    RUNS["run"](Path("out"))


@pytest.mark.slow
def test_a_run_removes_only_what_the_manifest_of_its_folder_lists() -> None:
    scenario = {**SMALL, "plots": [{"kind": "cost", "x": "sites"}]}
    write_report(run(load(scenario), out="out", workers=1))
    draw("out", style="paper")
    draw("out")
    write_report("out")
    drawn = {name for name in contents("out") if "figures" in name or "report" in name}
    assert {"out/report.html", "out/figures/cost-sites.svg", "out/figures/captions.json"} < drawn
    assert any("figures/paper" in name for name in drawn)
    listed = json.loads(Path("out/manifest.json").read_text())["written"]
    assert {f"out/{name}" for name in listed} == drawn
    mine = ["figures/mine.pdf", "figures/paper/cost.svg", "errors.txt", "controls.csv", "output.log", "figures/x.html"]
    for name in mine:
        Path("out", name).write_text("mine")
    run(load({**scenario, "items": 10}), out="out", workers=1)
    assert not drawn & set(contents("out"))
    assert all(Path("out", name).read_text() == "mine" for name in mine)
    run(load({**scenario, "items": 11}), out="out", workers=1)
    assert all(Path("out", name).read_text() == "mine" for name in mine)


def test_a_manifest_removes_nothing_outside_of_its_folder() -> None:
    run(load(SMALL), out="out", workers=1)
    manifest = json.loads(Path("out/manifest.json").read_text())
    names = ["report.html/../../small.yaml", "figures/../../small.yaml", str(Path("small.yaml").absolute())]
    Path("out/manifest.json").write_text(json.dumps({**manifest, "written": [*names, "errors.txt", "output.log"]}))
    Path("out/figures").mkdir()
    Path("out/errors.txt").symlink_to(Path("small.yaml").absolute())
    with pytest.raises(ScenarioError, match="a link leads out of"):
        run(load({**SMALL, "items": 10}), out="out", workers=1)
    Path("out/errors.txt").unlink()
    run(load({**SMALL, "items": 10}), out="out", workers=1)
    assert Path("small.yaml").exists()


OUTPUTS = {
    "replay": ("replay", "small.yaml", "--out"),
    "drawing": ("replay", "small.yaml", "--out"),
    "record": ("play", "--protocol", "exact", "--sites", "2", "--items", "9", "--record"),
}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("command", OUTPUTS)
def test_a_file_of_the_users_is_not_replaced_and_the_commands_own_is(command: str) -> None:
    hold_own_output(*OUTPUTS[command], name="x.svg" if command == "drawing" else "x")


@pytest.mark.slow
def test_a_comparison_replaces_no_file_of_the_users() -> None:
    run(load(SMALL), out="a", workers=1)
    run(load(SMALL), out="b", workers=1)
    words = ("compare", "a", "b", "--plot", "cost:x=sites")
    Path("compare-cost-sites.svg").write_text("mine")
    assert "compare-cost-sites.svg: exists, and was not written" in refused(*words)
    Path("compare-cost-sites.svg").unlink()
    assert [disttrack(*words).exit_code for _ in range(2)] == [0, 0]


def test_a_starting_file_follows_no_link() -> None:
    Path("mine.py").symlink_to("elsewhere.py")
    assert "mine.py is there already" in refused("new", "adversary", "mine")
    assert not Path("elsewhere.py").exists()
