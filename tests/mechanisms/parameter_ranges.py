"""Ranges of parameters of mechanisms, by their names, and the check that a class refuses what is out of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf, nan
from typing import Any, NamedTuple

from disttrack.simulator.game.tasks.contents.task import ContentGame
from disttrack.simulator.kinds.registry import Kind, kinds_for, parameters


class Range(NamedTuple):
    """What is accepted, in the words of the refusal; values out of it, and values at its edges."""

    accepted: str
    wrong: tuple[Any, ...]
    edges: tuple[Any, ...] = ()


def whole(least: int) -> Range:
    return Range(f"a whole number of at least {least}", (least - 1, least + 0.5, True, "7"), (least,))


NUMBER = (-1.0, nan, inf, True, "0.5")
POSITIVE = Range("a number above 0", (0, *NUMBER), (1e-9,))
SHARE = Range("a number between 0 and 1, both excluded", (0, 1, 1.5, *NUMBER), (1e-9, 1 - 1e-9))
FROM_0 = Range("a number from 0, and below 1", (1, 1.5, *NUMBER), (0, 0.999))
FINITE = Range("a finite number", (nan, inf, -inf, True, "1"))
NAME = Range("one of ", ("xyz",))


def complaint(make: Callable[[], Any]) -> str:
    """Return the text of a refusal; empty if there is none."""
    try:
        make()
    except ValueError as error:
        return str(error)
    return ""


def check(make: Callable[..., Any], given: dict[str, Any], name: str, accepted: Range, *more: Any) -> None:
    """Assert that values out of a range are refused by the parameter's name, and those at its edges are not."""
    begin = f"{name} must be {accepted.accepted}"
    for value in (*accepted.wrong, *more):
        message = complaint(partial(make, **given | {name: value}))
        assert message.startswith(begin), f"{value!r}: {message}"
        assert f"; got {value!r}" in message
    for value in accepted.edges:  # where another parameter does not fit it, that one is named
        assert not complaint(partial(make, **given | {name: value})).startswith(begin)


RANGES: dict[str, Range | None] = {
    **dict.fromkeys(("epsilon", "sensitivity", "variation", "rate", "std", "noise", "alpha"), POSITIVE),
    **dict.fromkeys(("delta", "beta", "false_alarm", "share"), SHARE),
    **dict.fromkeys(("horizon", "points", "k", "users", "changes", "domain", "delay", "half", "count"), whole(1)),
    **dict.fromkeys(("window", "every", "lifetime"), whole(1)),
    **dict.fromkeys(("runs", "block", "rows", "copies", "rounds", "updates", "depth", "width", "budget"), whole(1)),
    **dict.fromkeys(("size", "groups", "buffers", "participations", "separation", "blocks"), whole(1)),
    "cells": whole(1),
    "experts": whole(2),
    **dict.fromkeys(("counter", "static", "queries", "sketch", "literal", "strategy", "parts", "errors"), NAME),
    "calibration": NAME,
    "signs": NAME,
    "by": NAME,
    "threshold": POSITIVE,
    "largest": POSITIVE,
    "base": Range("a whole number of at least 3", (2, 1, -3, True, 3.0), (3,)),
    "registers": whole(128),
    "density": Range("a number of at least 1", (0.9, 0, *NUMBER), (1, 1.0)),
    **dict.fromkeys(("normal", "cautious", "weighted"), Range("true or false", (0, 1, "yes", None), (True, False))),
    "within": whole(0),
    "strength": POSITIVE,
    "cut": None,
    "sticky": None,
}
"""By the name of a parameter; None if every value is taken."""


OWN: dict[tuple[str, str], Range | None] = {
    ("above-threshold", "threshold"): FINITE,
    ("binary", "literal"): None,
    ("frequency-switching", "largest"): Range("a number above 1", (1, inf, *NUMBER), (1.5, 1e9)),
    **{(kind, "alpha"): SHARE for kind in kinds_for("protocol", ContentGame.bases["protocol"])},
    ("heavy-hitters", "alpha"): SHARE._replace(edges=(1e-9, 0.1)),
    ("heavy-hitters", "phi"): SHARE._replace(edges=(0.6, 1 - 1e-9)),
}  # fmt: skip
"""By the name of a kind of the core and of its parameter, where that of the parameter is not meant."""


def check_ranges(kind: Kind, given: dict[str, Any], own: Mapping[tuple[str, str], Range | None]) -> None:
    """Assert that a registered class refuses what is out of the range of each of its parameters."""
    make = kind.load()
    make(**given)
    for name, default in parameters(make).items():
        accepted = own[kind.name, name] if (kind.name, name) in own else RANGES[name]
        if accepted is not None:
            needed = default is not None or (name == "horizon" and getattr(make, "needs_horizon", False))
            check(make, given, name, accepted, *(None,) * needed)
