"""Every command that prints a table prints one JSON document, or only what failed, when it is asked to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from disttrack.simulator.cli import main
from disttrack.simulator.cli.tables import plain

SMALL = """\
name: small
title: A small scenario
trials: 2
sites: [2, 4]
items: 500
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
claims:
  - {name: always right, measure: fraction(ok), at_least: 1, no_control: a test}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(SMALL)
    return tmp_path


def disttrack(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def document(*arguments: str, status: int = 0) -> Any:
    result = disttrack(*arguments, "--json")
    assert result.exit_code == status, result.output
    return json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def run(*more: str) -> tuple[str, ...]:
    return ("run", "small.yaml", "--workers", "1", "--no-figures", *more)


def test_run_as_a_document() -> None:
    found = document(*run())["runs"]
    assert [one["scenario"] for one in found] == ["small"]
    (one,) = found
    assert one["ok"] is True
    assert [column["header"] for column in one["columns"]][:2] == ["sites", "held"]
    assert all(column["says"] for column in one["columns"])
    assert [row["sites"] for row in one["rows"]] == [2, 4]
    assert {row["held"] for row in one["rows"]} == {1.0}
    assert one["claims"][0]["verdict"] == "PASS"
    assert "results/small/trials.csv" in one["files"]["tables"]
    assert one["shared"].startswith("protocol deterministic · adversary round-robin · 500 items")


def test_run_quietly_says_only_what_failed() -> None:
    assert disttrack(*run("-q")).output == ""
    assert Path("results/small/claims.csv").is_file()
    failing = disttrack(*run("--quiet", "--set", "claims.0.at_least=2"))
    assert failing.exit_code == 1
    assert failing.stdout == "small: FAIL always right: fraction(ok) is 1, wanted >= 2\n"


def test_seeds_in_each_form() -> None:
    (one,) = document(*run("--seeds", "2"))["runs"]
    assert one["claims"][0]["held"] == one["claims"][0]["seeds"] == 2
    assert disttrack(*run("--seeds", "2", "-q")).stdout == ""
    failing = disttrack(*run("--seeds", "2", "-q", "--set", "claims.0.at_least=2"))
    assert failing.stdout == "small: always right: held under 0 of 2 seeds\n"
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
    quiet = disttrack("check", "bad.yaml", "small.yaml", "-q")
    assert (quiet.exit_code, quiet.stdout, len(quiet.stderr.splitlines())) == (2, "", 1)
    assert disttrack("check", "small.yaml", "-q").output == ""


def test_compare_as_a_document_and_in_a_table() -> None:
    disttrack(*run("--out", "one"))
    disttrack(*run("--out", "two", "--set", "sites=[4, 8]"))
    found = document("compare", "one", "two")
    assert found["matched"] is True
    assert found["shared"]["alpha"] == 0.1
    by_sites = {row["sites"]: set(row["results"]) for row in found["rows"]}
    assert by_sites == {2: {"one"}, 4: {"one", "two"}, 8: {"two"}}
    disttrack(*run("--out", "three", "--set", "sites=16"))
    assert document("compare", "one", "three")["matched"] is False
    assert "no point is in more than one of these results" in disttrack("compare", "one", "three").stdout
    assert disttrack("compare", "one", "three", "-q").stdout == ""


def test_play_in_each_form() -> None:
    game = ("play", "--protocol", "randomized", "--adversary", "freeze", "--sites", "256", "--items", "1e5")
    found = document(*game)
    assert found["verdict"] == "failed"
    assert found["timeline"][-1]["items"] == 100_000
    quiet = disttrack(*game, "-q")
    assert quiet.stdout.startswith("randomized against freeze: failed (")
    assert len(quiet.stdout.splitlines()) == 1
    assert disttrack("play", "--protocol", "exact", "--sites", "2", "--items", "9", "--quiet").output == ""


def test_describe_says_what_must_be_given() -> None:
    (known,) = document("describe", "deterministic")["kinds"]
    assert known["parameters"]["alpha"]["must be given"] is True
    assert known["parameters"]["centred"]["default"] is False


def test_one_failed_claim_in_several_scenarios_is_status_1() -> None:
    Path("failing.yaml").write_text(SMALL.replace("at_least: 1", "at_least: 2").replace("name: small", "name: failing"))
    for files in (("small.yaml", "failing.yaml"), ("failing.yaml", "small.yaml")):
        result = disttrack("run", *files, "--workers", "1", "--no-figures", "-q")
        assert result.exit_code == 1
        assert result.stdout.startswith("failing: FAIL always right")


@pytest.mark.slow
def test_list_and_describe_as_documents() -> None:
    found = document("list")
    assert {"protocols", "tasks", "scenarios"} <= set(found)
    assert {"kind", "parameters", "guarantee", "what it is", "from"} == set(found["protocols"][0])
    known = document("describe", "robust")["kinds"][0]
    assert known["parameters"]["delta"]["default"] == 0.05
    assert known["parameters"]["alpha"] == {"says": known["parameters"]["alpha"]["says"], "must be given": True}
    scenario = document("describe", "headline")["scenario"]
    assert len(scenario["claims"]) >= 8
    assert disttrack("describe", "robust", "-q").output == ""
    assert disttrack("describe", "robustt", "-q").exit_code == 2
    assert disttrack("list", "tasks", "-q").output == ""
    Path("scenarios").mkdir()
    Path("scenarios/odd.yaml").write_text("name: [")
    assert disttrack("list", "scenarios", "-q").stdout.startswith("odd: ")


def test_audit_in_each_form() -> None:
    (good, bad) = document("audit", "randomized-response", "binary literal=true", "--runs", "300", status=1)["audits"]
    assert (good["verdict"], bad["verdict"]) == ("stands", "refuted")
    assert good["claimed"] == bad["claimed"] == 1.0
    assert bad["runs prove"] < 1.0 < bad["exact"]  # runs see little, exact losses all
    quiet = disttrack("audit", "randomized-response", "binary literal=true", "--runs", "300", "-q")
    assert quiet.stdout.count("\n") == 1
    assert ": refuted" in quiet.stdout


@pytest.mark.slow
def test_attack_as_a_document() -> None:
    search = ("attack", "--protocol", "randomized", "--budget", "100", "--items", "400", "--sites", "4")
    found = document(*search)
    assert found["games"] >= 1
    assert Path(found["scenario"]).is_file()
    assert disttrack(*search, "-q").output == ""


def test_the_last_of_both_flags_counts() -> None:
    assert disttrack("describe", "robust", "--json", "-q").stdout == ""
    assert json.loads(disttrack("describe", "robust", "-q", "--json").stdout)


def test_a_number_of_a_library_is_a_plain_one() -> None:
    numpy = pytest.importorskip("numpy")
    assert plain({"n": numpy.int64(3), "path": (1,)}) == {"n": 3, "path": [1]}
