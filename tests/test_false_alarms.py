"""Rates of false alarms: every test that speaks of them states one, and their sum is kept small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

TESTS = Path(__file__).parent
SPEAKS = re.compile(r"[Ff]alse[ -]alarm|pvalue|\bFALSE_ALARM\b|\bALARM\b|chance (of|below) 1e-")
"""What a test says that may fail by chance."""
ABOUT = {
    "test_false_alarms.py",
    "test_claims_pages.py",  # what a page says of the rates of claims
}
"""Files that speak of rates and have none."""
SURE = {
    "test_the_bound_is_too_high_as_rarely_as_it_says": "goes through all outcomes",
    "test_a_margin_that_is_none_is_noted_and_the_verdict_stays": "a message about the rate of a claim",
    "test_shares_differ_by_fishers_exact_test": "exact, beside the values of scipy",
    "test_the_round_is_the_one_that_was_asked_for": "power, computed",
    "test_the_fit_of_a_tracker_is_that_of_two_tests": "the p-values of both are given",
    "test_a_violation_as_large_as_the_power_is_missed_as_often_as_stated": "two computed numbers are compared",
}
"""Tests that cannot fail by chance, and why. Tests of power (`…_found_out`) plant a fault far beyond their border."""


def every_test() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Yield each test with its file and its source."""
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield path, node, "\n".join(lines[node.lineno - 1 : node.end_lineno])


def states_a_rate(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a test has the marker."""
    return any("mark.false_alarm" in ast.unparse(decorator) for decorator in node.decorator_list)


@pytest.mark.slow
def test_what_speaks_of_chance_states_its_rate() -> None:
    found = [(path, node, text) for path, node, text in every_test() if path.name not in ABOUT and SPEAKS.search(text)]
    assert len(found) > 20
    silent = {node.name for _, node, _ in found if not states_a_rate(node)}
    assert {name for name in silent if not name.endswith("_found_out")} == set(SURE)


SUITE = """
import pytest



@pytest.mark.false_alarm({rate})
@pytest.mark.parametrize("number", range(4))
def test_something(number):
    assert number < 9
"""


def outcome(folder: Path, suite: str, *flags: str) -> tuple[int, str]:
    """Run a suite of its own and return the exit status and what was printed."""
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text(encoding="utf-8"))
    (folder / "test_suite.py").write_text(suite)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *flags, "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_sum_is_printed(tmp_path: Path) -> None:
    status, said = outcome(tmp_path, SUITE.format(rate="1e-6"), "-n", "2", "-k", "2")
    assert status == 0
    assert "4 statistical tests: false alarms of at most 4.0e-06 in all (0.001 are allowed)" in said


@pytest.mark.parametrize("given", [(1e-3,), (0.0,), (1,), (), (1e-6, 2), (1e-4,)])
def test_what_is_no_rate_is_refused(given: tuple[float, ...], request: pytest.FixtureRequest) -> None:
    rates_of = request.config.pluginmanager.get_plugin(str(TESTS / "conftest.py")).rates_of
    item = SimpleNamespace(nodeid="test_something[0]", iter_markers=lambda _: [pytest.mark.false_alarm(*given).mark])
    if given == (1e-4,):
        assert rates_of([item] * 3) == [1e-4] * 3
        return
    with pytest.raises(pytest.UsageError, match=r"test_something\[0\]: false_alarm takes a rate above 0 and at most"):
        rates_of([item])


def test_too_many_are_refused(tmp_path: Path) -> None:
    status, said = outcome(tmp_path, SUITE.format(rate="1e-4").replace("range(4)", "range(11)"))
    assert status == 4
    assert "11 statistical tests: false alarms of at most 1.1e-03 in all (0.001 are allowed)" in said
