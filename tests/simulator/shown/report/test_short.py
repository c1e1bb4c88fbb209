"""What a report says first: from the page of `headline` a new reader finds who is broken, by how much, at what cost."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.kinds.names import with_name
from disttrack.simulator.shown.report.report import paragraphs
from disttrack.simulator.shown.report.short import answer, in_words, pairs

ROOT = Path(__file__).resolve().parents[4]


def plain(text: object) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", str(text))).split())


def test_the_headline_says_who_is_broken_by_whom_by_how_much_and_what_the_robust_ones_cost() -> None:
    results = Results(ROOT / "results" / "reference" / "headline")
    question, story = results.scenario["question"], paragraphs(results.manifest["comment"])
    text = plain(answer(question, story, read_tables([results]), results.claims))
    assert "which one does an adaptive adversary break?" in text
    assert re.search(r"randomized is broken by freeze : \d+ of \d+ games fail \(from sites=64 on at least half\)", text)
    assert re.search(r"the median largest error reaches 5\.\d+ α at sites=1,024", text)
    costs = re.search(r"Cost in words, at sites=1,024, against freeze \(medians\): (.*?)\. ", text + " ")
    assert costs
    assert [cost.split(":")[0] for cost in costs[1].split("; ")] == [
        "martingale",
        "randomized",
        "deterministic",
        "robust",
    ]
    assert " times, broken)" in costs[1].split("; ")[1]
    assert re.search(r"robust: [\d,]+ \(9\.\d+ times\)", costs[1])
    assert "8 of 8 claims hold" in text


def test_an_output_that_is_no_number_is_named_and_no_adversary_breaks_it(tmp_path: Path) -> None:
    sizes = {"sites": (16,), "trials": 4, "protocols": ("robust",), "adversaries": ("freeze",)}
    folder = write_result(tmp_path / "r", **sizes, plots=())
    rows, series = pd.read_csv(folder / "trials.csv"), pd.read_csv(folder / "series.csv")
    rows[["verdict", "max_rel_error"]] = "failed", float("inf")
    rows.to_csv(folder / "trials.csv", index=False)
    series.assign(output=series["output"].mask(series["trial"] > 0)).to_csv(folder / "series.csv", index=False)
    text = "robust fails against freeze: its output is no finite number in 3 of 4 games."
    sentences = in_words(read_tables([folder]))
    assert sentences[0] == text
    assert "(fails)" in sentences[-1]
    series.to_csv(folder / "series.csv", index=False)  # the control: numbers that are infinitely wrong
    assert in_words(read_tables([folder]))[0].startswith("robust is broken by freeze: 4 of 4 games fail")


def test_costs_are_compared_on_equal_terms_only(tmp_path: Path) -> None:
    """Ten times the accuracy costs ten times the words: "2.4 times" across accuracies would blame the tracker."""
    folder = write_result(tmp_path / "r", sites=(16, 256), trials=2, plots=())
    rows = pd.read_csv(folder / "trials.csv")
    rows["verdict"] = "ok"
    rows.loc[rows["protocol"] == "deterministic", "alpha"] = 0.01
    rows.to_csv(folder / "trials.csv", index=False)
    tables = read_tables([folder])
    (costs,) = (text for text in in_words(tables) if text.startswith("Cost in words, at sites=256"))
    listed = {cost.split(":")[0]: cost for cost in costs.rstrip(".").split("(medians): ")[1].split("; ")}
    assert {"deterministic(α=0.01)", "randomized(α=0.03)"} <= {*listed}
    assert "times" not in listed["deterministic(α=0.01)"]
    assert sum("times" in text for text in listed.values()) == len(listed) - 2


@pytest.mark.parametrize(
    ("sizes", "key", "kept", "said"),
    [
        ({"alphas": (0.01, 0.03, 0.1)}, "alpha", 0.03, "at α=0.03, "),
        ({"sites": (16, 64, 256)}, "sites", 64, "at sites=64, "),
        ({"items": (1_000, 30_000, 1_000_000), "sites": (16,)}, "items", 30_000, "at items=30,000, "),
    ],
)
def test_costs_are_those_at_the_setting_that_all_share_where_one_tracker_has_more(
    sizes: dict[str, Any], key: str, kept: float, said: str, tmp_path: Path
) -> None:
    """At its cheapest setting, which the others do not play, a tracker would look cheaper than it is beside them."""
    folder = write_result(tmp_path / "r", **{"sites": (256,), "adversaries": ("freeze",), **sizes}, trials=2, plots=())
    rows = pd.read_csv(folder / "trials.csv")
    everywhere = rows["protocol"] == "randomized"
    shared = rows[everywhere | (rows[key] == kept)]
    shared.to_csv(folder / "trials.csv", index=False)
    (costs,) = (text for text in in_words(read_tables([folder])) if text.startswith("Cost in words, "))
    medians = shared[shared[key] == kept].groupby("protocol")["words"].median().sort_values()
    begins, listed = costs.split("against freeze (medians): ")
    assert begins.endswith(said)
    assert [one.split(" (")[0].rstrip(".") for one in listed.split("; ")] == [
        f"{name}: {number(round(words))}" for name, words in medians.items()
    ]
    # the control: no setting that all have, and each states its own
    apart = rows[(everywhere & (rows[key] != kept)) | (~everywhere & (rows[key] == kept))]
    apart.to_csv(folder / "trials.csv", index=False)
    pairs_apart = pairs(read_tables([folder]))
    assert {pair.words_at for pair in pairs_apart} == {with_name(key, kept), with_name(key, rows[key].max())}


def test_a_cost_says_where_its_tracker_is_broken_if_not_there(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16, 256), adversaries=("freeze",), trials=2, plots=())
    rows = pd.read_csv(folder / "trials.csv").assign(verdict="ok")
    rows.loc[(rows["protocol"] == "robust") & (rows["sites"] == 16), "verdict"] = "failed"
    rows.loc[(rows["protocol"] == "martingale") & (rows["sites"] == 256), "verdict"] = "failed"
    rows.to_csv(folder / "trials.csv", index=False)
    (costs,) = (text for text in in_words(read_tables([folder])) if text.startswith("Cost in words, "))
    assert re.search(r"robust: [^;]*broken at sites=16\)", costs)
    assert re.search(r"martingale: [^;]*[( ]broken\)", costs)


def test_costs_are_not_those_of_games_that_their_adversary_ended_early(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), adversaries=("uniform", "zipf"), trials=2, plots=())
    rows = pd.read_csv(folder / "trials.csv")
    rows.assign(unsent=(rows["adversary"] == "uniform").astype(int)).to_csv(folder / "trials.csv", index=False)
    (costs,) = (text for text in in_words(read_tables([folder])) if text.startswith("Cost in words, "))
    assert ", against zipf (medians)" in costs


def test_costs_are_compared_at_the_largest_number_of_items_only(tmp_path: Path) -> None:
    """A game of 1,000 items costs less than one of a million, whoever tracks."""
    folder = write_result(tmp_path / "r", sites=(16, 256), items=(1_000, 1_000_000), trials=2, plots=())
    (costs,) = (text for text in in_words(read_tables([folder])) if text.startswith("Cost in words, "))
    assert costs.startswith("Cost in words, at sites=256 and items=1,000,000, against freeze (medians): ")
    listed = costs.split("(medians): ")[1].split("; ")
    assert len(listed) == 4
    assert not any("items 1,000:" in one for one in listed)


def test_pairs_count_the_games_of_the_tables(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16, 256), trials=4, plots=())
    listed = pairs(read_tables([folder]))
    trials = pd.read_csv(folder / "trials.csv")
    assert {pair.words_at for pair in listed} == {"sites=256"}
    assert len(listed) == 4 * 2
    for pair in listed:
        mine = trials[(trials["protocol"] == pair.protocol) & (trials["adversary"] == pair.adversary)]
        assert (pair.games, pair.failed) == (8, int((mine["verdict"] == "failed").sum()))
        assert pair.words == mine[mine["sites"] == 256]["words"].median()
    assert [(pair.protocol, pair.adversary) for pair in listed if pair.broken] == [("randomized", "freeze")]


def test_games_with_errors_are_counted_and_decide_nothing(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=4, plots=())
    trials = pd.read_csv(folder / "trials.csv")
    trials.loc[trials["protocol"] == "robust", "verdict"] = "error"
    trials.to_csv(folder / "trials.csv", index=False)
    tables = read_tables([folder])
    text = plain(answer("", [], tables, pd.DataFrame()))
    assert "8 games ended with an error" in text
    named = {pair.protocol for pair in pairs(tables)}
    assert "robust" not in named
    assert len(named) > 0


def test_where_nothing_was_promised_nothing_holds(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=2, plots=())
    trials = pd.read_csv(folder / "trials.csv").assign(verdict="undecided", ok=False)
    trials.to_csv(folder / "trials.csv", index=False)
    assert pairs(read_tables([folder])) == []


def test_the_setting_of_the_words_is_that_of_their_games(tmp_path: Path) -> None:
    """Adversaries that are played with other numbers of sites, as recorded streams have."""
    folder = write_result(tmp_path / "r", sites=(16, 256), trials=2, plots=())
    trials = pd.read_csv(folder / "trials.csv")
    trials = trials[(trials["adversary"] == "freeze") == (trials["sites"] == 16)]
    trials.to_csv(folder / "trials.csv", index=False)
    costs = {pair.adversary: pair.words_at for pair in pairs(read_tables([folder]))}
    assert costs.pop("freeze") == "sites=16"
    assert set(costs.values()) == {"sites=256"}


def test_the_settings_that_are_named_are_those_at_which_half_of_the_games_fail(tmp_path: Path) -> None:
    sizes, protocols = (2, 4, 8, 16), ("robust",)
    folder = write_result(tmp_path / "r", sites=sizes, trials=2, protocols=protocols, adversaries=("freeze",), plots=())
    tables = read_tables([folder])
    for failing in product([0, 2], repeat=len(sizes)):
        fails = dict(zip(sizes, failing, strict=True))
        verdicts = [
            "failed" if trial < fails[sites] else "ok"
            for sites, trial in zip(tables.trials["sites"], tables.trials["trial"], strict=True)
        ]
        (pair,) = pairs(replace(tables, trials=tables.trials.assign(verdict=verdicts)))
        wanted = {sites for sites, number in fails.items() if number}
        named = {int(word) for word in re.findall(r"\d+", pair.fails)}
        begins = pair.fails.startswith("from")
        assert ({sites for sites in sizes if sites >= min(named)} if begins else named) == wanted
        assert pair.broken == bool(wanted)


def test_only_who_never_fails_holds_in_all_games(tmp_path: Path) -> None:
    protocols = ("deterministic", "martingale", "robust")
    sizes = {"sites": (16,), "trials": 8, "adversaries": ("freeze",)}
    tables = read_tables([write_result(tmp_path / "r", protocols=protocols, plots=(), **sizes)])
    for failing in product([0, 2], repeat=len(protocols)):
        fails = dict(zip(protocols, failing, strict=True))
        games = zip(tables.trials["protocol"], tables.trials["trial"], strict=True)
        trials = tables.trials.assign(verdict=["failed" if trial < fails[name] else "ok" for name, trial in games])
        text = plain(answer("", [], replace(tables, trials=trials), pd.DataFrame()))
        held = re.search(r"In short ([\w; ]+?) holds? in all games", text)
        some = re.search(r"A few games fail: ([\w; ()]+)\.", text)
        failed = {f"{name} ({number})" for name, number in fails.items() if number}
        assert set(held[1].split("; ") if held else []) == {name for name, number in fails.items() if not number}
        assert set(some[1].split("; ") if some else []) == failed


def test_who_ended_in_an_error_is_not_said_to_hold_in_all_games(tmp_path: Path) -> None:
    sizes = {"sites": (16,), "trials": 2, "adversaries": ("freeze",)}
    folder = write_result(tmp_path / "r", protocols=("deterministic",), plots=(), **sizes)
    assert "holds in all games." in plain(answer("", [], read_tables([folder]), pd.DataFrame()))
    rows = pd.read_csv(folder / "trials.csv")
    rows.loc[1, "verdict"] = "error"
    rows.to_csv(folder / "trials.csv", index=False)
    said = plain(answer("", [], read_tables([folder]), pd.DataFrame()))
    assert "holds in all games that ended without an error." in said


def test_games_without_a_promise_are_not_said_to_hold(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r", sites=(16,), trials=2, plots=())
    rows = pd.read_csv(folder / "trials.csv")
    rows["verdict"] = "ok"
    adversary = rows["adversary"].iloc[0]
    open_ = (rows["protocol"] == "robust") & (rows["adversary"] == adversary)
    rows.loc[open_, "verdict"] = "undecided"
    rows.to_csv(folder / "trials.csv", index=False)
    text = " ".join(in_words(read_tables([folder])))
    assert "in all games in which something was promised and judged." in text
    assert f"Games in which nothing was promised or judged: robust against {adversary} ({open_.sum()})." in text
