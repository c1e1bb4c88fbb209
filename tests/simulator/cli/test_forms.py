"""Commands as one JSON document, with --quiet in few lines; figures that cannot be drawn show in the status."""

from __future__ import annotations

import json
import re
import shutil
from csv import DictReader
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from click.testing import CliRunner
from commands import SMALL, disttrack

from disttrack.simulator.cli import main


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


@pytest.mark.slow
def test_compare_as_a_document() -> None:
    """The goldens have the tables and what is without a match."""
    for seed, name, sites in ((1, "one", "[2, 4]"), (2, "two", "[4, 8, 32]")):
        sides = "protocol.kind=randomized", f"sites={sites}", f"seed={seed}"
        disttrack(*run("--out", name, *(word for each in sides for word in ("--set", each))))
    words = []
    for name in ("one", "two"):
        with open(f"{name}/trials.csv", encoding="utf-8") as table:
            words.append(median(int(row["words"]) for row in DictReader(table) if row["sites"] == "4"))
    result = document("compare", "one", "two")
    assert result["shared"]["alpha"] == 0.1
    assert {(row["point"]["sites"], row["other"]) for row in result["rows"]} == {(4, "two")}
    assert [row["ratio"] for row in result["rows"] if row["measure"] == "words"] == [words[1] / words[0]] != [1]
    assert len(result["unmatched"]) == 2
    for _ in range(2):  # it may replace its own figures
        printed = disttrack("compare", "one", "two", "--out", "both", "--plot", "cost:x=sites").stdout
    assert "figure: both/compare-cost-sites.svg" in printed
    assert Path("both/compare-cost-sites.svg").is_file()
    shutil.copytree("one", "copies/one")
    assert document("compare", "one", "copies/one")["results"] == ["one", "copies/one"]


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


# ---------------------------------------------------------------------- figures that cannot be drawn


SCENARIO = """
name: one
trials: 1
sites: [2, 4]
items: 100
protocol: {kind: deterministic, alpha: [0.1, 0.2]}
adversary: round-robin
plots: [{kind: cost, x: sites, lower_bounds: true, where: words > 0}]
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undrawn")
    (folder / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    done = CliRunner().invoke(main, ["run", f"{folder}/one.yaml", "--out", f"{folder}/one", "--workers", "1"])
    assert done.exit_code == 1
    assert "figures: cost-sites: lower_bounds: games at one place of sites differ in alpha" in done.stderr
    return folder / "one"


@pytest.mark.parametrize(("command", "status"), [("report", 1), ("report --brief", 1), ("plot", 2)])
def test_a_figure_that_is_not_drawn_is_no_success(result: Path, command: str, status: int) -> None:
    done = CliRunner().invoke(main, [*command.split(), str(result)])
    assert done.exit_code == status
    assert "lower_bounds: games at one place" in done.stderr


def test_nor_is_one_of_several_results(result: Path, tmp_path: Path) -> None:
    options = ["--plot", "matrix", "--scale", "x=log,y=log", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, ["compare", str(result), str(result), *options])
    assert done.exit_code == 2
    assert "axis has no numbers" in done.stderr
