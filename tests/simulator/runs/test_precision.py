"""Trials by precision: where a run ends is a function of its games, and of nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
from click.testing import CliRunner

import disttrack
from simulator.claims.sequences import mean_interval
from simulator.cli import main
from simulator.errors import ScenarioError
from simulator.results.folder import Results
from simulator.runs import precision as rule
from simulator.runs.progress import Progress
from simulator.scenario.schema import scenario_schema

CLAIM = {"name": "it holds", "measure": "fraction(ok)", "at_least": 0.1, "each": "adversary", "no_control": "a test"}
DATA: dict[str, Any] = {
    "name": "precise",
    "sites": 16,
    "items": 3000,
    "seed": 4,
    "trials": {"precision": 0.16, "at_most": 200},
    "protocol": {"kind": "randomized", "alpha": 0.12},
    "adversary": ["uniform", "freeze"],
    "claims": [CLAIM],
}


def played(folder: Path, data: dict[str, Any] = DATA, **options: Any) -> Results:
    return disttrack.run(data, out=folder, **{"workers": 1, **options})


def games(results: Results) -> pd.DataFrame:
    return results.trials.drop(columns="seconds")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return played(tmp_path_factory.mktemp("precise"))


def test_it_ends_at_the_first_trial_at_which_all_intervals_are_narrow(results: Results) -> None:
    by_adversary = {name: mine.sort_values("trial")["ok"] for name, mine in results.trials.groupby("adversary")}
    trials = len(by_adversary["freeze"])
    assert 10 < trials < 200
    assert len(by_adversary["uniform"]) == trials

    def widths(number: int) -> list[float]:
        ends = [mean_interval(float(held[:number].sum()), number) for held in by_adversary.values()]
        return [(high - low) / 2 for low, high in ends]

    assert max(widths(trials)) <= 0.16
    assert all(max(widths(number)) > 0.16 for number in range(10, trials))


def test_the_interval_that_is_written_is_the_one_that_ended_it(results: Results) -> None:
    for _, claim in results.claims.iterrows():
        held = results.trials.query(claim["group"])["ok"]
        assert (claim["low"], claim["high"]) == pytest.approx(mean_interval(float(held.sum()), len(held)))
        assert claim["games"] == len(held)


@pytest.mark.slow
def test_workers_batches_and_interruptions_have_no_part_in_it(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert games(played(tmp_path / "two", workers=2)).equals(games(results))

    class StopError(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.played >= 15:
            raise StopError

    with pytest.raises(StopError):
        played(tmp_path / "stopped", on_progress=stop)
    assert games(played(tmp_path / "stopped")).equals(games(results))
    monkeypatch.setattr(rule, "GROWTH", 3.0)
    assert games(played(tmp_path / "large")).equals(games(results))


def test_more_precision_plays_only_what_is_new(results: Results, tmp_path: Path) -> None:
    before = len(played(tmp_path, {**DATA, "trials": {"precision": 0.2, "at_most": 200}}).trials)
    finer = played(tmp_path)
    assert before < len(finer.trials)
    assert games(finer).equals(games(results))
    assert finer.manifest["games"]["kept"] >= before


def test_it_ends_with_at_most_and_says_so(tmp_path: Path) -> None:
    found = played(tmp_path, {**DATA, "trials": {"precision": 0.01, "at_most": 12}})
    assert len(found.trials) == 24
    assert set(found.claims["note"]) == {"less precise than asked for: at_most came first"}
    few = played(tmp_path, {**DATA, "trials": {"precision": 0.01, "at_most": 3}})
    assert len(few.trials) == 6


def test_a_median_is_known_to_a_share_of_its_value(tmp_path: Path) -> None:
    claim = {"name": "words", "measure": "median(words)", "where": "adversary == 'freeze'", "at_least": 1}
    found = played(tmp_path, {**DATA, "claims": [claim], "trials": {"precision": 0.08, "at_most": 200}})
    row = found.claims.iloc[0]
    assert (row["high"] - row["low"]) / 2 <= 0.08 * row["value"]
    assert row["low"] <= row["value"] <= row["high"]


def test_controls_are_played_too(tmp_path: Path) -> None:
    claim = {**CLAIM, "where": "adversary == 'uniform'", "at_least": 0.3, "control": {"fault": "coarse"}}
    del claim["no_control"]
    found = played(tmp_path, {**DATA, "claims": [claim]})
    assert (tmp_path / "controls.csv").is_file()
    assert found.claims["control"].notna().all()


@pytest.mark.slow
def test_games_without_coins_are_known_after_one(tmp_path: Path) -> None:
    """Two points, one of which has no coins: this one is played once, and does not say that it needs more trials."""
    data = {**DATA, "adversary": "freeze", "protocol": ["exact", {"kind": "randomized", "alpha": 0.12}]}
    each = {**CLAIM, "each": "protocol"}
    found = played(tmp_path / "each", {**data, "claims": [each]})
    told = found.claims.set_index("group")
    exact, tossed = told.loc["protocol == 'exact'"], told.loc["protocol == 'randomized'"]
    trials = int(tossed["games"])
    assert trials > 10
    assert (exact["games"], exact["played"], exact["low"]) == (1, trials, pytest.approx(0.025))  # of one game, exactly
    assert pd.isna(exact["note"])
    assert found.manifest["games"]["played"] - found.manifest["games"]["alike"] <= trials * 1.25 + 10
    alone = {**CLAIM, "where": "protocol == 'exact'"}
    assert len(played(tmp_path / "alone", {**data, "claims": [alone]}).trials) == 2 * 10  # at_least
    together = played(tmp_path / "both", {**data, "claims": [{**CLAIM, "each": "adversary"}]}).claims.iloc[0]
    assert together["played"] == 2 * (together["games"] - 1)


RAISING = """
from adversaries import Adversary, Burst

