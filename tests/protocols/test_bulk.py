"""Bulk plays the game of leap: the same transcript where nothing is random, the same distributions otherwise.

The random protocols are compared by two-sample Kolmogorov-Smirnov tests on seven measures of 500 games a side, with
other seeds on either side. A pair of protocol and adversary is refused if any p-value is below 1e-6 / 7, so each
pair gives a false alarm with probability at most 1e-6, all 25 together at most 3e-5. Games begin with item 0
but for a few with a known start (`test_bulk_openings.py` compares their first part step by step). Chunks are made so
small that each game goes through several, with every border between them exercised.

Power: two distributions at a Kolmogorov distance of D are told apart almost surely once D exceeds about 0.19 (the
limit at n = m = 500 and p = 1.4e-7 is 0.181). The last tests name three wrong engines, each of which is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_comparison import ALARM, GAMES, ITEMS, MEASURES, SITES, measured, surprises
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.adversaries import Adversary, Bursts, RoundRobin, SingleSite, Trace, Uniform, Zipf
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    Exact,
    Martingale,
    Protocol,
    Randomized,
    Robust,
)
from disttrack.protocols.rounds.bulk import BulkRounds
from disttrack.simulator import play
from disttrack.simulator.conformance.failure import same_game

KINDS = ("round-robin", "single-site", "bursts", "uniform", "zipf", "trace")
PAIRS: list[tuple[Protocol, int, str]] = [
    (protocol, 0, kind)
    for protocol, kinds in (
        (Randomized(alpha=0.2), ("round-robin", "bursts", "trace")),
        (Block(alpha=0.05), ("single-site", "bursts", "uniform")),
        (Robust(alpha=0.9, delta=0.5), ("single-site", "bursts", "zipf")),
        (Robust(alpha=0.9, delta=0.5, parameters="tight"), ("round-robin", "bursts", "trace")),
        (Martingale(alpha=0.3, parameters="simple", strength=1.5), ("single-site", "bursts", "zipf")),
        (Martingale(alpha=0.4, delta=0.9), ("round-robin", "bursts", "uniform")),
    )
    for kind in kinds
] + [
    (Block(alpha=0.05), 300, "trace"),  # rounds of 150 signals, so that chunks end within them
    (Robust(alpha=0.9, delta=0.5), 250, "round-robin"),
    (Robust(alpha=0.9, delta=0.5, parameters="tight"), 100, "uniform"),
    (Randomized(alpha=0.4, copies=3), 0, "uniform"),
    (Randomized(alpha=0.3), 100, "zipf"),
    (Martingale(alpha=0.5), 100, "bursts"),
    (Martingale(alpha=0.2, delta=0.99), 60, "zipf"),
]
"""Each random count protocol, the items known at the start, and the adversary: one of each form of schedule (whose
counts are a formula, runs, labels), and each adversary with three protocols or more."""


def test_every_adversary_is_there(tmp_path: Path) -> None:
    assert set(KINDS) == set(adversaries(tmp_path))
    for kind in KINDS:
        assert sum(kind == one for *_, one in PAIRS) >= 3, kind


def adversaries(folder: Path) -> dict[str, Adversary]:
    """Return every adversary that does not react, by kind; the trace is a file made here."""
    file = folder / "trace.csv"
    if not file.exists():
        sites = np.random.default_rng(8).integers(SITES, size=ITEMS)
        file.write_text("site\n" + "\n".join(map(str, sites)) + "\n", encoding="utf-8")
    return {
        "round-robin": RoundRobin(),
        "single-site": SingleSite(),
        "bursts": Bursts(mean=20),
        "uniform": Uniform(),
        "zipf": Zipf(),
        "trace": Trace(file=str(file), site="site"),
    }


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of some dozen messages, 10 bursts and 100 labels, where real games have a million."""
    for place in (
        "disttrack.protocols.deterministic",
        "disttrack.protocols.rounds.bulk",
        "disttrack.protocols.sampling.bulk",
    ):
        monkeypatch.setattr(f"{place}.CHUNK", 8)
    monkeypatch.setattr("disttrack.adversaries.oblivious.CHUNK", 100)
    monkeypatch.setattr("disttrack.adversaries.oblivious.RUNS", 10)


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "start", "kind"), PAIRS, ids=str)
@pytest.mark.false_alarm(1e-6)
def test_the_same_distributions(protocol: Protocol, start: int, kind: str, tmp_path: Path, small_chunks: None) -> None:
    adversary = adversaries(tmp_path)[kind]
    leap = measured(protocol, adversary, "leap", range(GAMES), start)
    bulk = measured(protocol, adversary, "bulk", range(GAMES, 2 * GAMES), start)
    found = surprises(leap, bulk)
    assert min(found.values()) > ALARM / len(MEASURES), found
    # a comparison of constants would show nothing: something of each game is random
    assert any(len(set(values)) > 5 for values in leap.values())


