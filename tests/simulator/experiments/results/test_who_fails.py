"""Protocols and adversaries: who is broken, from where on, and what it costs on equal terms, without any sentence."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from synthetic_results import write_result

from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.pairs import STATES, columns, pairs
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run


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
