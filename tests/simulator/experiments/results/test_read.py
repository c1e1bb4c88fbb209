"""How figures and pages read the tables of results, and which adversary breaks which protocol from where on."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_claims, write_result

from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.lines import lines, swept_axes
from disttrack.simulator.experiments.results.pairs import STATES, columns, pairs
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run


def test_a_result_is_read_with_its_name_before_each_row(tmp_path: Path) -> None:
    tables = read_tables([write_result(tmp_path / "first"), write_result(tmp_path / "b" / "first", trials=1)])
    assert set(tables.trials["result"]) == {"first", "first (2)"}
    assert tables.several
    assert len(tables.trials) == 4 * 2 * 4 * (5 + 1)
    assert tables.trials["ok"].dtype == bool


def test_one_of_several_results_may_lack_a_table(tmp_path: Path) -> None:
    full, bare = write_result(tmp_path / "full"), write_result(tmp_path / "bare")
    (bare / "series.csv").unlink()
    together, alone = read_tables([bare, full]).series, read_tables([full]).series
    assert dict(together.dtypes) == dict(alone.dtypes)
    assert read_tables([bare]).series.empty


def test_what_is_called_na_is_not_missing(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "r")
    write_claims(folder, {"name": "NA", "measure": "fraction(ok)", "value": 1, "bound": ">= 1", "verdict": "PASS"})
    claims = Results(folder).claims
    assert claims["name"].tolist() == ["NA"]
    assert claims[["where", "low", "note"]].isna().all(axis=None)


def test_where_takes_games_and_what_belongs_to_them(tmp_path: Path) -> None:
    tables = read_tables([write_result(tmp_path / "r")])
    chosen = tables.where("protocol == 'robust' and sites >= 256")
    assert len(chosen.trials) == 2 * 2 * 5
    points = set(chosen.trials["point"])
    assert set(chosen.series["point"]) == points
    assert set(chosen.kinds["point"]) == points
    with pytest.raises(ValueError, match="no game meets"):
        tables.where("sites > 10000")
    with pytest.raises(ValueError, match="where"):
        tables.where("length > 3")


def test_axes_are_what_the_points_differ_in(tmp_path: Path) -> None:
    plain = read_tables([write_result(tmp_path / "a")]).trials
    assert swept_axes(plain) == ("sites",)
    more = read_tables([write_result(tmp_path / "b", extra=("confidence", [2.0, 3.0]), sites=(64,))]).trials
    assert swept_axes(more) == ("confidence",)


def test_what_a_task_measures_is_no_axis(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "a", sites=(64,), trials=1)
    trials = pd.read_csv(folder / "trials.csv")
    trials.assign(max_abs_error=range(len(trials))).to_csv(folder / "trials.csv", index=False)
    tables = read_tables([folder])
    assert swept_axes(tables.trials) == ()
    assert len(tables.where("max_abs_error >= 4").trials) == len(trials) - 4


def test_lists_that_move_together_are_one_axis(tmp_path: Path) -> None:
    trials = read_tables([write_result(tmp_path / "a")]).trials
    trials["alpha"] = 1 / np.sqrt(trials["sites"])
    assert len(lines(trials, "sites")) == 4


def test_a_task_may_measure_something_called_result(tmp_path: Path) -> None:
    """As `threshold-monitor` does; the reader's own first column has that name too."""
    write_result(tmp_path)
    trials = pd.read_csv(tmp_path / "trials.csv")
    trials.assign(result="late").to_csv(tmp_path / "trials.csv", index=False)
    tables = read_tables([tmp_path])
    assert set(tables.trials["_result"]) == {"late"}
    assert set(tables.trials["result"]) == {tmp_path.name}
    assert tables.where("result == 'late'").trials.equals(tables.trials)


# ---------------------------------------------------------------------- pairs of a protocol and an adversary


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
