"""Bulk plays the game of leap against adversaries that react, too: from one change of the output to the next.

Where nothing is random the transcripts are the same, whatever form plans have. The random protocols are compared as in
`test_bulk.py`: by Kolmogorov-Smirnov tests on seven measures of 500 games a side, from item 0 and after a
known start. A pair is refused if any p-value is below 1e-6 / 7: at most 2e-5 for the 15 of them. Distributions at a
Kolmogorov distance above about 0.19 are told apart almost surely; the last tests name wrong engines that are.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine_comparison import ALARM, GAMES, MEASURES, measured, surprises
from hypothesis import given, settings
from hypothesis import strategies as st
from reactions import REACTIONS, Mixing, Rushing, Turning

from disttrack.adversaries import (
    Adversary,
    Bisect,
    Burst,
    Coin,
    Drain,
    Eavesdrop,
    Freeze,
    Phase,
    Policy,
    Posterior,
    Rest,
    Trial,
    View,
)
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Block, Deterministic, DeterministicRounds, Martingale, Protocol, Robust
from disttrack.protocols.rounds.reacting import ReactingRounds
from disttrack.simulator import play
from disttrack.simulator.conformance.failure import same_game
from disttrack.simulator.errors import ScenarioError

SHIPPED = (Freeze, Drain, Coin, Bisect, Phase, Policy, Posterior, Trial)
FACTS = (
    "items", "verdict", "max_rel_error", "highest", "lowest", "first_failure", "failing_fraction", "output_changes",
    "rounds", "messages", "words", "bits", "broadcasts", "messages_of_site", "_timeline",
)  # fmt: skip
"""What is the same whether a game is recorded or not."""


@settings(max_examples=80, deadline=None)
@given(
    alpha=st.sampled_from([0.05, 0.1, 0.35, 0.9]),
    kind=st.sampled_from(SHIPPED + REACTIONS),
    sites=st.integers(1, 9),
    items=st.one_of(st.integers(1, 3), st.integers(4, 900)),
    start=st.one_of(st.just(0), st.integers(1, 3000), st.integers(10**12, 10**12 + 50)),
    seed=st.integers(0, 10**6),
    chunk=st.sampled_from([1, 7, 2**20]),
)
def test_the_same_transcript(
    alpha: float, kind: type[Adversary], sites: int, items: int, start: int, seed: int, chunk: int
) -> None:
    protocol, size = DeterministicRounds(alpha=alpha), {"sites": sites, "items": items, "start": start, "seed": seed}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("disttrack.simulator.game.engines.bulk.CHUNK", chunk)
        for record in (True, False):
            leap, bulk = (
                play(protocol, kind(), **size, engine=engine, record=record)  # type: ignore[arg-type]
                for engine in ("leap", "bulk")
            )
            assert bulk.engine == "bulk"
            assert {fact: getattr(leap, fact) for fact in FACTS} == {fact: getattr(bulk, fact) for fact in FACTS}
            assert not record or same_game(leap, bulk)


@pytest.mark.parametrize("kind", [Freeze, Posterior, Turning], ids=lambda kind: kind.kind)
def test_the_same_transcript_over_a_trillion_items(kind: type[Adversary]) -> None:
    leap, bulk = (
        play(DeterministicRounds(alpha=0.3), kind(), sites=13, items=10**12, engine=engine, record=True)
        for engine in ("leap", "bulk")
    )
    assert same_game(leap, bulk)


PAIRS: list[tuple[Protocol, int, Adversary]] = [
    *((Robust(alpha=0.9, delta=0.5), 250, one) for one in (Freeze(), Phase(near=0.3), Turning(), Rushing())),
    *((Robust(alpha=0.9, delta=0.5, parameters="tight"), 0, one) for one in (Freeze(), Turning())),
    *((Robust(alpha=0.9, delta=0.5, parameters="tight"), 100, one) for one in (Trial(), Drain(), Mixing())),
    *((Martingale(alpha=0.5), 100, one) for one in (Freeze(), Mixing())),
    (Martingale(alpha=0.9, delta=0.5), 0, Freeze()),
    *((Block(alpha=0.05), 300, one) for one in (Freeze(), Bisect())),
    (Block(alpha=0.3), 100, Turning()),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "start", "adversary"), PAIRS, ids=lambda value: getattr(value, "kind", str(value))
)
@pytest.mark.false_alarm(1e-6)
def test_the_same_distributions(protocol: Protocol, start: int, adversary: Adversary) -> None:
    leap = measured(protocol, adversary, "leap", range(GAMES), start)
    bulk = measured(protocol, adversary, "bulk", range(GAMES, 2 * GAMES), start)
    found = surprises(leap, bulk)
    assert min(found.values()) > ALARM / len(MEASURES), found
    # a comparison of constants would show nothing: something of each game is random
    assert any(len(set(values)) > 5 for values in leap.values())


# ---------------------------------------------------------------------- power


def spoilt(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any, protocol: Protocol, adversary: Adversary) -> float:
    """Return the smallest p-value between leap and an engine whose form has another method of this name."""
    leap = measured(protocol, adversary, "leap", range(GAMES), 300)
    monkeypatch.setattr(ReactingRounds, name, wrong)
    bulk = measured(protocol, adversary, "bulk", range(GAMES, 2 * GAMES), 300)
    return min(surprises(leap, bulk).values())


@pytest.mark.slow
def test_a_threshold_dropped_at_a_change_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong engine: after a signal the threshold of the next block is dropped; the one after it comes next."""
    right = ReactingRounds._feed_one

    def careless(self: Any, stream: Any, rule: Any, site: int, now: int, until: int) -> Any:
        found = right(self, stream, rule, site, now, until)
        if found is not None and self._due is not None:  # not in a new round
            self._due[site] = rule.after(self._due[site])
        return found

    assert spoilt(monkeypatch, "_feed_one", careless, Block(alpha=0.05), Freeze()) < ALARM / len(MEASURES)


