"""The room plugs in by entry points: names, games, refusals, sizes, streams, the figure, labels of the task."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from asking_kinds import games_of
from commands import disttrack as run_command
from drawn_again import asked, hold_drawn_again
from uncompiled import as_written

import disttrack
from disttrack.fleet import scenarios
from disttrack.fleet.change import Change
from disttrack.fleet.conformance import BOUND
from disttrack.fleet.figure import windows
from disttrack.fleet.quotas import Quota
from disttrack.protocols.base import Protocol
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import build, load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.game.engine_choice import available
from disttrack.simulator.game.repeat import unrepeatable
from disttrack.simulator.kinds.registry import ROLES, find, kinds
from disttrack.simulator.workshop.conformance import check_protocol

SCENARIOS: Final = sorted(Path(next(iter(scenarios.__path__))).glob("*.yaml"))
LOADS: Final = ("autoscaling", "boundary", "churn-of-sites", "flash-crowd", "greedy", "probing", "starving")
SMALL: Final = {
    "task": "quota",
    "sites": 4,
    "requests": 60,
    "protocol": {"kind": "periodic", "limit": 9, "window": 30, "every": 5},
}


def test_its_names_are_those_of_the_public_face() -> None:
    mine = [kind.load() for side in ROLES for kind in kinds(side).values() if "disttrack.fleet" in kind.reference]
    assert len(mine) == 20
    for maker in (*mine, Quota, Change):
        assert getattr(disttrack, maker.__name__) is maker
        assert maker.__name__ in disttrack.__all__
    code = "from disttrack import Lease, Greedy, play; print(play(Lease(9, 30), Greedy(), sites=2, items=60).looks[0])"
    assert "'admitted'" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", ["batch", "countdown", "hybrid"])
def test_a_name_of_another_game_once_meant_a_quota(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    sides = {"protocol": {"kind": name, "limit": 9, "window": 30}, "adversary": "round-robin"}
    scenario = build(Document("s.yaml", Path.cwd(), {**SMALL, **sides}))
    assert scenario.points[0].protocol.kind == f"{name}-quota"
    assert capsys.readouterr().err in ("", f"protocol {name} is called {name}-quota now\n")  # once per process


@pytest.mark.parametrize(
    ("given", "kind"),
    [("quotas.lease", "lease"), ("quotas.batch", "batch-quota"), ("quotas.countdown-quota", "countdown-quota")],
)
def test_a_quota_is_found_with_its_package_before_it(given: str, kind: str) -> None:
    assert find("protocol", given) is find("protocol", kind)
    assert f"{kind} (protocol" in run_command("describe", given).stdout


@pytest.mark.parametrize("adversary", kinds("adversary"))
def test_an_adversary_plays_or_is_refused_in_one_line(adversary: str) -> None:
    games_of(adversary, {"quota": SMALL})


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_its_scenarios_are_found_by_name(path: Path) -> None:
    assert shipped_scenarios()[path.stem] == path
    assert load(path.stem).task.kind == "quota"


def test_the_foot_of_windows_names_lines_that_hide_one_another(tmp_path: Path) -> None:
    """Shares without messages do not change with their latency."""
    sizes = {"sites": 4, "requests": 600, "limit": 50, "window": 100, "trials": 1, "network": {"latency": [0, 10]}}
    sides = {"protocol": ["split", "lease"], "adversary": ["uniform", "single-site"]}
    tables = read_tables(
        [disttrack.run({"name": "q", "task": "quota", "plots": [], **sizes, **sides}, out=tmp_path / "q")]
    )
    assert "On one another: split and split(latency=10) in all panels" in windows(tables, 2).note
    assert "On one another" not in windows(tables.where("latency == 0"), 2).note


def test_its_commands_are_commands_and_its_kinds_are_listed() -> None:
    shown = run_command("--help").stdout.partition("\nDeploy:\n")[2]
    assert all(f"  {name} " in shown for name in ("live", "serve", "feed"))
    assert "Quotas (quota):\n    central" in run_command("list").stdout
    shown = run_command("list", "quota").stdout
    assert not [name for name in ("lease", "central", *LOADS) if f"\n{name} " not in shown]


def test_a_shipped_figure_of_quotas_is_drawn_again(tmp_path: Path) -> None:
    assert asked("quota", 1)["kind"] == "windows"
    hold_drawn_again("quota", 1, tmp_path)


def test_its_code_belongs_to_the_games_of_quotas_and_to_no_others() -> None:
    def code(name: str) -> list[set[str]]:
        return [{key for key in point.made_of() if key.startswith("the code of")} for point in load(name).points]

    core = {"the code of disttrack"}
    assert all(one == {*core, "the code of disttrack.fleet"} for one in code("quota"))
    assert all(one == core for one in code("headline"))


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play forms as they are written; `test_compiled_quotas` compiles them."""
    monkeypatch.setattr("disttrack.simulator.game.engines.compiled.compiled", as_written)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("kind", ["split", "batch-quota"])
def test_a_quota_by_another_name_is_not_accused_of_what_its_task_allows(kind: str) -> None:
    """Its output, what all sites have admitted, changes without a message."""
    maker = kinds("protocol")[kind].load()
    for members in ({}, {"more": 1}):
        mine = type("Mine", (maker,), {"kind": "mine", "__module__": "mine", **members})(limit=9, window=30)
        given = {"protocol": mine, "adversary": disttrack.Uniform(), "sites": 3, "items": 300}
        game = disttrack.play(**given, engine="leap")
        assert game.output_changes > game.messages
        assert unrepeatable(given) == ""


@pytest.mark.drawn(1)
@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("name", [name for name, kind in kinds("protocol").items() if "fleet" in kind.reference])
def test_conformance_finds_no_fault_in_a_quota(name: str) -> None:
    """The bound is a check, and a promise of tracking is none."""
    maker: Any = kinds("protocol")[name].load()
    given = {"limit": 90, "window": 300} | ({"depth": 30} if name == "bucket-lease" else {})
    compiled = maker.kernel_form is not Protocol.kernel_form and available()
    names = check_protocol(maker(**given), sites=(1, 7), items=600)
    assert len(names) == 9 + compiled
    assert BOUND in names
    assert "keeps its promise" not in names
