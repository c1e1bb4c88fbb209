"""Bulk against leap without chance: thresholds in blocks are a function of the block, so that transcripts are the same.

Nothing else of a block protocol is drawn by the sites; the noise of the server is drawn by the server that both share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reactions import Mixing, Rushing, Turning

from disttrack.adversaries import Drain, Freeze, Phase, RoundRobin, SingleSite, Uniform
from disttrack.protocols import Block, Deterministic, Exact, Martingale, Protocol, Robust
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.rules import BlockRule
from disttrack.simulator import play
from disttrack.simulator.conformance.failure import same_game

FACTS = (
    "items", "verdict", "max_rel_error", "highest", "lowest", "first_failure", "failing_fraction", "output_changes",
    "rounds", "messages", "words", "bits", "broadcasts", "messages_of_site", "_timeline",
)  # fmt: skip


def offset(rule: BlockRule, block: Any) -> Any:
    """Return where in a block a site signals: anywhere, but always there."""
    return 1 + (block * 7919 + 13) % rule.size


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks have thresholds that are known."""

    def place(rule: BlockRule, block: Any, shape: int | None = None) -> Any:
        assert shape == (len(block) if isinstance(block, np.ndarray) else None)  # a coin for each
        return rule.items(block - 1) + offset(rule, block)

    def after(rule: BlockRule, due: Any, shape: int | None = None) -> Any:
        return place(rule, rule.block(due) + 1, shape)

    monkeypatch.setattr(BlockRule, "place", place)
    monkeypatch.setattr(BlockRule, "after", after)


def alike(protocol: Protocol, adversary: Any, records: tuple[bool, ...] = (True, False), **size: Any) -> None:
    for record in records:
        leap, bulk = (play(protocol, adversary(), **size, engine=engine, record=record) for engine in ("leap", "bulk"))
        assert {fact: getattr(leap, fact) for fact in FACTS} == {fact: getattr(bulk, fact) for fact in FACTS}
        assert not record or same_game(leap, bulk)


FEW = {"c": 0.05, "blocks": 0.2}
PROTOCOLS = [
    Block(alpha=0.3),
    Block(alpha=0.05, confidence=0.5),
    Robust(alpha=0.9, delta=0.5),
    Robust(alpha=0.9, delta=0.5, parameters=FEW),
    Robust(alpha=0.9, delta=0.5, parameters="tight"),
    Robust(alpha=0.5, delta=0.5, parameters={"c": 0.02, "phase_length": 20.0, "blocks": 9.0}),
]


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("start", [0, 37, 5000])
@pytest.mark.parametrize("adversary", [RoundRobin, SingleSite, Uniform], ids=lambda one: one.__name__)
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_streams_that_do_not_react(protocol: Protocol, adversary: Any, start: int) -> None:
    alike(protocol, adversary, sites=5, items=1500, start=start, seed=3)


@pytest.mark.quick_cases(27)
@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("start", [0, 400, 100_000])
@pytest.mark.parametrize("adversary", [Freeze, Phase, Turning, Rushing, Mixing, Drain])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_streams_that_react(protocol: Protocol, adversary: Any, start: int) -> None:
    alike(protocol, adversary, sites=4, items=700, start=start, seed=5)


@pytest.mark.parametrize("protocol", [Martingale(alpha=0.5), Martingale(alpha=0.9, parameters="simple")], ids=repr)
@pytest.mark.parametrize("start", [0, 30, 2000])
def test_coins_of_one_site_that_fall_in_turn(protocol: Martingale, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one site and gaps of one length the order of the tosses tells no difference."""

    def gap(coins: Coins, scale: float, shape: int | None = None) -> Any:
        each = int(0.7 * scale) + 1
        return each if shape is None else np.full(shape, each)

    monkeypatch.setattr(Coins, "gap", gap)
    # an output that is no whole number is recorded in one more way
    records = (True, False) if protocol.parameters == "tight" else (False,)
    for adversary in (Freeze, Turning, Mixing):
        alike(protocol, adversary, records, sites=1, items=2500, start=start, seed=1)


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("start", [0, 7, 4000])
def test_the_deterministic_tracker(alpha: float, centred: bool, start: int) -> None:
    for adversary in (RoundRobin, SingleSite, Uniform):
        alike(Deterministic(alpha, centred), adversary, sites=6, items=3000, start=start, seed=2)
    alike(Exact(), Uniform, sites=6, items=300, start=start, seed=2)
