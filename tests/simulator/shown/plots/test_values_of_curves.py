"""Bounds in `cost` figures, computed a second way, and the names of files of figures that are asked for."""

from __future__ import annotations

import re
from math import log, sqrt
from pathlib import Path

import pytest
from drawn import described, of
from synthetic_results import write_result

from disttrack.simulator.experiments.results.folder import Results, class_of
from disttrack.simulator.experiments.results.read import tables_of
from disttrack.simulator.kinds.registry import make
from disttrack.simulator.shown.plots.curves import LOWER_NOTE
from disttrack.simulator.shown.plots.description import Series
from disttrack.simulator.shown.plots.kinds import Cost
from disttrack.simulator.shown.plots.requests import planned

COST = {"kind": "cost", "x": "sites"}
SITES = [16, 64, 256]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return five games a point; in panels: against round-robin, against freeze."""
    return write_result(tmp_path_factory.mktemp("values") / "headline", sites=SITES)


def test_bounds_are_those_that_each_protocol_states_at_each_point(folder: Path) -> None:
    panel = described(folder, COST).panels[1]
    for protocol in ("deterministic", "robust"):
        made = make("protocol", class_of("protocol", protocol, {}), {"alpha": 0.03})
        wanted = [made.cost_bound(site, 2_000_000, 0) for site in SITES]
        assert list(of(panel, protocol, "bound").y) == pytest.approx(wanted)
    assert not described(folder, {**COST, "y": "bits"}).panels[0].of(Series, "bound")


def test_lower_bounds_are_k_and_root_k_over_alpha_an_efold(folder: Path) -> None:
    """From as many items on as the bound has words; also as words an e-fold of the whole stream."""
    assert not described(folder, COST).panels[0].of(Series, "lower bound")
    made = described(folder, {**COST, "lower_bounds": True})
    per = described(folder, {**COST, "lower_bounds": True, "y": "words-per-efold"})
    for name, bound in (("k/α", lambda k: k / 0.03), ("√k/α", lambda k: sqrt(k) / 0.03)):
        words = [bound(k) * log(2_000_000 / bound(k)) for k in SITES]
        for panel in made.panels:
            assert list(of(panel, name, "lower bound").y) == pytest.approx(words)
        assert list(of(per.panels[0], name, "lower bound").y) == pytest.approx([x / log(2_000_001) for x in words])
    assert [of(panel, "k/α", "lower bound").label for panel in made.panels] == ["", "b = k/α"]
    assert LOWER_NOTE in made.note
    told = " ".join(str(Cost.__doc__).split()).replace("alpha", "α").replace("sqrt(k)", "√k")
    for formula in ("b ln(N/b)", "b = k/α", "√k/α with them", "after a start s > b, b ln(N/s)"):
        assert formula in LOWER_NOTE
        assert formula in re.sub(r" \(\w+(, \w+)* \d+\)", "", told)


def test_a_figure_that_is_asked_for_takes_no_file_of_the_scenarios_or_of_another_condition(
    folder: Path, tmp_path: Path
) -> None:
    results = Results(folder)
    shipped = planned(results, tables_of(results), None)[0]
    assert "cost-sites" in shipped
    conditions = ["sites > 16", "sites < 16", "sites >= 16", "protocol == 'robust'", " and ".join(["sites > 16"] * 40)]
    where = [{**COST, "where": condition} for condition in conditions]
    keys: list[dict[str, object]] = [{"lower_bounds": True}, {"over": "protocol == 'robust'"}, {"band": "interval"}]
    requests = [*where, *({**COST, **key} for key in keys), COST]
    asked = planned(results, tables_of(results), requests)[0]
    names = ["cost-" + "0" * 8 if re.fullmatch("cost-[0-9a-f]{8}", name) else name for name in asked]
    assert [name.removeprefix("cost-sites") for name in names] == [
        "-sites-gt-16", "-sites-lt-16", "-sites-ge-16", "-protocol-robust", "cost-00000000",
        "-lower-bounds", "-over-protocol-robust", "-band-interval", "",
    ]  # fmt: skip
    assert asked["cost-sites"] == shipped["cost-sites"]
    results = Results(write_result(tmp_path, trials=1, plots=[{**COST, "band": "interval"}]))
    assert [*planned(results, tables_of(results), [COST])[0]] == ["cost-sites-asked"]
