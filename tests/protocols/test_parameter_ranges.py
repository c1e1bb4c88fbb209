"""Every parameter of every protocol, quota, adversary, attacker and analyst refuses what is outside of its range."""

from __future__ import annotations

import math
from functools import partial
from itertools import chain
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import pytest

from disttrack.mechanisms import checks as of
from disttrack.protocols import Robust
from disttrack.protocols.rounds.constants import HAND_SET
from disttrack.protocols.sampling.copies import Largest
from disttrack.simulator.game.tasks.threshold import ThresholdAlarm
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import kinds, parameters

NO_NUMBERS: Final = (math.nan, math.inf, True, "0.5", [1])
Edges = tuple[tuple[Any, ...], tuple[Any, ...]]
"""Values at the edges of a range: those inside, which are accepted, and those outside."""
COUNT: Final[Edges] = ((1, 10**6), (0, -1, 1.5))
DECLARED: Final[dict[object, Edges]] = {
    of.Share: ((1e-9, 1 - 1e-9), (0, 1, -0.1, 1.5)),
    of.ZeroToOne: ((0, 1), (-0.1, 1.1)),
    of.UpToOne: ((1e-9, 1), (0, -1, 1.1)),
    of.FromZero: ((0, 1 - 1e-9), (-0.1, 1)),
    of.Positive: ((1e-9, 1e9), (0, -1.0)),
    of.NotNegative: ((0, 1e9), (-1e-9, -1)),
    of.FromOne: ((1, 1e9), (0.999, 0, -1)),
    of.Whole: COUNT,
    of.Natural: ((0, 10**6), (-1, 1.5)),
    of.Odd: ((1, 3), (0, -1, 1.5, 2)),
    of.Flag: ((False, True), (None, 1, "yes")),
    Largest: ((1.5, 2**63), (1, 0, -5)),
}
"""Of the types that declare a range."""
NAMED: Final[dict[str, Edges]] = {
    "candidates": ((2, 10**6), (1, 0, 2.5)), "spread": ((0, 0.5), (-0.1, 0.6)), "bits": ((1, 14_000), (0, -1, 14_001)),
    "counter": (("best", "binary"), (None, "abacus", "randomized-response")), "of": (("freeze",), (3, None)),
    "robust.parameters": (("paper", "tight"), (None, "loose")), "rest": ((0, 10_000), (-1, 10_001)),
    "randomized.parameters": (("median",), (None, "mean")),
    "limits": (("9/2000000", "9/day"), (None, "9", "9/fortnight")),
    "bounded-memory.table": (("freeze", "0/0"), (None, "x", "0/1")),
}  # fmt: skip
"""Of parameters whose range depends on others, or is checked by their class."""
NEEDED: Final[dict[str, dict[str, Any]]] = {
    "martingale.strength": {"parameters": "simple"},
    "grow-and-delete.peak": {"rest": 0},
    **{f"{kind}.threshold": {"epsilon": 0.5} for kind in ("batch", "coin-reports", "countdown")},
    **{f"{kind}.epsilon": {"threshold": 9} for kind in ("batch", "coin-reports", "countdown")},
    "batch.size": {"threshold": 9, "epsilon": 0.5}, "coin-reports.delta": {"threshold": 9, "epsilon": 0.5},
    **{f"bucket-lease.{name}": {"depth": 9} for name in ("limit", "window", "slots", "fraction")},
}  # fmt: skip
"""Parameters that one needs beside it."""
QUOTAS: Final = {name: kind for name, kind in kinds("protocol").items() if "limit" in parameters(kind.load())}
RELATED: Final = ("costs", "reserve", "settle", "skew", "depth", "shape", "rounding", "away")
"""Parameters of quotas that depend on each other, in tests/fleet/quotas: test_by_hand.py and test_deployed.py."""
CASES: Final = [
    (kind.load(), f"{name}.{parameter}")
    for name, kind in chain(
        (Count.kinds("protocol") | ThresholdAlarm.kinds("protocol") | QUOTAS).items(), kinds("adversary").items()
    )
    for parameter in parameters(kind.load())
    if name not in ("trace", "item-trace", "learned", "moves", "table")  # whose texts have tests of their own
    and not (name in QUOTAS and parameter in RELATED)
]


def declared(hint: Any) -> Edges:
    """Return the edges of the range that a type declares."""
    if get_origin(hint) is Literal:
        return get_args(hint), (None, "other")
    return (
        DECLARED[hint] if hint in DECLARED else declared(next(one for one in get_args(hint) if one is not type(None)))
    )


def test_that_there_is_something_to_test() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize(("make", "name"), CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_a_parameter_outside_of_its_range_is_refused_by_its_name(make: Any, name: str) -> None:
    parameter = name.partition(".")[2]
    usual = {"alpha": 0.5, "limit": 10**6, "window": 10**6}
    given = {key: value for key, value in usual.items() if key in parameters(make)}
    given |= NEEDED.get(name, {})
    inside, outside = (
        NAMED.get(name) or NAMED.get(parameter) or declared(get_type_hints(make, include_extras=True)[parameter])
    )
    for value in inside:
        make(**given | {parameter: value})
    for value in (*outside, *({bool: (), str: ()}.get(type(inside[0]), NO_NUMBERS))):
        with pytest.raises((ValueError, TypeError), match=f"^{parameter} (must|needs)") as refused:
            make(**given | {parameter: value})
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (partial(Robust, 0.5, parameters="tight", counter="square-root"), "counter must be one of .* for tight"),
        *(
            (partial(Robust, 0.5, parameters={name: value}), f"parameters: {name} must be ")
            for name in HAND_SET
            for value in (True, "1", math.nan, math.inf, *({"shift": (), "counter_share": (0, 1)}.get(name, (0, -1))))
        ),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        make()


def test_the_shift_alone_may_be_negative() -> None:
    assert Robust(0.5, parameters={"shift": -1.0}).parameters == {"shift": -1.0}
