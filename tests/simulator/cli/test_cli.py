"""The command line inside this process: statuses, one line an error, what is printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import own_kinds
import pytest
from click.testing import Result
from commands import SMALL, disttrack, refused

from disttrack import play
from disttrack.simulator.cli import COMMANDS


@pytest.fixture(autouse=True)
def scenario(folder: Path) -> None:
    Path("small.yaml").write_text(SMALL)


def run(*more: str) -> Result:
    """Play the scenario; figures take seconds, so they are drawn only where they are tested."""
    return disttrack("run", "small.yaml", "--workers", "1", "--no-figures", *more)


def test_help_names_every_command() -> None:
    text = disttrack("--help").stdout
    assert all(f"  {command} " in text for command in COMMANDS)
    headings = ["Play and run:", "Look:", "Choose:", "Check:", "Write:"]
    assert [line for line in text.splitlines() if line in headings] == headings
    for command in COMMANDS:
        result = disttrack(command, "--help")
        assert result.exit_code == 0


def test_run_prints_table_claims_and_files() -> None:
    result = run()
    assert result.exit_code == 0, result.output
    assert "A small scenario" in result.stdout
    assert "PASS     always right: fraction(ok)" in result.stdout
    assert "2 of 2" in result.stdout
    assert "2 (4 played)" in result.stdout
    assert "replay: disttrack replay small.yaml --point N (N: column point)\n" in result.stdout
    assert "2 games played, 2 more without coins" in result.stdout
    for name in ("trials.csv", "series.csv", "kinds.csv", "claims.csv", "manifest.json"):
        assert Path("results/small", name).is_file()
    assert "results: results/small\n" in result.stdout
    again = run()
    assert "0 games played, 4 kept from before" in again.stdout


def test_controls_are_played_unless_they_are_left_out() -> None:
    coarse = ("--set", "claims.0.control={fault: coarse}")
    run(*coarse, "--out", "with")
    run(*coarse, "--out", "without", "--no-controls")
    assert [Path(folder, "controls.csv").is_file() for folder in ("with", "without")] == [True, False]


@pytest.mark.slow
def test_figures_and_report_are_written_and_can_be_made_again() -> None:
    cost = ["--set", "plots=[{kind: cost, x: sites}]", "--out", "results/small"]
    result = disttrack("run", "small.yaml", "--workers", "1", *cost)
    assert "report: results/small/report.html" in result.stdout
    made = [Path("results/small/figures/cost-sites.svg"), Path("results/small/report.html")]
    before = [path.read_bytes() for path in made]
    for path in made:
        path.unlink()
    assert "cost-sites.svg" in disttrack("plot", "results/small").stdout
    assert disttrack("report", "results/small").stdout == "results/small/report.html\n"
    assert [path.read_bytes() for path in made] == before
    run(*cost, "--out", "bare")
    assert not Path("bare/figures").exists()


def test_a_failed_claim_is_status_1() -> None:
    result = run("--set", "claims.0.at_most=0.5")
    assert result.exit_code == 1
    assert "FAIL     always right" in result.stdout


def test_a_game_for_which_there_is_no_memory_and_a_run_without_workers_are_refused() -> None:
    assert "--workers" in refused("run", "small.yaml", "--workers", "0")
    assert "of memory" in refused("run", "small.yaml", "--set", "sites=9000000000000")
    assert "of memory" in refused("play", "--protocol", "robust", "--sites", "900000000000")


def test_debug_shows_the_traceback() -> None:
    for arguments in (("--debug", "run", "gone.yaml"), ("run", "gone.yaml", "--debug")):
        result = disttrack(*arguments)
        assert result.exit_code == 2
        assert "Traceback (most recent call last)" in result.stderr
        assert result.stderr.strip().splitlines()[-1] == "gone.yaml: no such file"


def test_ctrl_c_is_one_line_and_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("disttrack.simulator.experiments.runs.runner.run", interrupt)
    assert "finished games are kept" in refused("run", "small.yaml", status=1)


def test_several_scenarios_are_checked_before_the_first_runs() -> None:
    Path("bad.yaml").write_text(SMALL.replace("0.1", "7"))
    Path("again.yaml").write_text(SMALL)
    assert "bad.yaml:6" in refused("run", "small.yaml", "bad.yaml")
    assert not Path("results").exists()
    assert "small.yaml and again.yaml are both called small" in refused("run", "small.yaml", "again.yaml")
    Path("again.yaml").write_text(SMALL.replace("name: small", "name: again"))
    assert disttrack("run", "small.yaml", "again.yaml", "--no-figures", "--out", "both").exit_code == 0
    assert Path("both/small/trials.csv").is_file()


def test_play_takes_parameters_and_a_network() -> None:
    network = "{latency: 9, loss: 0.2, link: reliable, crash: {at: 40, down: 5, state: lost}}"
    result = disttrack(
        "play", "--protocol", "deterministic centred=true alpha=0.5", "--adversary", "single-site:site=1",
        "--sites", "2", "--items", "4e2", "--set", "start=10", "--set", f"network={network}",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    lines = {line.partition(":")[0]: line for line in result.stdout.splitlines()}
    assert "deterministic" in lines["game"]
    assert "400 items" in lines["game"]
    assert "restarts 2" in lines["network"]
    assert "promised 0.5" in lines["largest error"]  # that of the protocol, not of --alpha


def test_a_promise_of_no_error_is_a_promise() -> None:
    """Seen: `(promised: …)` was left out for `exact`."""
    assert "largest error: 0, promised 0\n" in disttrack("play", "--protocol", "exact", "--items", "9").stdout
    assert "largest error 0 (promised: 0)" in repr(play("exact", "round-robin", sites=2, items=9))


def test_an_error_in_play_is_status_1() -> None:
    Path("own.py").write_text(own_kinds.RAISES)
    game = ("play", "--protocol", "randomized", "--adversary", "own.py:Raises", "--items", "100", "--seed")
    games = [disttrack(*game, str(seed)) for seed in range(8)]  # each goes wrong with probability 1/2
    assert {result.exit_code for result in games} == {0, 1}
    for result in games:
        assert ("RuntimeError: went wrong on purpose" in result.stderr) == (result.exit_code == 1)
        assert (result.stdout.split() == ["verdict:", "error"]) == (result.exit_code == 1)


def test_more_than_a_day_takes_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    long = ("--set", "protocol={kind: exact}", "--set", "items=1e15", "--set", "claims=[]")
    monkeypatch.setattr("disttrack.simulator.experiments.runs.runner.run", interrupt)
    assert "hours" in refused("run", "small.yaml", *long)
    result = run(*long, "--yes")
    assert result.exit_code == 1
    assert "hours" in result.stderr
    assert "stopped" in result.stderr


def test_of_many_points_the_first_are_printed() -> None:
    sweep = ("--trials", "1", "--set", f"sites={list(range(1, 64))}", "--set", "claims=[]", "--out", "out")
    short = run(*sweep).stdout
    assert "\n40 of 63 rows; all: out/table.txt, or --full\n" in short
    assert "\n   39     40 " in short
    assert "\n   40     41 " not in short
    assert "Protocols and adversaries" in short
    text = run(*sweep, "--full").stdout
    assert Path("out/table.txt").read_text(encoding="utf-8").splitlines()[0] == text.splitlines()[0]
    assert "\n   62     63 " in text


def test_check_plays_nothing_and_estimates_the_work() -> None:
    result = disttrack("check", "small.yaml", "--set", "claims.0.control={fault: coarse, trials: 1}")
    assert result.exit_code == 0
    assert "games:         4 (2 points, 2 trials each), and at most 2 of the claims' controls" in result.stdout
    for word in ("messages:", "time:", "memory:", "results:"):
        assert word in result.stdout
    assert not Path("results").exists()


def test_schema_is_json() -> None:
    assert json.loads(disttrack("schema").stdout)["title"] == "disttrack scenario"


DRAWING = "matplotlib pandas scipy numba "
"""What takes a second or more to import, and is not needed to look around or to play a short game."""
UNPLAYED = (
    "disttrack.adversaries.contents.items disttrack.mechanisms.counters.blt disttrack.protocols.thresholds.alarms "
)
"""Kinds that no game of these commands has."""
PLAYED = "--protocol randomized:alpha=0.1 --adversary freeze --sites 256 --items 300_000"


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        ("--help", f"{DRAWING}{UNPLAYED}numpy pydantic rich yaml simpy"),
        ("list scenarios", f"{DRAWING}{UNPLAYED}pydantic simpy"),
        ("list", f"{DRAWING}{UNPLAYED}numpy pydantic rich yaml simpy"),
        ("check small.yaml", f"{DRAWING}{UNPLAYED}rich.console"),
        (f"play {PLAYED}", DRAWING + UNPLAYED),
        pytest.param("run small.yaml --no-figures", f"matplotlib scipy.stats numba {UNPLAYED}", marks=pytest.mark.slow),
        pytest.param("advise --sites 20 --items 1e4", "matplotlib pandas scipy.stats", marks=pytest.mark.slow),
    ],
    ids=lambda text: text.split()[0],
)
def test_a_command_imports_only_what_it_needs(words: str, unneeded: str) -> None:
    """Imports take most of the time of short commands. Compiled functions count as kept, which is when they tempt."""
    script = """
