"""Python calls take numbers of numpy's wherever they take Python's, and play the same games."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from disttrack import (
    Binary,
    Exact,
    Randomized,
    RoundRobin,
    SingleSite,
    check_adversary,
    check_counter,
    check_protocol,
    play,
    run,
)
from disttrack.simulator.game.network import Latency
from disttrack.simulator.game.reference import identity
from disttrack.simulator.kinds.point import differ
from disttrack.simulator.workshop.advice import Situation, advise

ALPHAS = (np.float64(0.125), np.float32(0.125))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_game_of_such_numbers_is_the_game_of_pythons(alpha: Any) -> None:
    given: dict[str, Any] = {"sites": np.int64(8), "items": np.int32(100), "seed": np.uint8(3), "start": np.float64(20)}
    game = play(Randomized(alpha=alpha), RoundRobin(), **given)
    plain = play(Randomized(alpha=0.125), RoundRobin(), **{name: int(value) for name, value in given.items()})
    same = {"seconds": None, "engine": None}
    assert {**game.row(), **same} == {**plain.row(), **same}
    assert {type(game.row()[name]) for name in ("sites", "items")} == {int}
    assert type(game.alpha) is float
    assert repr(Randomized(alpha=alpha)) == repr(Randomized(alpha=0.125))


@dataclass(frozen=True)
class Weighed(Exact):
    """A tracker whose parameter is an array."""

    kind = "weighed"
    weights: Any = None


@pytest.mark.parametrize(
    "weights", [np.arange(3), np.arange(2_000), np.zeros((2, 2)), [np.arange(2)], pd.Series([1, 2]), pd.NA, np.nan]
)
def test_a_parameter_that_is_an_array_is_played(weights: Any) -> None:
    game = play(Weighed(weights=weights), RoundRobin(), sites=2, items=20)
    assert game.ok
    assert game.parameters["protocol"]["weights"] is weights


def test_arrays_that_differ_in_one_entry_far_inside_are_two_parameters() -> None:
    one, other = np.arange(2_000), np.arange(2_000)
    other[1_000] = 0
    assert differ(one, other)
    assert identity(Weighed(weights=one)) != identity(Weighed(weights=other))


def test_other_calls(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disttrack.simulator.workshop.conformance.adversaries.LONG", ((3, 2_000),))
    for wrong in (np.int64(0), np.float64(8), np.bool_(True), np.array([8])):
        with pytest.raises(ValueError, match="sites must be a whole number"):
            play(Exact(), RoundRobin(), sites=wrong, items=10)  # type: ignore[arg-type]
    for network in (Latency(constant=np.int64(3)), {"latency": np.int64(3)}, {"latency": 3.0, "loss": np.float32(0)}):
        assert play(Exact(), SingleSite(site=np.int64(1)), sites=4, items=20, network=network).items == 20
    assert check_protocol(Exact(), sites=np.array([1, 2]), items=np.int64(50))
    assert check_adversary(RoundRobin(), sites=np.array([1, 2]), items=np.int64(50))
    assert check_counter(Binary, steps=np.array([2, 4]))
    assert advise(Situation(np.int64(4), np.int64(100), np.float64(0.1)), np.int64(1)).best.label


def test_scenarios(tmp_path: Path) -> None:
    sides = {"protocol": Randomized(alpha=ALPHAS[0]), "adversary": SingleSite(site=np.int64(1))}
    sizes = {"sites": np.int64(4), "items": np.array([10, 20]), "trials": np.int64(2), "seed": np.int64(3)}
    result = run({"name": "x", **sides, **sizes}, out=tmp_path / "run", workers=np.int64(1))
    assert result.trials["items"].tolist() == [10, 10, 20, 20]
