"""The conformance suite is tested with mutants, in both directions: it refuses the broken and takes the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import mutant_adversaries
import mutant_contents
import mutant_counters
import mutant_protocols
import pytest

from disttrack.simulator import check_adversary, check_counter, check_protocol
from disttrack.simulator.workshop.conformance import ConformanceError

SIZES: Final = {"sites": (1, 2, 5), "items": 400}
SHORT: Final = {"sites": (1, 5), "items": 400}
SUITES: Final[tuple[tuple[Callable[..., list[str]], Mapping[str, tuple[object, str]], Mapping[str, object]], ...]] = (
    (check_protocol, mutant_protocols.MUTANTS, SIZES),
    (check_protocol, mutant_contents.TRACKERS, SHORT),
    (check_adversary, mutant_adversaries.MUTANTS, SIZES),
    (check_adversary, mutant_contents.ADVERSARIES, {"sites": (1, 5), "items": 200}),
    (check_counter, mutant_counters.MUTANTS, {}),
    (check_counter, mutant_counters.LONG_MUTANTS, {}),
    (check_adversary, mutant_adversaries.LONG_MUTANTS, {}),
)
LATE: Final = ("RashlyConfident", "RashDelta", *mutant_counters.LONG_MUTANTS, *mutant_adversaries.LONG_MUTANTS)
"""Mutants that only many games, or long runs, betray."""
BROKEN: Final = [
    pytest.param(check, *mutants[name], sizes, id=name, marks=[pytest.mark.slow] * (name in LATE))
    for check, mutants, sizes in SUITES
    for name in mutants
]
RIGHT: Final = [
    *((check_protocol, one, SIZES) for one in mutant_protocols.RIGHT),
    *((check_adversary, one, SIZES) for one in mutant_adversaries.RIGHT),
    (check_counter, mutant_counters.Base, {}),
]


def test_that_there_are_enough_mutants() -> None:
    for (_, mutants, _), least in zip(SUITES, (20, 4, 8, 1, 8, 5, 1), strict=True):
        assert len(mutants) >= least


@pytest.mark.drawn(10)
@pytest.mark.quick_cases(26)
@pytest.mark.parametrize(("check", "mutant", "fault", "sizes"), BROKEN)
def test_a_broken_one_is_refused_for_its_fault(
    check: Callable[..., object], mutant: object, fault: str, sizes: Mapping[str, object]
) -> None:
    with pytest.raises(ConformanceError, match=fault) as refusal:
        check(mutant, **sizes)
    assert refusal.value.mend, "nobody says how to mend it"
    if check is check_adversary:
        assert not [word for word in ("take(", "messages", "(rng)") if word in refusal.value.mend]
    named = mutant if isinstance(mutant, type) else type(mutant)
    assert str(refusal.value).startswith(f"{named.__name__}: ")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("check", "right", "sizes"), RIGHT, ids=lambda one: getattr(one, "__name__", type(one).__name__)
)
def test_a_right_one_is_taken(check: Callable[..., list[str]], right: object, sizes: Mapping[str, object]) -> None:
    assert len(check(right, **sizes)) >= 1
