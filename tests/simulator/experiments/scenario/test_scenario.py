"""Scenarios of files and programs: what is read, what is set over them, what is refused, and with which advice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_messages import FILE
from hostile import hold_line

import disttrack
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.experiments.scenario.schema import scenario_schema
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.kinds.yaml_values import read_yaml


@pytest.fixture
def file(folder: Path) -> Path:
    path = folder / "small.yaml"
    path.write_text(FILE)
    return Path("small.yaml")


def refusal(file: Path, *overrides: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(file, overrides)
    hold_line(caught.value)
    return str(caught.value)


def test_overrides_reach_any_key(file: Path) -> None:
    assert load(file, ["claims.0.at_least=0.9"]).head.claims[0].at_least == 0.9
    assert load(file, ["question=Another one"]).head.question == "Another one"
    with open(file, "a", encoding="utf-8") as opened:
        opened.write("finding: All hold\n")
    assert load(file).head.finding == "All hold"
    assert not load(file, ["trials=3"]).head.finding, "it is the finding of the file as it stands"


def test_files_that_are_not_scenarios(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "gone.yaml")
    (tmp_path / "list.yaml").write_text("- 1\n")
    assert "must be a mapping" in refusal(tmp_path / "list.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    assert "bytes.yaml:1: must be saved as UTF-8" in refusal(tmp_path / "bytes.yaml")
    (tmp_path / "latin.yaml").write_bytes("sites: 4\nquestion: caf\u00e9\n".encode("latin-1"))
    assert "latin.yaml:2: must be saved as UTF-8" in refusal(tmp_path / "latin.yaml")
    with pytest.raises(ScenarioError, match="did you mean 'headline'"):
        load("headlines")


@pytest.mark.parametrize("text", ["fraction(ok", "1 +", "fraction(ok, where=(sites=4))", "x" * 3_000])
@pytest.mark.parametrize(
    "place",
    ["claims.0.measure", "claims.0.where", "claims.0.margin", "claims.0.each", "claims.0.equals", "claims.0.within",
     "claims.0.control.where", *(f"plots.0.{key}" for key in ("where", "over", "x", "y", "by", "scale"))],
)  # fmt: skip
def test_an_expression_that_cannot_be_read_is_a_fault_of_its_place_wherever_one_is_taken(
    file: Path, place: str, text: str
) -> None:
    assert place.split(".")[0] in refusal(file, f"{place}={json.dumps(text)}")


def test_a_trace_says_sites_and_items(file: Path) -> None:
    Path("events.csv").write_text("place\n" + "a\nb\nc\na\n" * 5)
    entry = "adversary={kind: trace, file: events.csv, site: place}"
    text = FILE.replace("sites: [4, 8]\nitems: 1e3\n", "").replace("plots: [{kind: cost, x: sites}]\n", "")
    file.write_text(text)
    assert load(file, [entry]).points[0].sites is None
    assert "adversary.file: 'gone.csv' does not exist" in refusal(file, entry.replace("events", "gone"))
    assert "adversary.site: events.csv has no column 'plaice'" in refusal(
        file, "adversary={kind: trace, file: events.csv, site: plaice}"
    )
    assert "--set sites: must be at least 3, for the adversary; got 2" in refusal(file, entry, "sites=2")
    assert "sites: is missing" in refusal(file, "adversary=[round-robin]")


def test_a_trace_counts_from_the_scenarios_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "events.csv").write_text("place\na\nb\n")
    (tmp_path / "inner" / "t.yaml").write_text(
        "protocol: {kind: exact}\nadversary: {kind: trace, file: events.csv, site: place}\n"
    )
    monkeypatch.chdir(tmp_path)
    point = load("inner/t.yaml").points[0]
    before = point.adversary.identity()
    assert "events.csv" not in str(before)  # where a file lies does not matter, what it holds does
    (tmp_path / "inner" / "events.csv").write_text("place\na\nb\nb\n")
    assert point.adversary.identity() != before


def test_memory_is_refused_before_anything_runs(file: Path) -> None:
    scenario = load(file, ["sites=4000000000000"])
    with pytest.raises(ScenarioError, match=r"needs about [\d,.]+ PB of memory, .* are free"):
        estimate(scenario, 2).refuse_too_large()
    estimate(load(file), 2).refuse_too_large()
    needs = [estimate(load(file, [f"sites={k}", "trials=1"]), 1).memory for k in (10**3, 10**6)]
    assert needs[1] > 100e6 + needs[0]


def test_too_many_points_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disttrack.simulator.experiments.scenario.sweep.MOST_POINTS", 11)
    assert "more than 11 points" in refusal(file)  # it has 12
    monkeypatch.setattr("disttrack.simulator.experiments.scenario.sweep.MOST_POINTS", 12)
    assert len(load(file).points) == 12


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("parts", [slice(None, None, 5), slice(None)], ids=["some", "all"])
def test_the_schema_accepts_each_shipped_scenario(parts: slice) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(scenario_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    accepts = jsonschema.Draft202012Validator(schema)
    shipped = shipped_scenarios()
    assert len(shipped) >= 20
    refused = []
    for name, path in list(shipped.items())[parts]:
        data, _ = read_yaml(path.read_text(encoding="utf-8"))
        refused += [name] * (not accepts.is_valid(data))
    assert refused == []


def test_the_schema_knows_every_kind() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = scenario_schema()
    data = {"sites": 4, "items": 9, "adversary": "freeze"}
    for protocol, valid in (
        ({"kind": "robust", "alpha": [0.1, 0.2]}, True),
        ({"kind": "robust"}, True),  # alpha may be given once, for all protocols
        ({"kind": "robust", "alpha": 0.1, "alhpa": 0.2}, False),
        ({"kind": "robust", "alpha": "much"}, False),
        ({"kind": "robst", "alpha": 0.1}, False),
        ({"kind": "mine.py:Mine", "any": 1}, True),
        (["exact", {"kind": "martingale", "alpha": 0.1}], True),
    ):
        assert jsonschema.Draft202012Validator(schema).is_valid({**data, "protocol": protocol}) == valid, protocol


def test_a_swept_parameter_called_like_a_column_of_the_task_has_a_column_of_its_own(tmp_path: Path) -> None:
    """The `rounds` of a class of the user's, which it is given, and the `rounds` of the game, which are counted."""
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\nfrom disttrack.adversaries import Freeze\n"
        "@dataclass\nclass Mine(Freeze):\n    rounds: int = 1\n"
    )
    adversary = {"kind": f"{tmp_path}/mine.py:Mine", "rounds": [1, 2]}
    scenario = load({"sites": 4, "items": 9, "protocol": "exact", "adversary": adversary})
    assert len(scenario.columns) == len(set(scenario.columns))
    assert "rounds" in scenario.columns
    assert scenario.extra == {"adversary_rounds": [1, 2]}


