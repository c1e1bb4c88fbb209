"""All faults of a class at once, each with how to mend it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mutant_adversaries
import pytest
from click.testing import CliRunner

import simulator.conformance
from adversaries import RoundRobin, View
from protocols import Deterministic
from simulator.cli import main
from simulator.conformance.failure import ConformanceError, faults, require
from simulator.conformance.mending import ADVICE, advice, all_faults
from simulator.conformance.protocols import protocol_checks

BAD = '''\
"""A protocol with several faults."""

import random
from dataclasses import dataclass

from protocols import Exact


@dataclass(frozen=True)
class Bad(Exact):
    """Exact, spoilt in four ways."""

    kind = "bad"
    source = ""
    reveals = ""

    def cost_bound(self, k, items, start=0):
        return 1e9 / items

    def sites(self, k, rng, start=()):
        random.random()
        return super().sites(k, rng, start)


class Lost:
    """Nothing of which there are tests."""
'''


def checks_of(*checks: Any) -> dict[str, Any]:
    return {check.__name__: check for check in checks}


def test_a_check_goes_on_where_it_can_and_the_others_follow() -> None:
    def facts() -> Any:
        require(False, "It", "has no name", go_on=True)
        require(False, "It", "has no home", go_on=True)
        yield

    def stops() -> Any:
        require(False, "It", "falls")
        raise AssertionError("not reached")
        yield

    def raises() -> Any:
        yield
        raise KeyError("x")

    def fine() -> Any:
        yield

    assert faults("It", checks_of(facts, stops, raises, fine)) == [
        ("facts", "has no name"),
        ("facts", "has no home"),
        ("stops", "falls"),
        ("raises", "raises KeyError in the check 'raises': 'x'"),
    ]
    with pytest.raises(ConformanceError, match=r"^It: has no name$"):  # elsewhere the first one ends everything
        list(facts())


def test_nobody_knows_how_to_mend_what_nobody_has_thought_of() -> None:
    assert advice("something else") == ""
    assert len({mend for _, mend in ADVICE}) >= 35  # that each mutant's fault has its advice is tested with the mutants


def turn(view: View) -> int:
    """Go round."""
    return view.steps % view.sites


@pytest.mark.slow
def test_right_ones_have_no_fault() -> None:
    for right in (RoundRobin(), turn):  # a protocol that is right stands in the example of all_faults
        assert all_faults(right)[1] == []
    with pytest.raises(TypeError, match="neither protocol, nor adversary, nor private counter"):
        all_faults(3)


def test_one_fault_that_stops_several_checks_is_told_once() -> None:
    mutant, _ = mutant_adversaries.MUTANTS["Raises"]
    found = [fault.what for fault in all_faults(mutant())[1]]
    assert len([what for what in found if "nothing comes to mind" in what]) == 1


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(BAD)


def disttrack(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["conformance", *arguments], catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.usefixtures("bad")
def test_the_command_lists_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator.conformance, "all_faults", cache(all_faults))  # both forms tell of the same games
    result = disttrack("bad.py:Bad")
    assert result.exit_code == 1
    for what in ("says no source", "says no reveals", "cost_bound falls", "global random generator"):
        assert what in result.stdout
    assert result.stdout.count("   mend: ") == 4
    assert result.stdout.splitlines()[-1] == "bad.py:Bad: 4 faults in 10 checks"
    found = json.loads(disttrack("bad.py:Bad", "--json").stdout)
    assert len(found["checks"]) == 10
    assert {fault["check"] for fault in found["faults"]} >= {"states its facts", "quota is honest"}
    assert all(fault["mend"] for fault in found["faults"])


@pytest.mark.usefixtures("bad")
def test_the_command_takes_names_and_parameters_and_refuses_what_has_no_tests() -> None:
    result = disttrack("single-site:site=0")
    assert result.exit_code == 0, result.output
    assert "all 5 checks pass" in result.stdout
    assert disttrack("single-site:site=0", "-q").output == ""
    assert "neither protocol, nor adversary" in disttrack("bad.py:Lost").stderr
    refused = disttrack("exakt")
    assert refused.exit_code == 2
    assert "did you mean 'exact'" in refused.stderr
    assert "alpha" in disttrack("deterministic:alpha=7").stderr


def test_a_field_that_takes_nonsense_is_told_once() -> None:
    @dataclass(frozen=True)
    class Anything(Deterministic):
        """Takes any alpha."""

        def __post_init__(self) -> None:
            pass

    nonsense = "refuses nonsense"
    checks = protocol_checks(Anything(0.2))
    assert faults("Anything", {nonsense: checks[nonsense]}) == [(nonsense, "accepts alpha=0")]
