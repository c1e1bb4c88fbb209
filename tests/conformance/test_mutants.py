"""The conformance suite is tested with mutants, in both directions: it refuses the broken and takes the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import mutant_adversaries
import mutant_counters
import mutant_protocols
import pytest
from golden_messages import blocks
from refusals import FILE, MUTANTS, SIZES, SUITES, refusal, said

from disttrack.mechanisms.compiler import available
from disttrack.simulator import check_adversary, check_counter, check_protocol

LATE: Final = ("RashlyConfident", "RashDelta", *mutant_counters.LONG_MUTANTS, *mutant_adversaries.LONG_MUTANTS)
"""Mutants that only many games, or long runs, betray."""
BROKEN: Final = [pytest.param(name, marks=[pytest.mark.slow] * (name.partition(" ")[2] in LATE)) for name in MUTANTS]
RIGHT: Final = [
    *((check_protocol, one, SIZES) for one in mutant_protocols.RIGHT),
    *((check_adversary, one, SIZES) for one in mutant_adversaries.RIGHT),
    (check_counter, mutant_counters.Base, {}),
]


def test_that_there_are_enough_mutants_and_each_is_refused_in_the_file() -> None:
    for (_, mutants, _), least in zip(SUITES, (20, 4, 8, 1, 8, 5, 1), strict=True):
        assert len(mutants) >= least
    lines = blocks(FILE)
    assert {*MUTANTS} == {*lines} if available() else {*MUTANTS} < {*lines}
    for name, of in lines.items():
        assert len(of) == 2, name
        assert of[1].removeprefix("fix: "), name


@pytest.mark.drawn(10)
@pytest.mark.quick_cases(26)
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_refused_as_the_file_says(name: str) -> None:
    """If not, read the difference; ``python tests/goldens`` writes it."""
    check, mutant, sizes = MUTANTS[name]
    fault = refusal(check, mutant, sizes)
    assert said(fault) == blocks(FILE)[name]
    if check is check_adversary:
        assert fault is not None
        assert not [word for word in ("take(", "messages", "(rng)") if word in fault.mend]
    named = mutant if isinstance(mutant, type) else type(mutant)
    assert str(fault).startswith(f"{named.__name__}: ")


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("check", "right", "sizes"), RIGHT, ids=lambda one: getattr(one, "__name__", type(one).__name__)
)
def test_a_right_one_is_taken(check: Callable[..., list[str]], right: object, sizes: Mapping[str, object]) -> None:
    assert len(check(right, **sizes)) >= 1
