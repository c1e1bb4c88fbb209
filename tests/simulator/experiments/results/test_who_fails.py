"""Protocols and adversaries: who is broken, from where on, and what it costs on equal terms, without any sentence."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.pairs import COLUMNS, STATES, Pair, columns, pairs
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run

ROOT = Path(__file__).resolve().parents[4]


def edited(folder: Path, **columns: Any) -> dict[tuple[str, str], Pair]:
    """Return the pairs of a result by their names, once columns of its games have other values."""
    rows = pd.read_csv(folder / "trials.csv")
    rows.assign(**{name: made(rows) for name, made in columns.items()}).to_csv(folder / "trials.csv", index=False)
    return {(pair.protocol, pair.adversary): pair for pair in pairs(read_tables([folder]))}


def test_the_headline_has_who_is_broken_by_whom_by_how_much_and_what_the_robust_ones_cost() -> None:
    listed = pairs(read_tables([Results(ROOT / "results" / "reference" / "headline")]))
    first = dict(zip(COLUMNS, listed[0].cells, strict=True))
    assert (first["protocol"], first["against"], first["state"]) == ("randomized", "freeze", "broken")
    assert re.fullmatch(r"\d+ of 128", first["games failed"])
    assert (first["fails at"], first["at"]) == ("sites≥64", "sites=1,024")
    assert re.fullmatch(r"5\.\d+", first["error/alpha"])
    assert [pair.protocol for pair in listed if pair.broken] == ["randomized"]
    costs = {pair.protocol: pair.ratio for pair in listed if pair.adversary == "freeze"}
    assert sorted(costs, key=costs.__getitem__) == ["martingale", "randomized", "deterministic", "robust"]
    assert 9 < costs["robust"] < 10


def test_pairs_count_the_games_of_the_tables(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16, 256), trials=4, plots=())
    listed, trials = pairs(read_tables([folder])), pd.read_csv(folder / "trials.csv")
    assert len(listed) == 4 * 2
    for pair in listed:
        mine = trials[(trials["protocol"] == pair.protocol) & (trials["adversary"] == pair.adversary)]
        assert (pair.games, pair.failed) == (8, int((mine["verdict"] == "failed").sum()))
        assert (pair.at, pair.words) == ("sites=256", mine[mine["sites"] == 256]["words"].median())


def test_an_output_that_is_no_number_is_named_and_no_adversary_breaks_it(tmp_path: Path) -> None:
    sizes = {"sites": (16,), "trials": 4, "protocols": ("robust",), "adversaries": ("freeze",)}
    folder = write_result(tmp_path / "r", **sizes, plots=())
    rows, series = pd.read_csv(folder / "trials.csv"), pd.read_csv(folder / "series.csv")
    rows[["verdict", "max_rel_error"]] = "failed", float("inf")
    rows.to_csv(folder / "trials.csv", index=False)
    series.assign(output=series["output"].mask(series["trial"] > 0)).to_csv(folder / "series.csv", index=False)
    assert [pair.state for pair in pairs(read_tables([folder]))] == ["broken: no number"]
    series.to_csv(folder / "series.csv", index=False)  # the control: numbers that are infinitely wrong
    assert [pair.state for pair in pairs(read_tables([folder]))] == ["broken"]


def test_costs_are_compared_on_equal_terms_only(tmp_path: Path) -> None:
    """Ten times the accuracy costs ten times the words: a ratio across accuracies would blame the tracker."""
    folder = write_result(tmp_path / "r", sites=(16, 256), items=(1_000, 30_000), trials=2, plots=())
    alpha = {"deterministic": 0.01}
    listed = edited(folder, verdict=lambda _: "ok", alpha=lambda rows: rows["protocol"].map(alpha).fillna(0.03))
    assert len(listed) == 4 * 2 * 2
    for terms in {pair.terms for pair in listed.values()}:
        for adversary in ("freeze", "round-robin"):
            equal = [one for one in listed.values() if (one.terms, one.adversary) == (terms, adversary)]
            least = min(one.words for one in equal)
            assert [one.ratio for one in equal] == [one.words / least for one in equal]
            assert {one.protocol.startswith("deterministic") for one in equal} in ({True}, {False})


@pytest.mark.parametrize(
    ("sizes", "key", "kept", "at"),
    [
        ({"alphas": (0.01, 0.03, 0.1)}, "alpha", 0.03, "α=0.03"),
        ({"sites": (16, 64, 256)}, "sites", 64, "sites=64"),
        ({"items": (1_000, 30_000, 1_000_000), "sites": (16,)}, "items", 30_000, "items=30,000"),
    ],
)
def test_costs_are_those_at_the_setting_that_all_share_where_one_tracker_has_more(
    sizes: dict[str, Any], key: str, kept: float, at: str, tmp_path: Path
) -> None:
    """At its cheapest setting, which the others do not play, a tracker would look cheaper than it is beside them."""
    folder = write_result(tmp_path / "r", **{"sites": (256,), "adversaries": ("freeze",), **sizes}, trials=2, plots=())
    rows = pd.read_csv(folder / "trials.csv")
    shared = rows[(rows["protocol"] == "randomized") | (rows[key] == kept)]
    shared.to_csv(folder / "trials.csv", index=False)
    listed = pairs(read_tables([folder]))
    medians = shared[shared[key] == kept].groupby("protocol")["words"].median()
    assert {pair.protocol: pair.words for pair in listed} == dict(medians)
    assert {pair.at for pair in listed} == {at}
    # the control: no setting that all have, and each states its own
    apart = rows[(rows["protocol"] == "randomized") != (rows[key] == kept)]
    apart.to_csv(folder / "trials.csv", index=False)
    assert len({pair.at for pair in pairs(read_tables([folder]))}) == 2


def test_costs_of_games_that_their_adversary_ended_early_have_no_ratio(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), adversaries=("uniform", "zipf"), trials=2, plots=())
    listed = edited(folder, unsent=lambda rows: (rows["adversary"] == "uniform").astype(int))
    assert {adversary: bool(pair.cells[-2]) for (_, adversary), pair in listed.items()} == {
        "uniform": False,
        "zipf": True,
    }


def test_games_with_errors_are_left_out(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=4, plots=())
    listed = edited(folder, verdict=lambda rows: rows["verdict"].mask(rows["protocol"] == "robust", "error"))
    assert {protocol for protocol, _ in listed} == {"deterministic", "randomized", "martingale"}


def test_where_nothing_was_promised_nothing_holds(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=2, plots=())

    def some(rows: pd.DataFrame) -> pd.Series[str]:
        return rows["verdict"].mask((rows["protocol"] == "robust") & (rows["adversary"] == "freeze"), "undecided")

    listed = edited(folder, verdict=some)
    assert {names for names, pair in listed.items() if pair.state == "undecided"} == {("robust", "freeze")}
    assert (listed["robust", "freeze"].games, listed["robust", "freeze"].cells[3]) == (0, "")
    assert edited(folder, verdict=lambda _: "undecided") == {}


def test_the_settings_that_are_named_are_those_at_which_half_of_the_games_fail(tmp_path: Path) -> None:
    sizes, protocols = (2, 4, 8, 16), ("robust",)
    folder = write_result(tmp_path / "r", sites=sizes, trials=4, protocols=protocols, adversaries=("freeze",), plots=())
    tables = read_tables([folder])
    for failing in product([0, 1, 2], repeat=len(sizes)):
        fails = dict(zip(sizes, failing, strict=True))
        verdicts = [
            "failed" if trial < fails[sites] else "ok"
            for sites, trial in zip(tables.trials["sites"], tables.trials["trial"], strict=True)
        ]
        (pair,) = pairs(replace(tables, trials=tables.trials.assign(verdict=verdicts)))
        wanted = {sites for sites, games in fails.items() if games == 2}
        named = {int(word) for word in re.findall(r"\d+", pair.fails_at)}
        assert ({one for one in sizes if one >= min(named)} if "≥" in pair.fails_at else named) == wanted
        assert pair.state == ("broken" if wanted else "fails" if any(failing) else "holds")
        assert pair.failed == sum(failing)


@pytest.mark.parametrize("network", [None, {"latency": 3}])
def test_meanings_are_of_what_is_shown(network: dict[str, int] | None, tmp_path: Path) -> None:
    """Seen: the lag-aware error in games without a network, and "fails" where all hold, which nothing explained."""
    keys = {"name": "n", "sites": 4, "items": 400, "trials": 2, "adversary": ["round-robin", "freeze"]}
    protocols = ["exact", {"kind": "randomized", "alpha": 0.3}]
    report = run({**keys, "protocol": protocols, "network": network}, out=tmp_path, workers=1)
    tables = read_tables([report])
    listed = pairs(tables)
    said = dict(columns(tables, listed))["state"]
    states = {pair.state.partition(":")[0] for pair in listed}
    assert {state for state in STATES if f"{state}: " in said} == states
    meanings = answer_table(report).meanings
    assert all(("lag-aware" in meanings[name]) == bool(network) for name in ("held", "error/alpha"))