class Raising(Adversary):
    def plan(self, view):
        if view.steps:
            return None
        with open({log!r}, "a") as file:
            file.write("x")
        if view.rng.random() < 0.5:
            raise RuntimeError("no")
        return Burst(0, view.items)
"""


def test_a_game_that_an_error_ended_is_played_once_in_a_run(tmp_path: Path) -> None:
    """About half of the games end at once; the claim needs several batches of trials."""
    log = tmp_path / "log"
    (tmp_path / "own.py").write_text(RAISING.format(log=str(log)), encoding="utf-8")
    data = {**DATA, "adversary": [{"kind": f"{tmp_path / 'own.py'}:Raising"}, "freeze"]}
    claim = {**CLAIM, "where": "adversary == 'freeze'"}
    del claim["each"]
    found = played(tmp_path / "out", {**data, "claims": [claim]})
    games = found.manifest["games"]
    mine = found.trials[found.trials["adversary"] == "Raising"]
    assert (mine["verdict"] == "error").sum() > 3
    begun = len(log.read_text())
    assert len(mine) <= begun <= len(mine) * 1.25 + 1  # a batch may go beyond the end; each game begins once
    assert games["played"] == 2 * begun


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"claims": []}, "trials: trials by precision need claims"),
    ({"claims": [{**CLAIM, "measure": "mean(words)"}]}, r"claims\[0\].measure: .* no sequence of intervals .* mean"),
    (
        {"claims": [{**CLAIM, "measure": "max(words)"}]},
        r"claims\[0\].measure: trials by precision take fraction, median",
    ),
    ({"claims": [{**CLAIM, "measure": "median(words) / 2"}]}, "of a measure made of several"),
    ({"claims": [{**CLAIM, "measure": "fraction(ok, where=(sites > 2))"}]}, "no where= inside of a measure"),
    ({"claims": [{**CLAIM, "where": "words > 5"}]}, r"claims\[0\].where: .* words is known after a game only"),
    ({"claims": [{**CLAIM, "each": "verdict"}]}, r"claims\[0\].each: .* verdict is known after a game only"),
    ({"trials": {"precision": 0.1}}, "trials.at_most: is missing"),
    ({"trials": {"precision": 0, "at_most": 9}}, "trials.precision: must be above 0.0; got 0"),
    ({"trials": {"precision": 2, "at_most": 9}}, "trials.precision: must be .*below|less than.* 1"),
    ({"trials": {"precision": 0.1, "at_most": 9, "most": 3}}, "trials.most: unknown key"),
    ({"trials": "many"}, "trials: must be a whole number"),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=range(len(WRONG)))
def test_what_no_sequence_is_known_for_is_refused_in_a_line(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as caught:
        disttrack.load({**DATA, **change})
    assert "\n" not in str(caught.value)


def test_check_says_how_much_it_is_at_most(tmp_path: Path) -> None:
    path = tmp_path / "precise.yaml"
    path.write_text(
        "sites: 4\nitems: 100\ntrials: {precision: 0.1, at_most: 77}\nprotocol: exact\nadversary: uniform\n"
        "claims: [{name: a, measure: fraction(ok), at_least: 1, no_control: a test}]\n"
    )
    said = CliRunner().invoke(main, ["check", str(path)])
    assert said.exit_code == 0, said.output
    assert "at most 77 (1 points, 77 trials each)" in said.output


@pytest.mark.slow
def test_the_schema_takes_it() -> None:
    schema = scenario_schema()
    jsonschema.validate(DATA, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**DATA, "trials": {"precision": 0.1}}, schema)
    jsonschema.validate({**DATA, "trials": 3}, schema)
