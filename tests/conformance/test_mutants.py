"""The conformance suite is tested with mutants, in both directions: it refuses the broken and takes the right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mutant_adversaries
import mutant_bulk_forms
import mutant_contents
import mutant_counters
import mutant_protocols
import pytest
from _pytest.mark import ParameterSet

from disttrack.adversaries import Adversary
from disttrack.protocols import Protocol
from disttrack.simulator import check_adversary, check_bulk_form, check_counter, check_protocol
from disttrack.simulator.conformance import ConformanceError


def test_that_there_are_enough_mutants() -> None:
    assert len(mutant_protocols.MUTANTS) >= 30
    assert len(mutant_adversaries.MUTANTS) >= 18
    assert len(mutant_counters.MUTANTS) >= 12
    assert len(mutant_bulk_forms.MUTANTS) >= 11


LATE = ("HalfTheCoins", "OpensExactly", "RandomAlways", "RashlyConfident", "deaf in haste", "lonely site")
"""Mutants that only many games betray."""


def refuse(check: Callable[..., object], mutant: Any, fault: str, **sizes: Any) -> str:
    """Assert that a check refuses a mutant for its fault, and says how to mend it; return what it says."""
    with pytest.raises(ConformanceError, match=fault) as refusal:
        check(mutant, **sizes)
    assert refusal.value.mend, "nobody says how to mend it"
    return str(refusal.value)


def names(mutants: Iterable[str]) -> list[ParameterSet]:
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in LATE)) for name in mutants]


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("name", names(mutant_protocols.MUTANTS))
def test_a_broken_protocol_is_refused(name: str) -> None:
    said = refuse(check_protocol, *mutant_protocols.MUTANTS[name], sites=(1, 2, 5), items=400)
    assert said.startswith(f"{name}: ")


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", mutant_adversaries.MUTANTS)
def test_a_broken_adversary_is_refused(name: str) -> None:
    said = refuse(check_adversary, *mutant_adversaries.MUTANTS[name], sites=(1, 2, 5), items=400)
    assert said.startswith(f"{name}: ")


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("name", names(mutant_bulk_forms.MUTANTS))
def test_a_broken_bulk_form_is_refused(name: str) -> None:
    refuse(check_bulk_form, *mutant_bulk_forms.MUTANTS[name], sites=(1, 2, 5), items=400)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("protocol", mutant_bulk_forms.RIGHT, ids=repr)
def test_a_right_bulk_form_is_taken(protocol: Protocol) -> None:
    assert len(check_bulk_form(protocol, sites=(1, 2, 5), items=400)) == 1


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", mutant_contents.TRACKERS)
def test_a_broken_tracker_of_items_is_refused(name: str) -> None:
    refuse(check_protocol, *mutant_contents.TRACKERS[name], sites=(1, 5), items=400)


@pytest.mark.parametrize("name", mutant_contents.ADVERSARIES)
def test_a_broken_adversary_of_items_is_refused(name: str) -> None:
    refuse(check_adversary, *mutant_contents.ADVERSARIES[name], sites=(1, 5), items=200)


@pytest.mark.parametrize("name", mutant_counters.MUTANTS)
def test_a_broken_counter_is_refused(name: str) -> None:
    assert refuse(check_counter, *mutant_counters.MUTANTS[name]).startswith(f"{name}: ")


def test_a_right_counter_is_taken() -> None:
    assert len(check_counter(mutant_counters.Base)) >= 8


@pytest.mark.quick_cases(0)
@pytest.mark.parametrize("protocol", mutant_protocols.RIGHT, ids=lambda one: type(one).__name__)
def test_a_right_protocol_is_taken(protocol: Protocol) -> None:
    assert len(check_protocol(protocol, sites=(1, 2, 5), items=400)) >= 8


@pytest.mark.parametrize("adversary", mutant_adversaries.RIGHT, ids=lambda one: type(one).__name__)
def test_a_right_adversary_is_taken(adversary: Adversary) -> None:
    assert len(check_adversary(adversary, sites=(1, 2, 5), items=400)) >= 5
