"""Scenarios that were edited: what is left without games is skipped, all faults are listed, defaults and appending."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack
from loaded_scenarios import short_data

from disttrack.simulator import load, run
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document, read
from disttrack.simulator.experiments.scenario.load import build, unjudged
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios

TEXT = """
name: edited
sites: [4, 8]
items: 3000
trials: 2
protocol:
  - {kind: deterministic, alpha: 0.1}
  - {kind: randomized, alpha: 0.1, confidence: [2, 3]}
adversary: [round-robin, freeze]
claims:
  - {name: a, where: protocol == 'deterministic', measure: fraction(ok), at_least: 1}
  - {name: b, measure: "slope(words, sites)", at_least: -9}
  - name: c
    measure: median(words, where=(confidence == 2)) / median(words, where=(protocol == 'deterministic'))
    at_least: 0
  - {name: d, where: adversary == 'freeze' and words > 0, measure: max(words), at_least: 0}
  - {name: e, measure: max(words), at_most: 2900, control: {where: sites == 8, protocol: exact}}
plots:
  - {kind: cost, x: sites}
  - {kind: measure, x: confidence, y: words, where: protocol == 'randomized'}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "edited.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "skipped"),
    [
        ("", "", []),
        ("kind: deterministic", "kind: martingale", ["no game meets \"protocol == 'deterministic'\"", "no game meets"]),
        ("sites: [4, 8]", "sites: 8", ["sites has one value", "nothing here sweeps sites"]),
        ("sites: [4, 8]", "sites: [4, 6]", ["no control game meets 'sites == 8'"]),
        (", confidence: [2, 3]", "", ["nothing here sweeps confidence", "nothing here sweeps confidence"]),
        ("[round-robin, freeze]", "round-robin", ["no game meets \"adversary == 'freeze' and words > 0\""]),
        (
            "  - {kind: randomized, alpha: 0.1, confidence: [2, 3]}\n",
            "",
            ["nothing here sweeps confidence", "nothing here sweeps confidence"],
        ),
    ],
)
def test_what_an_edit_leaves_without_games_is_skipped_and_does_not_fail(
    file: Path, old: str, new: str, skipped: list[str]
) -> None:
    assert old in TEXT
    file.write_text(TEXT.replace(old, new), encoding="utf-8")
    scenario = load(file)
    assert len(scenario.skipped) == len(skipped)
    assert all(one.why.startswith(why) for one, why in zip(scenario.skipped, skipped, strict=True))
    report = run(scenario, out=file.parent / "out", workers=1)
    without = {one.name: one.why for one in scenario.skipped if one.what == "claim"}
    assert {one.name: one.note for one in report.findings if one.verdict == "SKIPPED"} == without
    assert report.ok
    assert len(scenario.plots) == 2 - sum(one.what == "plot" for one in scenario.skipped)


def test_a_claim_that_misspells_a_name_is_left_undecided_and_the_run_does_not_end_well(file: Path) -> None:
    file.write_text(TEXT.replace("'freeze' and", "'freze' and"), encoding="utf-8")
    report = run(file, out=file.parent / "out", workers=1)
    note = "no game meets \"adversary == 'freze' and words > 0\"; did you mean 'freeze'?"
    assert [one.note for one in report.findings if one.verdict == "UNDECIDED"] == [note]
    assert not report.ok
    done = disttrack("check", str(file))
    assert (done.exit_code, f"UNDECIDED claim 'd': {note}" in done.output) == (1, True)


@pytest.mark.parametrize(
    ("sets", "mistaken"),
    [
        (["claims.3.where=sites==65"], True),
        (["claims.3.where=sites==8", "sites=4"], True),
        (["claims.where=sites==65"], True),
        (["claims.2.measure=max(words, where=(sites==65))"], True),
        (["plots.1.where=sites==65"], True),
        (["claims.3.where=sites==65", "claims=[]"], False),
        (["claims.3.at_least=1", "sites=4"], False),  # which leaves the control of another claim without games
        (["claims.3.where=sites==8"], False),
    ],
)
def test_a_condition_that_was_set_is_no_edit_of_something_else(sets: list[str], mistaken: bool, file: Path) -> None:
    """Seen: `--set claims.0.where=sites==65` ended with status 0, as any `--set` was taken for the reason."""
    flags = [word for one in sets for word in ("--set", one)]
    done = disttrack("check", str(file), *flags)
    assert done.exit_code == int(mistaken), done.output
    assert ("did you mean another value (sites: 4" in done.output) == mistaken


def edits(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a scenario with the first, the last, or all but one value of each list of its own."""
    yield from _edits_of(data)
    for part, own in data.get("parts", {}).items():
        others = {other: value for other, value in data["parts"].items() if other != part}
        yield f"without {part}", {**data, "parts": others}
        for edit, edited in _edits_of(own):
            yield f"{part}: {edit}", {**data, "parts": {**data["parts"], part: edited}}


def _edits_of(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    together = {key.split(".")[0] for group in data.get("zip", []) for key in group if "." not in key}
    lists = {key for key, value in data.items() if isinstance(value, list) and len(value) > 1}
    for key in sorted(lists - together - {"claims", "plots", "zip"}):
        for what, value in (("first", data[key][0]), ("last", data[key][-1]), ("less", data[key][1:])):
            yield f"{key}, {what}", {**data, key: value}


@pytest.mark.slow
def test_every_shipped_scenario_can_be_checked_after_an_edit() -> None:
    """Every fifteenth edit of each: its lists, and what is left of them, in turn, and of each scenario at least one."""
    faults, skipped, edited = [], 0, 0
    with short_data():
        for number, (name, path) in enumerate(shipped_scenarios().items()):
            for what, data in islice(edits(read(path).data), number % 3, None, 15):
                edited += 1
                try:
                    skipped += len(build(Document(name, path.parent, data)).skipped)
                except ScenarioError as error:
                    faults.append(f"{name}: {what}: {error}")
    assert not faults
    assert edited >= 60
    assert skipped >= 80


def test_the_plain_error_of_games_on_a_network_is_named() -> None:
    data = {"name": "x", "sites": [2, 4], "items": 50, "protocol": "block", "alpha": 0.1, "adversary": "round-robin"}
    claims = [{"name": "law", "measure": "slope(max_rel_error, sites)", "at_most": 1, "no_control": "none"}]
    data |= {"claims": claims, "plots": [{"kind": "spread", "y": "max_rel_error"}, {"kind": "error", "x": "sites"}]}
    assert not [*unjudged(load(data))]
    lines = [*unjudged(load(data | {"network": {"latency": 3}}))]
    assert [line.partition(":")[0] for line in lines] == ["claim 'law'", "plot 'spread'"]
    assert all(line.endswith("; take max_lag_error") for line in lines)
