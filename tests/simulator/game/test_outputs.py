"""An output that is no finite number fails every step during which it stands, whichever engine plays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_protocol import Scripted

from disttrack.adversaries import Adversary, Burst, Choice, RoundRobin, Uniform, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Deterministic
from disttrack.protocols.base import Exactly
from disttrack.simulator import Game, play
from disttrack.simulator.game.network import Latency
from disttrack.simulator.game.outputs import distance, relative_error, scaled
from disttrack.simulator.kinds.registry import kinds

NONE_AT_ALL: list[Any] = [np.float32(nan), None, "seven", Exactly(1, 0)]
INFINITE: list[Any] = [-inf, np.float64(inf), 10**400]
FEW: list[Any] = [nan, -(10**400)]
"""One of each way to be no finite number, for the engines beside the plain one."""
ENGINES: list[dict[str, Any]] = [
    {"engine": "step"},
    {"engine": "leap"},
    {"engine": "leap", "record": True},
]


ODD_BY_ENGINE = [
    *((ENGINES[0], odd) for odd in (*NONE_AT_ALL, *INFINITE)),
    *((way, odd) for way in ENGINES[1:] for odd in FEW),
]


def always(odd: Any) -> Callable[[int], Any]:
    return lambda items: odd


def midway(odd: Any) -> Callable[[int], Any]:
    """Right, but for what it shows from the 40th item to the 59th: that many steps fail."""
    return lambda items: odd if 40 <= items < 60 else items


def facts(game: Game) -> tuple[Any, ...]:
    return game.verdict, game.max_rel_error, game.failing_fraction, game.first_failure, game.output_changes


@pytest.mark.parametrize(("way", "odd"), ODD_BY_ENGINE, ids=lambda one: repr(one)[:30])
def test_at_every_step(way: dict[str, Any], odd: Any) -> None:
    game = play(Scripted(always(odd)), RoundRobin(), sites=3, items=200, **way)
    assert facts(game) == ("failed", inf, 1.0, 1, 0)
    assert game.series["items"].iloc[-1] == 200
    assert not np.isfinite(game.series["rel_error"]).any()
    assert not np.isfinite(game.series["output"]).any()


@pytest.mark.parametrize(
    ("adversary", "way", "odd"),
    [
        *((Uniform(), way, odd) for way, odd in ODD_BY_ENGINE),
        *((Choice(lambda view: view.steps % 3), way, odd) for way, odd in ODD_BY_ENGINE),
    ],
    ids=lambda one: getattr(one, "kind", repr(one)[:30]),
)
def test_from_midway_and_back(adversary: Adversary, way: dict[str, Any], odd: Any) -> None:
    """Right up to 39, one change to what is no number, another one at each item from 60 on."""
    game = play(Scripted(midway(odd)), adversary, sites=3, items=100, **way)
    assert facts(game) == ("failed", inf, 0.2, 40, 39 + 1 + 41)
    rows = game.series.set_index("items")
    assert not np.isfinite(rows.loc[40:59, "rel_error"]).any()
    assert (rows.loc[:39, "rel_error"] == 0).all()
    assert (rows.loc[60:, "rel_error"] == 0).all()
    if way.get("record"):
        assert game.outputs["step"].tolist() == [*range(1, 41), *range(60, 101)]
    promised_nothing = play(Scripted(midway(odd), alpha=None), adversary, sites=3, items=100, **way)
    assert facts(promised_nothing) == ("undecided", inf, 0.0, None, 81)


@pytest.mark.parametrize("odd", [nan, None, -inf], ids=repr)
@pytest.mark.parametrize("engine", ["step", "leap"])
def test_with_skipped_steps_and_with_delays(engine: str, odd: Any) -> None:
    """Every second step is skipped, so 40 of 199 fail; a delay of 3 lets steps 43 to 62 fail."""
    rests = Choice(lambda view: None if view.steps % 2 else view.sent % 3)
    skipped = play(Scripted(midway(odd)), rests, sites=3, items=100, engine=engine)
    assert facts(skipped) == ("failed", inf, 40 / 199, 40, 81)
    late = play(Scripted(midway(odd), alpha=0.5), RoundRobin(), sites=3, items=100, engine=engine, network=Latency(3))
    assert facts(late) == ("failed", inf, 20 / 100, 43, 78)


@pytest.mark.parametrize("output", [always(nan), midway(inf), always(-inf)], ids=["nan", "inf", "-inf"])
def test_no_shipped_adversary_is_thrown_by_it(output: Callable[[int], Any]) -> None:
    """Whatever an adversary makes of the output, the game goes on and is judged."""
    adversaries = [
        kind.load()(**({"table": {}} if name == "table" else {}))
        for name, kind in kinds("adversary").items()
        if name != "trace" and kind.load().plays_in("count")
    ]
    assert len(adversaries) >= 14
    for adversary in adversaries:
        game = play(Scripted(output), adversary, sites=4, items=200, sees=adversary.sees)
        assert (game.verdict, game.max_rel_error) == ("failed", inf) or game.items < 40, adversary


class Asks(Adversary):
    """Notes the steps after which it is asked."""

    asked: list[int] = []  # noqa: RUF012 - the engine plays a copy of its own, which notes here too

    def plan(self, view: View) -> Schedule:
        self.asked.append(view.steps)
        return Burst(0)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_what_is_no_number_does_not_change_into_itself(engine: str) -> None:
    """Nobody learns of messages by being asked after each of them."""
    protocol = Scripted(lambda items: float("nan") if items else 0)
    for _ in range(2):  # before the first of them engines are compared
        Asks.asked.clear()
        game = play(protocol, Asks(), sites=1, items=50, engine=engine)
    assert Asks.asked == [0, 1]
    assert game.output_changes == 1


@pytest.mark.parametrize(
    ("unusual", "usual"),
    [
        (lambda items: np.int64(items), lambda items: items),
        (lambda items: np.float64(items) / 2, lambda items: items / 2),
        (lambda items: np.float32(items), lambda items: float(items)),
        (lambda items: Fraction(items, 2), lambda items: items / 2),
        (lambda items: Exactly(np.int64(3 * items), np.int64(2)), lambda items: 3 * items / 2),  # type: ignore[arg-type]
    ],
    ids=["int64", "float64", "float32", "fraction", "exactly"],
)
@pytest.mark.parametrize("way", ENGINES, ids=str)
def test_numbers_of_other_types_are_judged_as_numbers(way: dict[str, Any], unusual: Any, usual: Any) -> None:
    one, other = (play(Scripted(output), RoundRobin(), sites=2, items=300, **way) for output in (unusual, usual))
    assert facts(one) == facts(other)
    assert one.series.equals(other.series)


@pytest.mark.parametrize("items", [1, 3, 10**9, 2**61])
def test_a_relative_error_is_the_float_nearest_to_the_exact_one(items: int) -> None:
    for output in (0, items - 1, items / 3, 1e300, 5e-324, -2.5, Exactly(7, 3), 10**400, -(10**400)):
        exact_output = Fraction(*output) if isinstance(output, Exactly) else Fraction(output)
        error = (exact_output - items) / items
        expected = float(error) if abs(error) < 10**308 else inf if error > 0 else -inf
        assert relative_error(output, items) == expected


def test_distance() -> None:
    assert [distance(output, 5) for output in (7, 4.5, nan, None, inf, Exactly(11, 2))] == [2, 0.5, inf, inf, inf, 0.5]


@given(st.integers(0, 2**62), st.lists(st.integers(1, 2**61), min_size=2, max_size=2), st.integers(1, 61))
def test_products_with_a_fraction_are_the_nearest_floats(first: int, fraction: list[int], bits: int) -> None:
    """Also those of more than 53 bits, and of numbers that are no floats."""
    numerator, denominator = (number >> 61 - bits or 1 for number in fraction)
    outputs = [first >> shift for shift in range(0, 62, 3)]
    found = scaled(np.array(outputs), numerator, denominator)
    assert found.tolist() == [output * numerator / denominator for output in outputs]


def test_outputs_times_a_fraction_of_many_digits_by_compiled_functions() -> None:
    """Products of 69 bits: the errors and the timeline of a large centred game are those of leap."""
    pytest.importorskip("numba")
    tracker, sizes = Deterministic(alpha=0.00276214, centred=True), {"sites": 3, "items": 10**13}
    games = [play(tracker, RoundRobin(), engine=engine, **sizes) for engine in ("compiled", "leap")]  # type: ignore[arg-type]
    assert games[0].facts | {"engine": "", "seconds": 0.0} == games[1].facts | {"engine": "", "seconds": 0.0}
    assert games[0].series.equals(games[1].series)