import sys
from disttrack.mechanisms import compiler
compiler.is_kept = lambda *given, **parts: True
from disttrack.simulator.cli import main
try:
    main(sys.argv[2:])
except SystemExit as end:
    imported = set(sys.argv[1].split()) & set(sys.modules)
    sys.exit(end.code and f'status {end.code}' or imported and f'imported: {imported}' or 0)
"""
    root = str(Path(__file__).resolve().parents[3] / "src")
    command = [sys.executable, "-c", script, unneeded, *words.split()]
    done = subprocess.run(command, env={"PYTHONPATH": root, "PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_faults_that_never_come_are_named() -> None:
    faults = '{faults: "message 99 from 0 lost; site 1 down 300-301"}'
    line = "faults: sites 1 down 300-301 is after the last step"
    Path("faults.yaml").write_text(
        "{protocol: exact, adversary: round-robin, sites: 2, items: [60, 400], name: x, "
        f"network: {faults}, plots: [], trials: 2}}"
    )
    assert f"\n{line} in 1 of 2 points\n" in disttrack("check", "faults.yaml").stdout
    unsent = "faults: message 99 from site 0 is never sent"
    ran = disttrack("run", "faults.yaml", "--no-figures", "--workers", "1")
    assert ran.stderr.splitlines() == [f"{unsent} in 2 of 4 games", f"{line} in 2 of 4 games"]
    game = ("--protocol", "exact", "--adversary", "round-robin", "--sites", "2", "--items", "60")
    late = disttrack("play", *game, "--set", f"network={faults}")
    assert (late.exit_code, late.stderr) == (2, f"--set network.{line} of every game here, 60\n")
    faults = faults.partition(";")[0] + '"}'
    assert disttrack("play", *game, "--set", f"network={faults}").stderr.splitlines() == [unsent]
