"""What every protocol refuses: each number out of its range, by its name, and the least and largest it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    DifferenceEstimators,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)  # fmt: skip
from disttrack.protocols.rounds.constants import HAND_SET

POSITIVE, SHARE, ABOVE_ONE = "above 0", "between 0 and 1, both excluded", "above 1"
CASES: list[tuple[Callable[..., Any], dict[str, Any], dict[str, str]]] = [
    (Deterministic, {"alpha": 0.5}, {"alpha": SHARE}),
    (DeterministicRounds, {"alpha": 0.5}, {"alpha": SHARE}),
    (Robust, {"alpha": 0.5}, {"alpha": SHARE, "delta": SHARE}),
    (Martingale, {"alpha": 0.5}, {"alpha": SHARE, "delta": SHARE}),
    (Martingale, {"alpha": 0.5, "parameters": "simple", "strength": 2.0}, {"strength": POSITIVE}),
    (Block, {"alpha": 0.5}, {"alpha": SHARE, "confidence": POSITIVE}),
    (DifferenceEstimators, {"alpha": 0.5}, {"alpha": SHARE, "delta": SHARE}),
    (Randomized, {"alpha": 0.5}, {"alpha": SHARE, "confidence": POSITIVE}),
    (Randomized, {"alpha": 0.5, "delta": 0.1}, {"delta": SHARE}),
    (SketchSwitching, {"alpha": 0.5}, {"alpha": SHARE, "delta": SHARE, "largest": ABOVE_ONE}),
    (PrivateCopies, {"alpha": 0.5}, {"alpha": SHARE, "delta": SHARE, "epsilon": POSITIVE, "largest": ABOVE_ONE}),
]


def refused(make: Callable[[], Any]) -> str:
    """Return what a refusal says."""
    with pytest.raises(ValueError) as found:  # noqa: PT011 - the caller compares the whole line
        make()
    return str(found.value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_a_number_out_of_range_is_refused_by_its_name(
    case: tuple[Callable[..., Any], dict[str, Any], dict[str, str]],
) -> None:
    """And the whole line is as it is meant to be."""
    make, given, ranges = case
    make(**given)
    for name, accepted in ranges.items():
        wrong = [0, -1.0, math.nan, math.inf, True, "0.5"]
        wrong += {POSITIVE: [], SHARE: [1, 1.5], ABOVE_ONE: [1]}[accepted]
        for value in wrong:
            assert (
                refused(partial(make, **given | {name: value})) == f"{name} must be a number {accepted}; got {value!r}"
            )
    for name, accepted in ranges.items():
        if accepted == ABOVE_ONE:
            make(**given | {name: 1.5})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (partial(Deterministic, 0.5, centred=1), "centred must be true or false; got 1"),
        (partial(Randomized, 0.5, copies=0), "copies must be a whole number of at least 1; got 0"),
        (
            partial(Randomized, 0.5, copies=2),
            "copies must be odd, so that their median is one of them; got 2",
        ),
        (
            partial(Randomized, 0.5, copies=3, delta=0.1),
            "copies must be left out where delta is given, which chooses them",
        ),
        (partial(Randomized, 0.5, parameters="mean"), "parameters must be median or tight; got 'mean'"),
        (
            partial(Randomized, 0.5, parameters="tight"),
            "delta must be given with parameters: tight, which keep it",
        ),
        (partial(Martingale, 0.5, parameters="paper"), "parameters must be tight or simple; got 'paper'"),
        (
            partial(Martingale, 0.5, strength=2.0),
            "strength is for parameters: simple only; got 2.0 with tight",
        ),
        (
            partial(Robust, 0.5, parameters="loose"),
            "parameters must be paper, tight or a mapping of values; got 'loose'",
        ),
        (
            partial(Robust, 0.5, parameters={"wrong": 1}),
            f"parameters may set {', '.join(HAND_SET)}; got 'wrong'",
        ),
        (
            partial(Robust, 0.5, parameters={"counter_share": True}),
            "parameters: counter_share must be a number; got True",
        ),
        (
            partial(Robust, 0.5, parameters={"counter_share": "1"}),
            "parameters: counter_share must be a number; got '1'",
        ),
        (
            partial(Robust, 0.5, parameters={"shift": math.inf}),
            "parameters: shift must be a number; got inf",
        ),
        (
            partial(Robust, 0.5, parameters={"counter_share": 1}),
            "parameters: counter_share must be between 0 and 1, both excluded; got 1",
        ),
        (
            partial(Robust, 0.5, parameters={"counter_share": 0}),
            "parameters: counter_share must be between 0 and 1, both excluded; got 0",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_refusals_say_so(make: Callable[[], Protocol], said: str) -> None:
    assert refused(make) == said


def test_hand_set_values_have_to_be_positive_but_for_the_shift() -> None:
    for name in HAND_SET:
        if name == "counter_share":
            continue
        if name == "shift":
            assert Robust(0.5, parameters={name: -1.0}).parameters == {name: -1.0}
        else:
            for value in (0, -1.0):
                said = f"parameters: {name} must be above 0; got {value!r}"
                assert refused(partial(Robust, 0.5, parameters={name: value})) == said