# ---------------------------------------------------------------------- power


@pytest.mark.slow
def test_thresholds_redrawn_at_a_border_are_found_out(monkeypatch: pytest.MonkeyPatch, small_chunks: None) -> None:
    """Wrong engine: what is due next is drawn anew in each segment, so thresholds already passed come again."""
    signal = BulkRounds._signal

    def forgetful(self: Any, *arguments: Any) -> Any:
        self._due = None
        return signal(self, *arguments)

    protocol = Block(alpha=0.05)
    leap = measured(protocol, Uniform(), "leap", range(GAMES), 300)
    monkeypatch.setattr(BulkRounds, "_signal", forgetful)
    bulk = measured(protocol, Uniform(), "bulk", range(GAMES, 2 * GAMES), 300)
    assert min(surprises(leap, bulk).values()) < ALARM / len(MEASURES)


@pytest.mark.slow
def test_reports_kept_at_a_halving_are_found_out(monkeypatch: pytest.MonkeyPatch, small_chunks: None) -> None:
    """Wrong engine: when p is lowered the sites' last reports are not redrawn."""
    protocol = Randomized(alpha=0.2)
    leap = measured(protocol, RoundRobin(), "leap", range(GAMES))
    monkeypatch.setattr("disttrack.protocols.sampling.bulk.redrawn", lambda last, before, inverse, coins: last)
    bulk = measured(protocol, RoundRobin(), "bulk", range(GAMES, 2 * GAMES))
    assert min(surprises(leap, bulk).values()) < ALARM / len(MEASURES)


@pytest.mark.slow
def test_a_coin_a_tenth_off_is_found_out(small_chunks: None) -> None:
    """Wrong engine: signals fall with a probability a tenth too high."""
    leap = measured(Martingale(alpha=0.3, parameters="simple", strength=1.5), RoundRobin(), "leap", range(GAMES))
    bulk = measured(
        Martingale(alpha=0.3, parameters="simple", strength=1.65), RoundRobin(), "bulk", range(GAMES, 2 * GAMES)
    )
    assert min(surprises(leap, bulk).values()) < ALARM / len(MEASURES)


# ---------------------------------------------------------------------- nothing random


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    protocol=st.one_of(
        st.builds(
            Deterministic,
            alpha=st.sampled_from([0.01, 0.05, 0.1, 0.35, 0.5, 0.0552427]),
            centred=st.booleans(),
        ),
        st.builds(DeterministicRounds, alpha=st.sampled_from([0.05, 0.1, 0.35, 0.5])),
        st.just(Exact()),
    ),
    kind=st.sampled_from(KINDS),
    sites=st.integers(1, 9),
    items=st.integers(1, 900),
    start=st.one_of(st.just(0), st.integers(1, 3000), st.integers(10**12, 10**12 + 50)),
    seed=st.integers(0, 10**6),
    chunk=st.sampled_from([1, 7, 50, 2**20]),
)
def test_the_same_transcript(
    tmp_path_factory: pytest.TempPathFactory,
    protocol: Protocol,
    kind: str,
    sites: int,
    items: int,
    start: int,
    seed: int,
    chunk: int,
) -> None:
    adversary = adversaries(tmp_path_factory.getbasetemp())[kind]
    if kind == "trace":
        sites = SITES
    with pytest.MonkeyPatch.context() as patch:
        for place in ("disttrack.protocols.deterministic", "disttrack.protocols.rounds.bulk"):
            patch.setattr(f"{place}.CHUNK", chunk)
        patch.setattr("disttrack.adversaries.oblivious.CHUNK", max(13, chunk))
        games = [
            play(protocol, adversary, sites=sites, items=items, start=start, seed=seed, engine=engine, record=True)
            for engine in ("leap", "bulk")
        ]
    assert games[1].engine == "bulk"
    assert same_game(*games)


@pytest.mark.parametrize("protocol", [Deterministic(alpha=0.05), DeterministicRounds(alpha=0.05)], ids=repr)
def test_the_same_transcript_over_a_trillion_items(protocol: Protocol) -> None:
    games = [
        play(protocol, RoundRobin(), sites=13, items=10**12, engine=engine, record=True) for engine in ("leap", "bulk")
    ]
    assert same_game(*games)
