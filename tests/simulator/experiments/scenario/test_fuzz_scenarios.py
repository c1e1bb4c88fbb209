"""Scenarios that nobody would write: shipped ones with values exchanged, or damaged; each key with each value."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hostile import VALUES, damaged, hold_line, mutated, often
from hypothesis import given
from hypothesis.strategies import deferred

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

SHIPPED = [path.read_text(encoding="utf-8") for _, path in sorted(shipped_scenarios().items())]
DOCUMENTS = deferred(lambda: mutated([yaml.safe_load(text) for text in SHIPPED]))  # read when the test runs


def hold(document: Any) -> None:
    """Hold that a scenario is refused in a line, or is one whose work is known."""
    try:
        scenario = load(document)
    except ScenarioError as error:
        hold_line(error)
        return
    assert scenario.games >= 1
    work = estimate(scenario, 2)
    assert min(work.messages, work.seconds, work.memory) >= 0


@often(30)
@given(document=DOCUMENTS)
def test_a_scenario_with_hostile_values_is_refused_in_a_line(document: Any) -> None:
    hold(document)


@pytest.mark.slow
@often(40)
@given(content=damaged([text.encode() for text in SHIPPED]))
def test_a_file_that_is_damaged_is_refused_in_a_line(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.yaml"
    file.write_bytes(content)
    hold(file)


@pytest.mark.parametrize("key", ["items", "protocol", "network", "claims", "plots"])
def test_every_key_with_every_value(key: str) -> None:
    usual = {"name": "s", "sites": 2, "items": 20, "protocol": "exact", "adversary": "round-robin"}
    for value in VALUES:
        hold({**usual, key: value})


@pytest.mark.parametrize("kind", ["deterministic", "robust"])
def test_the_smallest_accuracy_that_is_taken_is_estimated(kind: str) -> None:
    for alpha in (1e-100, 1e-18):
        document = {"name": "s", "sites": 4, "items": 20, "protocol": {"kind": kind, "alpha": alpha}}
        load({**document, "adversary": "round-robin"})
        hold({**document, "adversary": "round-robin"})


# ---------------------------------------------------------------------- settings


ONE: Final = """\
name: one
sites: 4
items: 100
protocol: {kind: deterministic, alpha: 0.1}
adversary: freeze
claims: [{name: a, measure: fraction(ok), at_least: 0.5}]
plots: [cost]
"""
TWO: Final = """\
name: two
items: 100
protocol: {kind: deterministic, alpha: 0.1}
adversary: freeze
parts: {few: {sites: 2}, many: {sites: 9, protocol: exact}}
claims: [{name: a, measure: fraction(ok), at_least: 0.5}]
plots: [cost]
"""
KEYS: Final = (
    *("name", "question", "task", "task.kind", "seed", "trials", "sites", "sites.0", "sites[0]", "items", "alpha"),
    *("protocol", "protocol.kind", "protocol.alpha", "protocol.0", "protocol[0]", "adversary", "adversary.kind"),
    *("network", "network.latency", "engine", "zip", "zip.0", "plots", "plots.0", "plots.0.kind", "plots.0.x"),
    *("parts", "parts.few", "parts.few.sites", "parts.few.protocol", "parts.0", "parts[0]", "parts.-1.sites"),
    *("claims", "claims.0", "claims.0.at_most", "claims[0].at_most", "claims.-1.at_most", "claims.9.at_most"),
    *("-1", "0", ".", "..", "[", "a[", "protocol.", ".protocol", "claims.*.at_most"),
    *("claims.0.where", "claims.0.control", "²", "", "\udcff", ".".join("x" * 1000)),
)
SETTINGS: Final = (
    *("-1", "1", "1.5", "1e400", ".nan", ".inf", "null", "true", "x", "''", "2024-01-01", "2020-13-01", "1_000"),
    *("9007199254740993.0", "9" * 5000, "a" * 3000, '"\\UFFFFFFFF"', '"\\ud800"', "\udcff", "\x00", "::", "x.py:Y"),
    *("[]", "{}", "[1]", "[[1]]", "[{}]", "[x, 3]", "{a: 1}", "{1: 2}", "{kind: 3}", "{kind: null}", "{kind: []}"),
    *("{kind: exact, 1: 2}", "{kind: freeze, 1: 2}", "{name: a, measure: fraction(ok), at_least: .5, 1: 2}"),
    *("[1,", "{a: 1, a: 2}", "*a", "&a [*a]", "{? [1] : 2}", "!!python/object:os.abort x"),
)


@pytest.mark.drawn(25)
@pytest.mark.parametrize("key", KEYS, ids=lambda key: ascii(key[:20]))
@pytest.mark.parametrize("text", [ONE, TWO], ids=["one", "two"])
def test_a_bad_value_of_a_setting_is_no_traceback(text: str, key: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    for value in SETTINGS:
        with suppress(ScenarioError):  # anything else is a traceback of the command line
            load(file, [f"{key}={value}"])
