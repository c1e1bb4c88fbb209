"""Commands that measure something print one JSON document with --json; a run prints only what failed with --quiet."""

from __future__ import annotations

import json
import re
import shutil
from csv import DictReader
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from commands import disttrack

from disttrack.simulator.experiments.results.formats import number, ratio

SMALL = """\
name: small
question: A small scenario
trials: 2
sites: [2, 4]
items: 500
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
claims:
  - {name: always right, measure: fraction(ok), at_least: 1, no_control: a test}
"""


@pytest.fixture(autouse=True)
def scenario(folder: Path) -> None:
    Path("small.yaml").write_text(SMALL)


def document(*arguments: str, status: int = 0) -> Any:
    result = disttrack(*arguments, "--json")
    assert result.exit_code == status, result.output
    return json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def run(*more: str) -> tuple[str, ...]:
    return ("run", "small.yaml", "--workers", "1", "--no-figures", *more)


def test_run_as_a_document() -> None:
    result = document(*run())["runs"]
    assert [one["scenario"] for one in result] == ["small"]
    (one,) = result
    assert one["ok"] is True
    assert [column["header"] for column in one["columns"]][:2] == ["sites", "held"]
    assert all(column["says"] for column in one["columns"])
    assert [row["sites"] for row in one["rows"]] == [2, 4]
    assert {row["held"] for row in one["rows"]} == {1.0}
    assert one["claims"][0]["verdict"] == "PASS"
    assert one["results"] == "results/small"
    assert one["shared"].startswith("protocol=deterministic · adversary=round-robin · items=500")


def test_a_quiet_run_prints_only_failed_claims() -> None:
    assert disttrack(*run("-q")).output == ""
    assert Path("results/small/claims.csv").is_file()
    failing = disttrack(*run("--quiet", "--set", "claims.0.measure=fraction(not ok)"))
    assert failing.exit_code == 1
    assert "Claims of small" in failing.stdout
    assert "FAIL     always right: fraction(not ok)  0" in failing.stdout
    assert "sites" not in failing.stdout


def test_seeds_in_each_form() -> None:
    (one,) = document(*run("--seeds", "2"))["runs"]
    assert one["claims"][0]["held"] == one["claims"][0]["seeds"] == 2
    assert disttrack(*run("--seeds", "2", "-q")).stdout == ""
    failing = disttrack(*run("--seeds", "2", "-q", "--set", "claims.0.measure=fraction(not ok)"))
    assert re.search(r"0 of 2  always right: fraction\(not ok\) +0 +>= 1 +1 2\n", failing.stdout)
    assert one["ok"] is True
    assert failing.exit_code == 1


def test_check_goes_on_after_a_bad_file() -> None:
    Path("bad.yaml").write_text(SMALL.replace("trials: 2", "trails: 2"))
    result = disttrack("check", "bad.yaml", "small.yaml", "gone.yaml")
    assert result.exit_code == 2
    assert "small.yaml: valid" in result.stdout
    lines = result.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["bad.yaml", "gone.yaml"]
    assert "did you mean 'trials'" in lines[0]
    files = document("check", "bad.yaml", "small.yaml", status=2)["files"]
    assert [(one["file"], one["valid"]) for one in files] == [("bad.yaml", False), ("small.yaml", True)]
    assert "trials" in files[0]["error"]
    assert files[1]["games"] == 4


@pytest.mark.quick_cases(0)
def test_compare_as_a_document_and_in_a_table() -> None:
    for name, sites in (("one", "[2, 4]"), ("two", "[4, 8, 32]"), ("three", "16")):
        sides = "protocol.kind=randomized", f"sites={sites}", f"seed={len(name) + ord(name[0])}"
        disttrack(*run("--out", name, *(word for each in sides for word in ("--set", each))))
    words = {}
    for name in ("one", "two"):
        with open(f"{name}/trials.csv", encoding="utf-8") as table:
            words[name] = median(int(row["words"]) for row in DictReader(table) if row["sites"] == "4")
    assert words["one"] != words["two"]
    result = document("compare", "one", "two")
    assert result["shared"]["alpha"] == 0.1
    assert {(row["point"]["sites"], row["other"]) for row in result["rows"]} == {(4, "two")}
    assert [row["ratio"] for row in result["rows"] if row["measure"] == "words"] == [words["two"] / words["one"]]
    assert result["unmatched"] == [
        "1 of one without a match: sites 2 not in two",
        "2 of two without a match: sites 8, 32 not in one",
    ]
    figures = ("--plot", "cost:x=sites")
    for _ in range(2):  # it may replace its own figures
        printed = disttrack("compare", "one", "two", "--out", "both", *figures).stdout
    one, two = (re.escape(number(value)) for value in words.values())
    times = re.escape(ratio(words["two"] / words["one"]))
    assert re.search(rf"4 +{one} +{two} +{times}\n", printed)
    assert "2 of two without a match: sites 8, 32 not in one" in printed
    assert {path.name for path in Path("both").glob("*.svg")} >= {"compare-cost-sites.svg"}
    assert "figure: both/compare-cost-sites.svg" in printed
    shutil.copytree("one", "copies/one")
    assert document("compare", "one", "copies/one")["results"] == ["one", "copies/one"]
    apart = disttrack("compare", "one", "three")
    assert (apart.exit_code, apart.stderr.splitlines()[-1]) == (2, "three has no point that matches one of one")
    assert "2 of one without a match: sites 2, 4" in apart.stdout
    assert "words" not in apart.stdout


def test_play_as_a_document() -> None:
    result = document("play", "--protocol", "randomized", "--adversary", "freeze", "--sites", "256", "--items", "1e5")
    assert result["verdict"] == "failed"
    assert result["timeline"][-1]["items"] == 100_000


def test_one_failed_claim_in_several_scenarios_is_status_1() -> None:
    Path("failing.yaml").write_text(SMALL.replace("(ok)", "(not ok)").replace("name: small", "name: failing"))
    for files in (("small.yaml", "failing.yaml"), ("failing.yaml", "small.yaml")):
        result = disttrack("run", *files, "--workers", "1", "--no-figures", "-q")
        assert result.exit_code == 1
        assert "Claims of failing" in result.stdout
        assert "small" not in result.stdout
