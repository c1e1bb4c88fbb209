"""Bulk and leap from item 0 on: the same game, step by step, for as long as nothing random has shown.

A protocol in rounds forwards every item until its first round is worth a poll. Up to that step, its opening output
included, a game is a function of the adversary's moves alone, so bulk must play it exactly, whatever the seed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from disttrack import protocols
from disttrack.adversaries import Adversary, RoundRobin, SingleSite, Uniform
from disttrack.adversaries.schedules import Rotation
from disttrack.protocols import Block, DeterministicRounds, Exact, Martingale, Protocol, Robust
from disttrack.protocols.bulk import BulkForm
from disttrack.simulator import Game, play
from disttrack.simulator.conformance.failure import same_game

FORWARDING: list[Protocol] = [
    Exact(),
    DeterministicRounds(alpha=0.1),
    Block(alpha=0.1),
    Martingale(alpha=0.1),
    Martingale(alpha=0.3, parameters="simple", strength=1.5),
    Robust(alpha=0.3, delta=0.5),
    Robust(alpha=0.3, parameters={"c": 0.5, "shift": 0.25}),
    Robust(alpha=0.3, parameters="tight"),
    Robust(alpha=0.1, parameters="tight", counter="k-ary"),
]
"""Protocols that begin by forwarding: of each class that does at least one, and of robust each set of constants."""

OPPONENTS: list[Adversary] = [RoundRobin(), SingleSite(), Uniform()]
SITES = (1, 2, 7)


def both(protocol: Protocol, opponent: Adversary, **options: Any) -> tuple[Game, Game]:
    """Return the same game as leap and as bulk play it."""
    leap, bulk = (play(protocol, opponent, engine=engine, record=True, **options) for engine in ("leap", "bulk"))
    assert (leap.engine, bulk.engine) == ("leap", "bulk")
    return leap, bulk


@cache
def opening(protocol: Protocol, k: int) -> int:
    """Return the step of the first announcement, 100 where there is none."""
    table = play(protocol, RoundRobin(), sites=k, items=20_000, engine="step", record=True).transcript
    begins = table.loc[table["kind"] == "round", "step"]
    return int(begins.iloc[0]) if len(begins) else 100


def until(table: pd.DataFrame, step: int) -> pd.DataFrame:
    return table[table["step"] <= step].reset_index(drop=True)


class InTurn:
    """The sites in turn, as a bulk form sees a stream."""

    def __init__(self, k: int) -> None:
        plan = Rotation(k)
        self.k, self.at, self.count, self.nth = k, plan.at, plan.count, plan.nth

    def counts(self, step: int) -> Any:
        return self.count(np.arange(self.k), step)


def test_that_no_class_which_begins_by_forwarding_is_missing() -> None:
    found = set()
    for name in protocols.__all__:
        cls = getattr(protocols, name)
        if not (isinstance(cls, type) and issubclass(cls, Protocol)) or cls is Protocol:
            continue
        protocol = cls() if cls is Exact else cls(alpha=0.2)  # type: ignore[call-arg]
        rngs = np.random.default_rng(0), np.random.default_rng(1)
        bulk_form = protocol.bulk_form(3, *rngs)
        if isinstance(bulk_form, BulkForm) and bulk_form.advance(InTurn(3), 0, 1).forwarded is not None:  # type: ignore[arg-type]
            found.add(cls)
    assert found == {type(protocol) for protocol in FORWARDING}
    assert len(found) >= 5


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("k", SITES)
@pytest.mark.parametrize("protocol", FORWARDING, ids=str)
def test_the_same_game_up_to_the_first_round(protocol: Protocol, k: int) -> None:
    """Games that end with the first item, before the opening and at it, from item 0 and with a known start."""
    first = opening(protocol, k)
    for opponent in OPPONENTS:
        for start in {0, 1, first // 2, first - 1}:
            for items in {1, first - start - 1, first - start} - {0}:
                assert same_game(*both(protocol, opponent, sites=k, items=items, start=start, seed=k))


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("k", SITES)
@pytest.mark.parametrize("protocol", FORWARDING, ids=str)
def test_the_opening_output_stands_in_a_longer_game(protocol: Protocol, k: int) -> None:
    """Messages and outputs up to the opening are those of leap, and what follows begins after it.

    The first item of the first round is played too: a round's first step, with nobody or somebody signalling.
    """
    first = opening(protocol, k)
    for opponent in OPPONENTS:
        for items in (first + 1, first + 200):
            leap, bulk = both(protocol, opponent, sites=k, items=items, seed=k)
            assert until(leap.transcript, first).equals(until(bulk.transcript, first))
            assert until(leap.outputs, first)["output"].tolist() == until(bulk.outputs, first)["output"].tolist()
            assert until(leap.outputs, first)["step"].tolist() == until(bulk.outputs, first)["step"].tolist()
            for game in (leap, bulk):
                assert_series_are_outputs(game)


@pytest.mark.parametrize(
    "protocol",
    [
        DeterministicRounds(alpha=0.1),
        Block(alpha=0.1),
        Martingale(alpha=0.3, parameters="simple", strength=1.5),
        Robust(alpha=0.3, parameters={"epsilon": 100}),
        Robust(alpha=0.3, parameters={"epsilon": 100, "shift": 0.25}),
        Robust(alpha=0.3, parameters="tight"),
    ],
    ids=str,
)
@pytest.mark.parametrize("engine", ["leap", "bulk"])
def test_each_round_opens_with_the_count_and_the_shift(protocol: Protocol, engine: str) -> None:
    """The last step of a round is the first at which the next one's opening stands: the exact count, raised by D s.

    The noise is all but off here (tight's too, at two sites), so that no first phase is over before it has begun: that
    has a probability of exp(-T / b) / 2, below 1e-60.
    """
    k, items = 2, 4 * opening(protocol, 2) + 200
    game = play(protocol, RoundRobin(), sites=k, items=items, seed=11, engine=engine, record=True)
    table = game.transcript
    begins = table.loc[table["kind"].isin(["round", "poll"]) & (table["receiver"] == 0), "step"].unique().tolist()
    bits = table.loc[table["kind"] == "bit", "step"].to_numpy()
    assert len(begins) >= 3
    outputs = game.outputs.set_index("step")["output"].map(float)
    told = begins[0]
    for number, (step, end) in enumerate(zip(begins, [*begins[1:], items], strict=True), start=1):
        raised = 0.0
        if isinstance(protocol, Robust):
            constants = protocol.constants(k, number)
            assert constants.phase_length > 150 * constants.threshold_scale
            size = int(protocol.alpha * (told if constants.ahead else step) / constants.divisor)
            raised = size * constants.fitted(protocol.alpha * step / size).shift
            told = step + size * int(((bits > step) & (bits <= end)).sum())
        assert outputs.loc[:step].iloc[-1] == pytest.approx(step + raised, rel=1e-12)
        assert raised > 0 or protocol.kind != "robust" or protocol.parameters == {"epsilon": 100}  # type: ignore[attr-defined]


def assert_series_are_outputs(game: Game) -> None:
    """The timeline's rows tell of the output that stood at their steps."""
    steps, outputs = game.outputs["step"].to_numpy(), game.outputs["output"].map(float).to_numpy()
    place = np.searchsorted(steps, game.series["step"].to_numpy(), side="right") - 1
    told = game.series["output"].to_numpy()
    assert (told == np.where(place < 0, 0.0, outputs[place])).all()
