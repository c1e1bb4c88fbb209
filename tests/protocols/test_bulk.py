"""Bulk plays the game of leap: the same game where the order of tosses plays no part.

Thresholds in blocks are made a function of the block, and coins of a single site fall in turn, so that the games are
equal in every message. Coins of several sites are tossed in another order: `check_protocol` compares the distributions
of many games with each engine, and is tested with wrong bulk forms (tests/conformance).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.adversaries import Adversary, Burst, Bursts, Freeze, Rest, RoundRobin, SingleSite, Uniform, View, Zipf
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    Exact,
    Martingale,
    Protocol,
    Robust,
)
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.rules import BlockRule
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.workshop.conformance.failure import same_game

OBLIVIOUS: tuple[type[Adversary], ...] = (RoundRobin, SingleSite, Uniform, Bursts, Zipf)
CHUNKS = {
    "disttrack.protocols.deterministic.CHUNK": 8,
    "disttrack.protocols.rounds.bulk.CHUNK": 8,
    "disttrack.protocols.sampling.bulk.CHUNK": 8,
    "disttrack.adversaries.oblivious.CHUNK": 100,
    "disttrack.adversaries.oblivious.RUNS": 10,
}
"""Sizes of segments and plans, so small that a short game goes through several."""
FACTS = (
    "items", "verdict", "max_rel_error", "highest", "lowest", "first_failure", "failing_fraction", "output_changes",
    "rounds", "messages", "words", "bits", "broadcasts", "messages_of_site",
)  # fmt: skip
"""What is the same whether a game is recorded or not, beside its series."""


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, size in CHUNKS.items():
        monkeypatch.setattr(place, size)


@pytest.fixture
def known_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks have thresholds that are a function of the block: anywhere in it, but always there."""

    def place(rule: BlockRule, block: Any, shape: int | None = None) -> Any:
        assert shape == (len(block) if isinstance(block, np.ndarray) else None)  # a coin for each
        return rule.items(block - 1) + 1 + (block * 7919 + 13) % rule.size

    def after(rule: BlockRule, due: Any, shape: int | None = None) -> Any:
        return place(rule, rule.block(due) + 1, shape)

    monkeypatch.setattr(BlockRule, "place", place)
    monkeypatch.setattr(BlockRule, "after", after)


def alike(protocol: Protocol, adversary: Any, records: tuple[bool, ...] = (True, False), **size: Any) -> None:
    for record in records:
        leap, bulk = (play(protocol, adversary(), **size, engine=engine, record=record) for engine in ("leap", "bulk"))
        assert bulk.engine == "bulk"
        assert {fact: getattr(leap, fact) for fact in FACTS} == {fact: getattr(bulk, fact) for fact in FACTS}
        assert leap.series.equals(bulk.series)
        assert not record or same_game(leap, bulk)


# ---------------------------------------------------------------------- the same game

BLOCKS = [
    Block(alpha=0.3),
    Block(alpha=0.05, confidence=0.5),
    Robust(alpha=0.9, delta=0.5),
    Robust(alpha=0.9, delta=0.5, parameters={"c": 0.05, "blocks": 0.2}),
    Robust(alpha=0.9, delta=0.5, parameters="tight"),
    Robust(alpha=0.5, delta=0.5, parameters={"c": 0.02, "phase_length": 20.0, "blocks": 9.0}),
]


@pytest.mark.quick_cases(12)
@pytest.mark.usefixtures("known_thresholds", "small_chunks")
@pytest.mark.parametrize("start", [0, 37, 5000])
@pytest.mark.parametrize("adversary", OBLIVIOUS[1:4], ids=lambda one: one.__name__)
@pytest.mark.parametrize("protocol", BLOCKS, ids=repr)
def test_thresholds_on_streams_that_do_not_react(protocol: Protocol, adversary: Any, start: int) -> None:
    alike(protocol, adversary, sites=5, items=1500, start=start, seed=3)


@pytest.mark.parametrize("protocol", [Martingale(alpha=0.5), Martingale(alpha=0.9, parameters="simple")], ids=repr)
@pytest.mark.parametrize("start", [0, 30, 2000])
def test_coins_of_one_site_that_fall_in_turn(protocol: Martingale, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one site and gaps of one length the order of the tosses makes no difference."""

    def gap(coins: Coins, scale: float, shape: int | None = None) -> Any:
        each = int(0.7 * scale) + 1
        return each if shape is None else np.full(shape, each)

    monkeypatch.setattr(Coins, "gap", gap)
    # an output that is no whole number is recorded in one more way
    records = (True, False) if protocol.parameters == "tight" else (False,)
    alike(protocol, RoundRobin, records, sites=1, items=2500, start=start, seed=1)


@settings(max_examples=40, deadline=None)
@given(
    protocol=st.one_of(
        st.builds(Deterministic, alpha=st.sampled_from([0.01, 0.05, 0.35, 0.0552427, 0.9]), centred=st.booleans()),
        st.builds(DeterministicRounds, alpha=st.sampled_from([0.05, 0.1, 0.35, 0.9])),
        st.just(Exact()),
    ),
    oblivious=st.sampled_from(OBLIVIOUS),
    sites=st.integers(1, 9),
    items=st.one_of(st.integers(1, 3), st.integers(4, 900)),
    start=st.one_of(st.just(0), st.integers(1, 3000), st.integers(10**12, 10**12 + 50), st.just(2**61 - 900)),
    seed=st.integers(0, 10**6),
    small=st.booleans(),
)
def test_nothing_random(
    protocol: Protocol, oblivious: Any, sites: int, items: int, start: int, seed: int, small: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for place, size in CHUNKS.items():
            patch.setattr(place, size if small else 2**20)
        alike(protocol, oblivious, sites=sites, items=items, start=start, seed=seed)


@pytest.mark.parametrize("protocol", [Deterministic(alpha=0.05), DeterministicRounds(alpha=0.05)])
def test_a_trillion_items(protocol: Protocol) -> None:
    alike(protocol, RoundRobin, (True,), sites=13, items=10**12)


# ---------------------------------------------------------------------- which engine


class Pausing(RoundRobin):
    """Round-robin, with a pause after 50 items."""

    kind = "pausing"
    oblivious = True

    def plan(self, view: View) -> Schedule:
        return Rest(3) if 50 <= view.sent < 60 and view.steps == view.sent else Burst(view.sent % view.sites, 1)


class Listening(Freeze):
    """Is shown the messages."""

    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "traffic"


def test_what_bulk_cannot_play_is_played_by_leap() -> None:
    """Skipped steps, and adversaries that react or look at the channels."""
    game = play(Robust(alpha=0.5), Pausing(), sites=3, items=500)
    assert (game.engine, game.items) == ("leap", 500)
    assert "skips" in game.engine_reason
    with pytest.raises(ScenarioError, match="the adversary skips steps"):
        play(Robust(alpha=0.5), Pausing(), sites=3, items=500, engine="bulk")
    for protocol, adversary, sees in ((Deterministic(0.5), Freeze(), "outputs"), (Robust(0.5), Listening(), "traffic")):
        with pytest.raises(ScenarioError, match="the adversary reacts to the outputs"):
            play(protocol, adversary, sites=3, items=500, engine="bulk", sees=sees)