@pytest.mark.slow
def test_a_coin_not_tossed_after_a_change_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong engine: the item after a signal is never signalled."""
    right = ReactingRounds._toss

    def late(self: Any, stream: Any, rule: Any, now: int, until: int) -> Any:
        if self._due is None:
            self._due = now + 1 + rule.gap()
        return right(self, stream, rule, now, until)

    protocol = Martingale(alpha=0.3, parameters="simple", strength=13)  # a signal in every third or fourth item
    assert spoilt(monkeypatch, "_toss", late, protocol, Freeze()) < ALARM / len(MEASURES)


@pytest.mark.slow
def test_signals_counted_beyond_the_end_of_a_phase_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong engine: a phase takes a quarter more signals than it should while one site is fed."""
    protocol = Robust(alpha=0.9, delta=0.5)

    def generous(self: Any) -> int:
        return max(1, (self.server.limit - self.server.signals) * 5 // 4)

    assert spoilt(monkeypatch, "_wanted", generous, protocol, Freeze()) < ALARM / len(MEASURES)


# ---------------------------------------------------------------------- which engine


class Pausing(Adversary):
    """Freeze, with a pause after 50 items."""

    kind = "pausing"

    def plan(self, view: View) -> Schedule:
        return Rest(3) if 50 <= view.sent < 60 and view.steps == view.sent else Burst(view.changes % view.sites)


def test_auto_takes_bulk_where_few_messages_change_the_output() -> None:
    games = {
        protocol.kind: play(protocol, Freeze(), sites=3, items=500)
        for protocol in (Robust(alpha=0.5), Martingale(alpha=0.5), Block(alpha=0.5), DeterministicRounds(alpha=0.5))
    }
    assert {kind: game.engine for kind, game in games.items()} == {
        "robust": "bulk", "martingale": "bulk", "block": "leap", "deterministic-rounds": "leap",
    }  # fmt: skip
    assert "change of the output" in games["robust"].engine_reason
    assert "each message changes the output" in games["block"].engine_reason
    assert play(Block(alpha=0.5), Freeze(), sites=3, items=500, engine="bulk").engine == "bulk"


def test_what_bulk_cannot_play_is_played_by_leap() -> None:
    """Skipped steps, adversaries that look at the channels, and protocols whose form does not stop at changes."""
    game = play(Robust(alpha=0.5), Pausing(), sites=3, items=500)
    assert (game.engine, game.items) == ("leap", 500)
    assert "skips" in game.engine_reason
    with pytest.raises(ScenarioError, match="the adversary skips steps"):
        play(Robust(alpha=0.5), Pausing(), sites=3, items=500, engine="bulk")
    with pytest.raises(ScenarioError, match="the adversary reacts to the outputs"):
        play(Deterministic(alpha=0.5), Freeze(), sites=3, items=500, engine="bulk")
    game = play(Robust(alpha=0.5), Eavesdrop(), sites=3, items=500, sees="traffic")
    assert game.engine == "leap"
    assert "sees more than the outputs" in game.engine_reason


class Failing(Adversary):
    """Raises after so many items."""

    kind = "failing"

    def __init__(self, after: int) -> None:
        self.after = after

    def plan(self, view: View) -> Schedule:
        if view.sent >= self.after:
            raise ZeroDivisionError("so it goes")
        return Burst(view.changes % view.sites)


@pytest.mark.parametrize("after", [0, 1, 20, 800])
def test_an_error_of_the_adversary_ends_the_game_where_it_stands(after: int) -> None:
    leap, bulk = (
        play(DeterministicRounds(alpha=0.3), Failing(after), sites=5, items=2000, engine=engine, on_error="record")
        for engine in ("leap", "bulk")
    )
    assert "so it goes" in str(bulk.error)
    assert (bulk.verdict, bulk.messages, bulk.output_changes) == (leap.verdict, leap.messages, leap.output_changes)
    assert abs(bulk.items - leap.items) <= 1