def test_a_swept_alpha_of_an_adversary_is_not_the_accuracy(file: Path) -> None:
    Path("mine.py").write_text(
        "from dataclasses import dataclass\nfrom disttrack.adversaries import Freeze\n"
        "@dataclass\nclass Mine(Freeze):\n    kind = 'mine'\n    alpha: float = 0.5\n"
    )
    scenario = load(file, ["adversary={kind: 'mine.py:Mine', alpha: [0.25, 0.5]}", "protocol={kind: exact}", "sites=4"])
    assert scenario.extra == {"adversary_alpha": [0.25, 0.5]}


def test_the_json_schema_takes_what_is_swept_inside() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = jsonschema.Draft202012Validator(scenario_schema())
    data: dict[str, Any] = {"sites": 4, "items": 50, "protocol": {"kind": "exact"}, "adversary": {"kind": "coin"}}
    good = [
        {"latency": [1, {"exponential": [1, 2]}], "link": ["bare", {"timeout": [5, 6]}]},
        [{"loss": [0, 0.1]}, {"crash": {"rate": [0.1, 0.2], "down": 3}}, None],
    ]
    for network in good:
        assert schema.is_valid({**data, "network": network}), network
    for network in ({"los": 1}, 5):
        assert not schema.is_valid({**data, "network": network}), network


# names of kinds in tables

KINDS = "from disttrack.protocols import Randomized\nfrom disttrack.adversaries import Freeze\n"


