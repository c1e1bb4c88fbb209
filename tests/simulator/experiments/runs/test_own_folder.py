"""A run writes only into a folder that is empty or its own, and removes only what its manifest lists."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from io import StringIO
from math import inf
from pathlib import Path

import pytest
from commands import refused
from own_outputs import hold_own_output

from disttrack import Results
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.experiments.runs.journal import JOURNAL
from disttrack.simulator.experiments.runs.own_folder import LONGEST, NAMES, PREVIOUS, alone, place_of
from disttrack.simulator.experiments.runs.progress import Progress
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.runs.seeds import run_seeds
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.kinds import code
from disttrack.simulator.shown.plots import draw
from disttrack.simulator.shown.report.report import write_report
from disttrack.simulator.workshop.arena import arena

SMALL = {"name": "small", "sites": [2, 3], "items": 9, "protocol": "exact", "adversary": "round-robin", "seed": 1}


@pytest.fixture(autouse=True)
def _in_a_new_folder(folder: Path) -> None:
    Path("small.yaml").write_text(json.dumps(SMALL))


def contents(folder: str | Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


FOREIGN = (
    {"manifest.json": '{"name": "An application", "start_url": "/", "icons": []}', "report.html": "mine"},
    {"figures/mine.pdf": "mine"},
    {JOURNAL: "CREATE TABLE notes (text TEXT)"},
    dict.fromkeys(("errors.txt", "controls.csv", "output.log", "trials.csv", ".part-mine"), "mine\n"),
    {"trials.csv": "mine\n", "manifest.json": "{"},
)
"""Files of users: a page, a thesis, a database, names that runs use, and tables without an origin."""
RUNS: dict[str, Callable[[Path], object]] = {
    "run": lambda out: run(load(SMALL), out=out, workers=1),
    "fresh": lambda out: run(load(SMALL), out=out, workers=1, fresh=True),
    "seeds": lambda out: run_seeds(load(SMALL), 1, out=out, workers=1),
    "one seed": lambda out: run_seeds(load(SMALL), 1, out=out.parents[1], workers=1),
    "arena": lambda out: arena("exact", sites=2, items=9, trials=1, out=out, workers=1),
}


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize(
    ("way", "files"), [*zip(RUNS, FOREIGN, strict=True), *(("run", one) for one in FOREIGN[1:])]
)
def test_a_folder_of_the_users_is_refused_and_left_as_it_is(way: str, files: dict[str, str]) -> None:
    out = Path("out")
    if way == "one seed":
        RUNS["run"](out)
        out /= f"seeds/{load(SMALL).reseeded(1).head.seed}"
    for path, text in ((out / name, text) for name, text in files.items()):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == JOURNAL:
            with closing(sqlite3.connect(path)) as database, database:
                database.execute(text)
        else:
            path.write_text(text)
    before = contents("out")
    with pytest.raises(ScenarioError, match=rf"^{out}: has files of no run .*--out$"):
        RUNS[way](out)
    assert contents("out") == before


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


def test_a_starting_file_follows_no_link() -> None:
    Path("mine.py").symlink_to("elsewhere.py")
    assert "mine.py exists" in refused("new", "adversary", "mine")
    assert not Path("elsewhere.py").exists()


WRITERS: dict[str, Callable[[Path], object]] = {
    **RUNS,
    "figures": lambda out: draw(out),
    "page": lambda out: write_report(out),
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("way", [way for way in WRITERS if way != "one seed"])
def test_all_that_writes_into_a_folder_is_alone_there(way: str) -> None:
    """Another process draws a result's figures while this one runs other settings: the figures would be of both."""
    RUNS["run"](Path("out"))
    before = contents("out")
    script = (
        "import sys\nfrom pathlib import Path\nfrom disttrack.simulator.experiments.runs.own_folder import alone\n"
        "with alone(Path('out')):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(ScenarioError, match="another run writes here"):
            WRITERS[way](Path("out"))
        assert contents("out") == before
        other.communicate(b"")
    WRITERS[way](Path("out"))
    with alone(Path("out")):  # who has the folder may ask for it again, and its other threads may not
        WRITERS[way](Path("out"))
        with ThreadPoolExecutor(1) as pool, pytest.raises(ScenarioError, match="another run writes here"):
            pool.submit(WRITERS[way], Path("out")).result()


@pytest.mark.parametrize("write", [draw, write_report])
def test_results_are_not_drawn_into_the_folder_of_a_later_run(write: Callable[[object], object]) -> None:
    report = run(load(SMALL), out="out", workers=1)
    run(load({**SMALL, "sites": [4]}), out="out", workers=1)
    before = contents("out")
    with pytest.raises(ScenarioError, match="out: its tables changed: open it again"):
        write(report)
    assert contents("out") == before
    with pytest.raises(ScenarioError, match="run the scenario again"):
        _ = report.trials


def test_a_run_whose_folder_was_given_to_another_one_writes_no_tables() -> None:
    """It was stopped for a while, and is resumed."""

    given: list[bool] = []
    before: dict[str, bytes] = {}
    script = "import shutil\nfrom disttrack import run\n"
    script += f"shutil.rmtree('out')\nrun({ ({**SMALL, 'items': 10})!r}, out='out', workers=1)\n"

    def taken(progress: Progress) -> None:
        if progress.finished and not given:
            given.append(True)
            subprocess.run([sys.executable, "-c", script], check=True)
            before.update(contents("out"))

    with pytest.raises(RunError, match="removed or replaced; no tables written"):
        run(load(SMALL), out="out", workers=1, on_progress=taken)
    assert before
    assert contents("out") == before


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ((), "small"),
        (("name=other", "seed=3"), "other,seed=3"),
        (("trials=2", "protocol.alpha=0.1", "trials = 3"), "small,protocol.alpha=0.1,trials=3"),
        (("sites=[2, 4]",), "small,sites=2d2b1c39"),
        (("protocol=mine.py:Mine", "seed=1"), "small,protocol=cefea7a5,seed=1"),
        (tuple(f"parameter{place}.{'x' * 9}=1" for place in range(9)), "small,1c3eb256"),
    ],
)
def test_what_was_set_over_the_file_names_the_folder(overrides: tuple[str, ...], name: str) -> None:
    one = replace(load({**SMALL, "name": "other" if "name=other" in overrides else "small"}), overrides=overrides)
    assert place_of(one) == Path("results") / name
    assert len(name) <= LONGEST
    assert place_of(one, "out") == Path("out")


