"""A list of faults that is given is played: that of a search again as the same game, that of a deployment in steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import disttrack
from own_outputs import hold_own_output

from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.shown.replay.record import replayed

FOUND = "deterministic alpha=0.1; seed 3, latency 0.05 s\n  1.5 s: kill 1 for 2 s with 0\n  4 s: partition 0 for 1 s\n"
pytestmark = pytest.mark.usefixtures("folder")


def attacked(*flags: str, text: str = FOUND) -> dict[str, str]:
    """Return what the command prints of a list, by its names."""
    Path("found.txt").write_text(text, encoding="utf-8")
    done = disttrack("attack", "--faults", "found.txt", *flags)
    assert done.exit_code == 0, done.output
    return {name: value.strip() for name, _, value in (line.partition(":") for line in done.stdout.splitlines())}


def entries(path: str) -> dict[str, Any]:
    """Return the entries of a scenario that determine its games."""
    entries = yaml.safe_load(Path(path).read_text("utf-8"))
    return {name: entries[name] for name in ("protocol", "adversary", "sites", "items", "seed", "network")}


DRAWN = "{latency: {uniform: {from: 2, to: 4}}, link: reliable, loss: 0.1}"


@pytest.mark.drawn(1)
@pytest.mark.parametrize("network", ["{latency: 2}", DRAWN])
def test_a_list_that_was_found_is_the_same_game_again(network: str) -> None:
    """Read from what is printed, by `attack` and by `replay`."""
    sizes = ["--sites", "3", "--items", "90", "--seed", "5"]
    game = ["--protocol", "deterministic", *sizes, "--set", f"network={network}"]
    budget = "lost=2 late=2*9 overtaken=1*9 twice=1*9 cut=1*9 down=1*9 server-forgets=1*9"
    done = disttrack("attack", *game, "--budget", "100", "--network", budget, "--out", "search.yaml")
    found = next(line.partition(":")[2].strip() for line in done.stdout.splitlines() if line.startswith("faults found"))
    shown = attacked(*game, "--out", "again.yaml", text=found)
    assert shown["faults"] == found
    assert "the game cannot have" not in shown
    assert entries("again.yaml") == entries("search.yaml")
    first, again = (replayed(load(name)) for name in ("search.yaml", "again.yaml"))
    assert (first.messages, first.outputs, first.about.lost) == (again.messages, again.outputs, again.about.lost)
    quiet = {"name": "faults-of-deterministic", **entries("search.yaml"), "network": yaml.safe_load(network)}
    Path("quiet.yaml").write_text(yaml.safe_dump(quiet), encoding="utf-8")
    for name, more in (("again", []), ("quiet", ["--faults", "found.txt"])):
        drawn = disttrack("replay", f"{name}.yaml", *more, "--out", f"{name}.svg")
        assert drawn.exit_code == 0, drawn.output
    assert Path("again.svg").read_text("utf-8") == Path("quiet.svg").read_text("utf-8")


def test_a_list_of_a_deployment_is_played() -> None:
    """By its protocol and latency, unless others are given; the promise is judged again after the faults."""
    shown = attacked("--sites", "3", "--items", "3000", text=f"{FOUND}  3 s: clone 2 for 1 s\n  -> stuck: a")
    assert shown["the game cannot have"] == "3 s: clone 2 for 1 s (a game has no such fault)"
    assert shown["protocol"] == "deterministic alpha=0.1"
    assert shown["faults"] == "sites 0 cut 400-499; sites 1 down 150-350"
    assert shown["promise"] == "broken in 20 of 20 games"
    assert float(shown["max_lag_error"].split()[0]) > 0.1
    assert shown["from step 1,300 on"].startswith("kept in 20 of 20 games; ")
    assert entries("attack.yaml")["network"]["faults"] == shown["faults"]
    more = ["--items", "500", "--step", "0.1", "--set", "network.latency=7"]
    other = attacked("--protocol", "exact", "--sites", "3", *more)
    assert other["protocol"] == "exact"
    assert other["faults"] == "sites 0 cut 40-49; sites 1 down 15-35"
    assert '"latency": 7' in other["network"]


def test_faults_that_never_come_are_named() -> None:
    text = "message 90 from 1 lost; message 1 to 0 lost"
    shown = attacked("--protocol", "exact", "--sites", "2", "--items", "9", text=text)
    assert shown["never met"].count("is never sent") == 2
    assert shown["promise"] == "kept in 20 of 20 games"


def test_the_promise_of_a_quota_is_held_under_a_list() -> None:
    """That of `lease` under any delays; `batch-quota` promises nothing where messages are lost for ever."""
    sizes = ["--sites", "3", "--set", "requests=900", "--adversary", "greedy"]
    text = "1.5 s: kill 1 for 2 s with 0; 4 s: lose 0 for 1 s; 4 s: kill server for 1 s with 0; 6 s: leave 2 for 1 s"
    shown = attacked("--protocol", "lease limit=30 window=200", *sizes, text=text)
    assert shown["faults"] == "sites 1 cut 150-349; sites all cut 400-499; sites 0 forgets 400-500"
    assert shown["the game cannot have"].startswith("6 s: leave 2 for 1 s (must be left out: adversaries say")
    assert shown["promise"] == "kept in 20 of 20 games"
    assert "promised: " in shown["overshoot"]
    bare = attacked("--protocol", "batch-quota limit=30 window=200", *sizes, text="sites 0 cut 3-9")
    assert bare["promise"] == "undecided in 20 games: nothing is promised on such a network"


@pytest.mark.slow
def test_a_file_of_the_users_is_not_replaced_by_attack() -> None:
    hold_own_output(
        "attack", "--protocol", "deterministic", "--sites", "2", "--items", "50", "--budget", "100", "--out"
    )