def _loaded(folder: Path, protocol: str, adversary: str) -> Scenario:
    file = folder / "s.yaml"
    file.write_text(f"name: s\nsites: 2\nitems: 50\nprotocol: {protocol}\nadversary: {adversary}\n")
    return load(file)


def test_a_class_does_not_take_the_name_of_the_one_that_it_extends(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{KINDS}class Mine(Randomized): pass\nclass Named(Randomized): kind = 'named'\n")
    kinds = [f"{{kind: '{kind}', alpha: 0.2}}" for kind in ("randomized", "mine.py:Mine", "mine.py:Named")]
    points = _loaded(tmp_path, f"[{', '.join(kinds)}]", "freeze").points
    assert [point.protocol.label for point in points] == ["randomized", "Mine", "named"]


@pytest.mark.parametrize("adversary", ["['v1/adv.py:A', 'v2/adv.py:A']", "['v1/adv.py:turn', 'v2/adv.py:turn']"])
def test_two_classes_of_one_name_are_refused(tmp_path: Path, adversary: str) -> None:
    for number in (1, 2):
        (tmp_path / f"v{number}").mkdir()
        text = "class A(Freeze): pass\ndef turn(view): return 0\n"
        (tmp_path / f"v{number}" / "adv.py").write_text(f"{KINDS}{text}VALUE = {number}\n")
    with pytest.raises(ScenarioError, match=r"s\.yaml:5: adversary: .* have one name, '(A|turn)'") as caught:
        _loaded(tmp_path, "exact", adversary)
    assert "\n" not in str(caught.value)
    assert ("rename one" in str(caught.value)) == ("turn" in adversary)


def test_one_class_may_be_named_in_two_ways(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{KINDS}class A(Freeze): pass\n")
    scenario = _loaded(tmp_path, "exact", "['mine.py:A', './mine.py:A', freeze, 'disttrack.adversaries:Freeze']")
    assert [point.adversary.label for point in scenario.points] == ["A", "A", "freeze", "freeze"]


# ---------------------------------------------------------------------- scenarios that a program makes


DATA: dict[str, Any] = {
    "name": "mapped",
    "sites": [2, 4],
    "items": 200,
    "trials": 2,
    "protocol": {"kind": "robust", "alpha": 0.5},
    "adversary": ["round-robin", "freeze"],
}


def test_it_is_the_scenario_of_a_file(tmp_path: Path) -> None:
    text = "name: mapped\nsites: [2, 4]\nitems: 200\ntrials: 2\nprotocol: {kind: robust, alpha: 0.5}\n"
    (tmp_path / "mapped.yaml").write_text(f"{text}adversary: [round-robin, freeze]\n")
    read, made = disttrack.load(tmp_path / "mapped.yaml"), disttrack.load(DATA)
    assert read.data == made.data
    assert [point.identity() for point in read.points] == [point.identity() for point in made.points]


def test_run_takes_a_mapping_a_scenario_and_a_file(tmp_path: Path) -> None:
    one = disttrack.run(DATA, out=tmp_path / "mapping", workers=1)
    other = disttrack.run(disttrack.load(DATA), out=tmp_path / "scenario", workers=1)
    left, right = (results.trials.drop(columns="seconds") for results in (one, other))
    assert left.equals(right)
    assert len(left) == 8
    assert disttrack.Results(tmp_path / "mapping").trials.equals(one.trials)  # reopened


def test_overrides_go_over_it_and_leave_it_as_it_was() -> None:
    scenario = disttrack.load(DATA, ["trials=7", "protocol.alpha=0.25"])
    assert scenario.head.trials == 7
    assert scenario.points[0].protocol.arguments["alpha"] == 0.25
    assert DATA["trials"] == 2
    assert DATA["protocol"]["alpha"] == 0.5
    assert disttrack.load(scenario) is scenario
    assert disttrack.load(scenario, ["trials=3"]).head.trials == 3


def test_values_of_numpy_tuples_and_objects() -> None:
    data = {**DATA, "sites": np.array([2, 4]), "items": np.int64(200), "adversary": (disttrack.RoundRobin(), "freeze")}
    data["protocol"] = disttrack.Robust(alpha=0.5)
    assert [point.identity() for point in disttrack.load(data).points] == [
        point.identity() for point in disttrack.load(DATA).points
    ]
