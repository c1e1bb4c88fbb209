"""``disttrack replay`` and ``play --record``: pages and drawings of recorded games and of games of scenarios."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from commands import disttrack, refused

from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load as load_scenario
from disttrack.simulator.shown.replay.files import load
from disttrack.simulator.shown.replay.record import replayed

SCENARIO = """\
name: two
question: A tracker that is broken, and one that is not
trials: 2
seed: 7
sites: [8, 64]
items: 1500
protocol:
  - {kind: randomized, alpha: 0.1}
  - {kind: deterministic, alpha: 0.1}
adversary: {kind: freeze}
"""
PLAY = ("play", "--protocol", "randomized", "--adversary", "freeze", "--sites", "8", "--items", "300")


@pytest.fixture(autouse=True)
def scenario(folder: Path) -> None:
    Path("two.yaml").write_text(SCENARIO)


def data_of(page: str) -> Any:
    """Return what the page's script is given."""
    match = re.search(r'<script type="application/json" id="games">(.*?)</script>', page, re.DOTALL)
    assert match
    return json.loads(match[1])


def test_a_game_is_recorded_and_replayed() -> None:
    assert disttrack(*PLAY, "--record", "a.jsonl").exit_code == 0
    assert disttrack(*PLAY[:-1], "200", "--protocol", "deterministic", "--record", "b.jsonl").exit_code == 0
    result = disttrack("replay", "a.jsonl", "b.jsonl", "--out", "page.html")
    assert (result.exit_code, result.stdout) == (0, "page: page.html\n")
    assert "--point" in refused("replay", "a.jsonl", "--point", "1")
    page = Path("page.html").read_text()
    one, other = data_of(page)["games"]
    assert (one["items"][-1], other["items"][-1]) == ("300", "200")
    assert sum(one["arrows"]["messages"]) == load(Path("a.jsonl")).about.messages
    assert "randomized beside deterministic" not in page
    assert "<title>randomized against freeze beside deterministic against freeze</title>" in page
    assert not re.search(r"(src|href)=['\"](?!#)|url\(|@import", page.replace("link.href", ""))


def test_two_points_of_a_scenario_stand_side_by_side() -> None:
    result = disttrack("replay", "two.yaml", "--point", "0", "--point", "1", "--trial", "1", "--set", "items=400")
    assert result.exit_code == 0
    page = Path("replay.html").read_text()
    assert [game["items"][-1] for game in data_of(page)["games"]] == ["400", "400"]
    assert "two, point 0, trial 1" in page
    assert "two, point 1, trial 1" in page


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("shortest", ["", "adversary", "moves"])
def test_the_shortest_failing_game_has_a_page_and_the_flags_that_play_it_again(shortest: str) -> None:
    result = disttrack("replay", "two.yaml", "--point", "2", "--shortest", *shortest.split())
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    flags = shlex.split(told.partition("to play it again: disttrack ")[2].partition(" page: ")[0])
    again = json.loads(disttrack(*flags, "--json").stdout)
    page = Path("replay.html").read_text()
    (game,) = data_of(page)["games"]
    assert (again["verdict"], f"{again['items']:,}") == ("failed", game["items"][-1])
    assert again["messages"] == sum(game["arrows"]["messages"]) < 5000
    assert game["first"][0] == len(game["items"]) - 1  # the page ends, and opens, where it fails
    assert "shortest: randomized against freeze, " in page


def test_without_a_point_the_worst_game_of_the_last_run_is_made_shorter() -> None:
    assert "no run in results/two" in refused("replay", "two.yaml", "--shortest")
    Path("two.yaml").write_text(SCENARIO.replace("trials: 2", "trials: 8"))
    report = run(load_scenario("two.yaml", []), workers=1)
    trials = pd.read_csv(report.dir / "trials.csv")
    failed = trials[trials.verdict == "failed"]
    assert failed["max_rel_error"].nunique() > 1
    worst = failed.nlargest(1, "max_rel_error").iloc[0]
    told = disttrack("replay", "two.yaml", "--shortest").stdout
    assert f"worst game in results/two: point {worst.point}, trial {worst.trial}" in told
    named = ("--point", str(worst.point), "--trial", str(worst.trial))
    games = [told, disttrack("replay", "two.yaml", "--shortest", *named).stdout]
    before = [re.findall(r"seed \d+,|^before: .*", text, re.MULTILINE) for text in games]
    assert before[0] == before[1]
    assert len(before[0]) == 2
    for column in ("point", "trial"):  # seen: point 0 of a trial that failed at another one
        of_last = failed[failed[column] == failed.iloc[-1][column]].nlargest(1, "max_rel_error").iloc[0]
        told = disttrack("replay", "two.yaml", "--shortest", f"--{column}", str(of_last[column])).stdout
        assert f"worst game in results/two: point {of_last.point}, trial {of_last.trial}" in told
    assert "no game of point 0 in results/two failed" in refused("replay", "two.yaml", "--shortest", "--point", "0")
    # games of other seeds are other games
    other = Path("results/two,seed=9")
    report.dir.rename(other)
    assert "no game in results/two,seed=9 failed" in refused(
        "replay", "two.yaml", "--shortest", "--set", "seed=9"
    )


