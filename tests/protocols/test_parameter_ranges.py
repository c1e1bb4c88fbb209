"""Every parameter of every protocol, adversary, attacker and analyst refuses what lies outside of its range."""

from __future__ import annotations

import math
from functools import partial
from itertools import chain
from typing import Any, Final

import pytest

from disttrack.adversaries import Bursts, Replay
from disttrack.protocols import Martingale, Randomized, Robust
from disttrack.protocols.rounds.constants import HAND_SET
from disttrack.simulator.points.registry import kinds, parameters
from disttrack.simulator.tasks.threshold import ThresholdAlarm
from disttrack.simulator.tasks.tracking import Count

NO_NUMBERS: Final = (math.nan, math.inf, True, "0.5", [1])
Edges = tuple[tuple[Any, ...], tuple[Any, ...]]
"""Values at the edges of a range: those inside, which are accepted, and those outside."""
OPEN: Final[Edges] = ((1e-9, 1 - 1e-9), (0, 1, -0.1, 1.5))
CLOSED: Final[Edges] = ((0, 1), (-0.1, 1.1))
SHARE: Final[Edges] = ((1e-9, 1), (0, -1, 1.1))
POSITIVE: Final[Edges] = ((1e-9, 1e9), (0, -1.0))
NOT_NEGATIVE: Final[Edges] = ((0, 1e9), (-1e-9, -1))
AT_LEAST_1: Final[Edges] = ((1, 1e9), (0.999, 0, -1))
COUNT: Final[Edges] = ((1, 10**6), (0, -1, 1.5))
COUNT_OR_0: Final[Edges] = ((0, 10**6), (-1, 1.5))
FLAG: Final[Edges] = ((False, True), (None, 1, "yes"))
SIDES: Final[Edges] = (("above", "below"), (None, "left"))
RANGES: Final[dict[str, Edges]] = {
    "alpha": OPEN, "batch.epsilon": OPEN, "begin": NOT_NEGATIVE, "burn": COUNT_OR_0,
    "candidates": ((2, 10**6), (1, 0, 2.5)), "centred": FLAG, "coin-reports.epsilon": OPEN, "countdown.epsilon": OPEN,
    "confidence": POSITIVE, "constant": POSITIVE, "copies": ((1, 3), (0, -1, 1.5, 2)),
    "counter": (("best", "binary"), (None, "abacus", "randomized-response")), "delta": OPEN, "demand": CLOSED,
    "depth": OPEN, "domain": COUNT, "block": POSITIVE, "choice": (("rotate", "hash"), (None, "left")),
    "epsilon": POSITIVE, "even": FLAG, "exponent": NOT_NEGATIVE,
    "churn-of-sites.stay": COUNT, "dies": FLAG, "few": SHARE, "greedy.stay": COUNT, "part": SHARE,
    "grow.count": COUNT_OR_0, "group": COUNT_OR_0, "growth": AT_LEAST_1, "k": COUNT, "keep": SHARE,
    "largest": ((1.5, 2**63), (1, 0, -5)), "law": (("geometric", "constant", "heavy"), (None, "normal")),
    "looks": COUNT, "margin": NOT_NEGATIVE, "mean": AT_LEAST_1, "memory": COUNT_OR_0, "near": CLOSED, "noise": CLOSED,
    "of": (("freeze",), (3, None)), "overcount.keep": COUNT, "patience": POSITIVE, "peak": COUNT,
    "bits": ((1, 14_000), (0, -1, 1.5, 14_001)), "blind-resets.share": OPEN, "total": COUNT, "weight": COUNT,
    "freeze-item.items": COUNT, "period": COUNT, "heavy-item.share": ((0, 1 - 1e-9), (-0.1, 1)),
    "martingale.parameters": (("tight", "simple"), (None, "paper")),
    "heaviest": COUNT, "pulses": COUNT_OR_0, "selected": COUNT,
    "prefill": COUNT_OR_0, "randomized.parameters": (("median",), (None, "mean")), "rate": POSITIVE, "reach": SHARE,
    "retrying.rate": SHARE, "backoff": (("none", "bucket"), (None, "linear")), "retrying.patience": COUNT,
    "wait": COUNT,
    "reads": (("changes", "output"), (None, "state")), "table": (("freeze", "0/0"), (None, "x", "0/1", "1/0-0/1")),
    "rest": ((0, 10_000), (-1, 10_001)), "robust.parameters": (("paper", "tight"), (None, "loose")), "rows": COUNT,
    "runs": COUNT, "scattered.count": COUNT_OR_0, "sequences": COUNT, "share": CLOSED, "side": SIDES,
    "single-site.site": COUNT_OR_0, "size": COUNT, "spread": ((0, 0.5), (-0.1, 0.6)), "stay": NOT_NEGATIVE,
    "strength": POSITIVE, "tail": COUNT, "threshold": COUNT,
    "tries": COUNT_OR_0, "until": ((0, 1 - 1e-9), (-0.1, 1)), "void": CLOSED,
    "window": COUNT,
}  # fmt: skip
"""Of each parameter, by its name; by kind and name where kinds differ."""
NEEDED: Final[dict[str, dict[str, Any]]] = {
    "martingale.strength": {"parameters": "simple"},
    "grow-and-delete.peak": {"rest": 0},
    **{f"{kind}.threshold": {"epsilon": 0.5} for kind in ("batch", "coin-reports", "countdown")},
    **{f"{kind}.epsilon": {"threshold": 9} for kind in ("batch", "coin-reports", "countdown")},
    "batch.size": {"threshold": 9, "epsilon": 0.5}, "coin-reports.delta": {"threshold": 9, "epsilon": 0.5},
}  # fmt: skip
"""Parameters that one needs beside it."""
CASES: Final = [
    (kind.load(), f"{name}.{parameter}")
    for name, kind in chain(
        (Count.kinds("protocol") | ThresholdAlarm.kinds("protocol")).items(), kinds("adversary").items()
    )
    for parameter in parameters(kind.load())
    if name not in ("trace", "item-trace", "learned", "moves", "table")  # whose texts have tests of their own
]


def test_that_there_is_something_to_test() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize(("make", "name"), CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_a_parameter_outside_of_its_range_is_refused_by_its_name(make: Any, name: str) -> None:
    parameter = name.partition(".")[2]
    given = {"alpha": 0.5} if "alpha" in parameters(make) else {}
    given |= NEEDED.get(name, {})
    inside, outside = RANGES.get(name) or RANGES[parameter]
    for value in inside:
        make(**given | {parameter: value})
    for value in (*outside, *({bool: (), str: ()}.get(type(inside[0]), NO_NUMBERS))):
        with pytest.raises((ValueError, TypeError), match=f"^{parameter} (must|needs)") as refused:
            make(**given | {parameter: value})
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (partial(Randomized, 0.5, copies=3, delta=0.1), "copies must be left out where delta is given"),
        (partial(Randomized, 0.5, parameters="tight"), "delta must be given with parameters: tight"),
        (partial(Martingale, 0.5, strength=2.0), "strength is for parameters: simple only; got 2.0 with tight"),
        (partial(Bursts, mean=2.5, law="constant"), "mean must be a whole number where law is constant; got 2.5"),
        (partial(Replay, of={"patience": 2}), "of must be a kind of adversary"),
        (partial(Robust, 0.5, parameters="tight", counter="square-root"), "counter must be one of .* for tight"),
        (partial(Robust, 0.5, parameters={"wrong": 1}), f"parameters may set {', '.join(HAND_SET)}; got 'wrong'"),
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