RANDOM = "protocol={kind: randomized, alpha: 0.5}"


def test_games_of_the_same_scenario_are_taken_from_the_folders_beside() -> None:
    grown = run("small.yaml", workers=1, overrides=[RANDOM, "trials=3"])
    assert (grown.played, grown.kept) == (6, 0)
    fewer = run("small.yaml", workers=1, overrides=[RANDOM])
    assert (fewer.played, fewer.kept) == (0, 2)
    more = run("small.yaml", workers=1, overrides=[RANDOM, "trials=4"])
    assert (more.played, more.kept) == (2, 6)
    new = run("small.yaml", workers=1, overrides=[RANDOM, "trials=4"], out="new")
    assert more.trials.drop(columns="seconds").equals(new.trials.drop(columns="seconds"))
    assert run("small.yaml", workers=1, overrides=[RANDOM, "trials=2"], fresh=True).kept == 0
    journal = more.dir / JOURNAL
    journal.write_bytes(journal.read_bytes()[:5000])  # a damaged one only gives less
    last = run("small.yaml", workers=1, overrides=[RANDOM, "trials=5"])
    assert (last.played, last.kept) == (4, 6)


@pytest.mark.parametrize(
    "edit",
    [
        {"question": "Is it exact?"},
        {"plots": [{"kind": "cost", "x": "sites"}]},
        {"claims": [{"name": "c", "measure": "max(words)", "at_most": 9}]},
    ],
)
def test_an_edit_that_changes_no_games_leaves_the_tables_before_the_last_that_did(edit: dict[str, object]) -> None:
    """Seen: a second edit, of the question, replaced `previous` by the same tables, and the real ones were lost."""
    before = run(SMALL, workers=1).trials
    assert run({**SMALL, "items": 8}, workers=1).previous is not None
    assert run({**SMALL, "items": 8, **edit}, workers=1).previous is None
    assert Results("results/small/previous").trials.equals(before)
    again = run({**SMALL, **edit}, workers=1)
    assert again.previous is not None
    assert set(Results(again.previous).trials["items"]) == {8}


def test_a_folder_called_previous_of_the_users_is_refused() -> None:
    run("small.yaml", workers=1)
    Path("results/small/previous").mkdir()
    Path("results/small/previous/mine").write_text("mine")
    with pytest.raises(ScenarioError, match="previous: has files of no run"):
        run("small.yaml", workers=1)


class Stopped(BaseException):
    """Ends a run in the middle."""


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("seed", range(6))
def test_a_folder_has_the_last_run_whatever_was_begun_there_before(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of other settings and versions, some of them stopped, and then one to its end: as in a new folder."""
    bound = {"name": "c", "measure": "fraction(ok)", "at_least": 0.1, "control": {"items": 8, "sites": 2}}
    others = ({}, {"sites": [2], "trials": 3}, {"claims": [bound]}, {"protocol": {"kind": "own_failing.py:Fails"}})
    fails = "def sites(self, k, rng, start=()):\n        raise ValueError\n"
    Path("own_failing.py").write_text(f"from disttrack import Exact\nclass Fails(Exact):\n    {fails}")

    def play(settings: dict[str, object], version: str, out: str, most: float = inf) -> None:
        def stop(progress: Progress) -> None:
            if progress.played > most:
                raise Stopped

        code.versions.cache_clear()
        monkeypatch.setattr(code, "version_of", lambda name: version if name == "numpy" else installed(name))
        with suppress(Stopped):
            run({**SMALL, **settings}, out=out, workers=1, on_progress=stop)

    def tables(out: str) -> dict[str, object]:
        left_out = {"begun", "seconds", "games", "tables", "checksum"}
        found: dict[str, object] = {}
        for name, content in ((Path(name).name, one) for name, one in contents(out).items() if PREVIOUS not in name):
            if name == "manifest.json":
                found[name] = {key: one for key, one in json.loads(content).items() if key not in left_out}
            elif name.endswith(".csv"):
                found[name] = [row | {"seconds": ""} for row in csv.DictReader(StringIO(content.decode()))]
            elif JOURNAL not in name:
                found[name] = content
        return found

    installed, rng = code.version_of, random.Random(seed)
    try:
        for _ in range(4):
            play(rng.choice(others), rng.choice("ab"), "out", rng.choice((0, 1, 2, inf)))
        last = rng.choice(others), rng.choice("ab")
        play(*last, "out")
        play(*last, "new")
    finally:
        code.versions.cache_clear()
    assert tables("out") == tables("new")