def test_a_recorded_game_is_made_shorter_like_that_of_a_scenario() -> None:
    """It is played again with its seed, which no scenario could give: seeds of games are derived there."""
    flags = ("--protocol", "randomized:alpha=0.1", "--adversary", "freeze", "--sites", "64", "--items", "1500")
    seeds = (json.loads(disttrack("play", *flags, "--seed", str(seed), "--json").stdout) for seed in range(50))
    failed = next(game for game in seeds if game["verdict"] == "failed")
    disttrack("play", *flags, "--seed", str(failed["seed"]), "--record", "a.jsonl")
    told = " ".join(disttrack("replay", "a.jsonl", "--shortest").stdout.split())
    assert f"{failed['messages']:,} messages fails: step" in told
    assert "shortest: randomized against freeze" in told
    assert re.search(r"other seeds: \d+ of \d+ fail within", told)
    disttrack(*PLAY, "--protocol", "exact", "--record", "b.jsonl")
    assert "only a failed game can be shorter" in refused("replay", "b.jsonl", "--shortest")


def test_the_flags_that_play_a_shortest_game_again_name_the_files_of_own_classes() -> None:
    """They named the class alone, which is no kind; and where all seeds fail it was a fact about one of them."""
    Path("own").mkdir()
    Path("own/low.py").write_text(
        "from disttrack import Deterministic\n\n\nclass Low(Deterministic):\n    kind = 'low'\n\n"
        "    def server(self, k, rng, start=()):\n        return super().server(k, rng, (9,) * k)\n"
    )
    Path("own/low.yaml").write_text(
        "protocol: {kind: 'low.py:Low', alpha: 0.1}\nadversary: round-robin\nsites: 3\nitems: 40\n"
    )
    disttrack("play", "--protocol", "own/low.py:Low alpha=0.1", "--adversary", "round-robin", "--record", "a.jsonl",
              "--sites", "3", "--items", "40")  # fmt: skip
    for game, fixed in (("own/low.yaml", []), ("a.jsonl", ["moves"])):
        told = " ".join(disttrack("replay", game, "--shortest", *fixed).stdout.split())
        assert ("against moves" in told) == bool(fixed)
        assert re.search(r"other seeds: (\d+) of \1 fail", told)
        flags = shlex.split(told.partition("to play it again: disttrack ")[2].partition(" page: ")[0])
        assert json.loads(disttrack(*flags, "--json").stdout)["verdict"] == "failed"


def test_a_long_list_of_moves_is_cut_in_the_title() -> None:
    moves = f"moves steps='{'0 1 ' * 99}'"
    flags = ("--protocol", "exact", "--adversary", moves, "--sites", "2", "--items", "150", "--record", "a.jsonl")
    assert disttrack("play", *flags).exit_code == 0
    assert load(Path("a.jsonl")).title == f"exact against moves(steps={'0 1 ' * 13}0…)"


def test_the_heading_has_the_network_in_words() -> None:
    flags = ("--set", "network={latency: 5.0, partition: {sites: 0-4, from: 300, to: 3500}}")
    assert disttrack(*PLAY, *flags, "--record", "a.jsonl").exit_code == 0
    assert disttrack("replay", "a.jsonl").exit_code == 0
    network = "latency=5, partition_sites=0-4, partition_from=300, partition_to=3,500"
    assert f"messages take time ({network}); 1 of them lost; only" in Path("replay.html").read_text()
    assert disttrack(*PLAY, "--set", "network.latency=0", "--record", "a.jsonl").exit_code == 0
    assert disttrack("replay", "a.jsonl").exit_code == 0
    assert "messages take time" not in Path("replay.html").read_text()


def test_games_of_a_scenario_are_those_of_its_tables() -> None:
    scenario = load_scenario("two.yaml", [])
    report = run(scenario, out="results", workers=1)
    trials = pd.read_csv(report.dir / "trials.csv")
    assert len(trials) == 8
    for row in trials.itertuples():
        about = replayed(scenario, row.point, row.trial).about
        for name in ("protocol", "sites", "items", "seed", "messages", "words", "verdict", "max_rel_error"):
            assert getattr(about, name) == pytest.approx(getattr(row, name)), name
        assert about.first_failure == (None if pd.isna(row.first_failure) else row.first_failure)
    assert {"ok", "failed"} == set(trials.verdict)


@pytest.mark.quick_cases(0)
def test_a_drawing_of_some_steps() -> None:
    result = disttrack("replay", "two.yaml", "--out", "some.svg", "--steps", "100", "150")
    assert (result.exit_code, result.stdout) == (0, "drawing: some.svg\n")
    root = ElementTree.parse("some.svg").getroot()
    texts = ["".join(one.itertext()).strip() for one in root.iter("{http://www.w3.org/2000/svg}text")]
    steps = [int(text.strip("! ")) for text in texts if re.fullmatch(r"(! )?\d+", text) and int(text.strip("! ")) > 16]
    assert steps == sorted(steps)
    assert (min(steps), max(steps)) >= (100, 150)
    assert any(text.startswith("Output moved to") for text in texts)


def test_the_first_messages_say_which_were_lost() -> None:
    shown = disttrack(*PLAY, "--set", "network.faults=message 1 from 0 lost", "--record", "a.jsonl").stdout
    assert shown.count("report, lost") == 1
    assert "0 → server: report, lost" in shown
