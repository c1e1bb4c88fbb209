"""Statements on the thresholds given the transcript, on rounds so small that everything is enumerated.

No sampling: a right statement cannot fail by chance, so the false-alarm rate is 0. The named wrong alternatives are the
controls of `small_rows.rows`: the same check of a round in which one thing is broken, which must fail.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
import pytest
from small_adversaries import at_random, played
from small_rows import PAGE, line, rows
from small_tracker import Array, Small

from disttrack.mechanisms import Laplace
from disttrack.protocols import Robust
from disttrack.protocols.rounds.constants import Constants
from disttrack.protocols.rounds.sites import BlockRule, RoundSite

Key = tuple[tuple[int, ...], tuple[int, ...]]
"""The releases after each step, and the interval that each showed."""

ONE = Small()
ROWS = {row.statement: row for row in rows()}
LINES = PAGE.read_text(encoding="utf-8").splitlines()


@pytest.mark.drawn(6)
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("statement", ROWS)
def test_a_statement_holds_and_its_check_fails_on_a_broken_round(statement: str) -> None:
    row = ROWS[statement]
    value, controls = row.measured(), {name: check() for name, check in row.controls.items()}
    assert 0 < value <= 1 + 1e-9
    if row.exactly is not None:
        assert value == pytest.approx(row.exactly, rel=1e-9)
    assert controls
    assert all(ratio > 1.05 for ratio in controls.values()), controls
    # after a change: python tests/statistical/small_rows.py
    assert line(row, value, controls) in LINES


def test_every_statement_asked_for_has_a_row() -> None:
    found = " ".join(ROWS)
    for name in ("Definition 3", "Theorem 5", *(f"Lemma {number}" for number in (2, 3, 4, 8, 9, 10, 11))):
        assert name in found
    assert len(ROWS) == 14
    table = LINES.index(next(text for text in LINES if text.startswith(f"| {next(iter(ROWS))} | ")))
    assert [text.split(" | ")[0] for text in LINES[table : table + len(ROWS)]] == [f"| {name}" for name in ROWS]


@pytest.mark.parametrize(
    "small", [Small(2, 2), Small(3, 1, releases=2), Small(2, 1, clock=2), Small().silent], ids=repr
)
def test_the_histories_of_a_game_have_probability_one(small: Small) -> None:
    for seed in range(5):
        assert played(small, at_random(seed)).law.sum(axis=0) == pytest.approx(1, abs=1e-12)


# ---------------------------------------------------------------------- the package plays the enumerated round


@dataclass(frozen=True)
class Given(Robust):
    """The package's tracker with the constants of a small round."""

    small: Small = ONE

    def constants(self, k: int, number: int) -> Constants:
        small = self.small
        return Constants(
            c=1.0, epsilon=1.0, divisor=1.0, blocks=None, phases=small.phases, phase_length=small.length,
            threshold_scale=small.threshold_scale, counter_epsilon=small.releases.bit_length() / small.node_scale,
            releases=small.releases, shift=0.0, most_bits=1e9, least_blocks=1.0,
        )  # fmt: skip


class Scripted:
    """A generator whose Laplace noise is given: the thresholds' and the counter's, told apart by their scales."""

    def __init__(self, small: Small, lengths: Sequence[float], nodes: Sequence[float]) -> None:
        self._given = {round(small.threshold_scale, 9): lengths, round(small.node_scale, 9): nodes}

    def laplace(self, loc: float, scale: float, size: int) -> Array:
        given = self._given[round(scale, 9)]
        return np.array([*given, *[0.0] * size])[:size]


class Placed(BlockRule):
    """Blocks of one site whose thresholds are given."""

    def __init__(self, size: int, row: Sequence[int]) -> None:
        super().__init__(size)
        self._row = [*row, size]

    def after(self, due: Any, shape: int | None = None) -> Any:
        passed = -(-due // self.size)
        return passed * self.size + self._row[min(passed, len(self._row) - 1)]


def reacting(small: Small, fed: Array, phase: Array, seen: Array) -> Array:
    """Return where an adversary goes whose moves hang on all that it sees: ends of phases, and the values shown."""
    room = fed < small.blocks * small.size
    heard = fed.sum(axis=1) + 2 * phase + (seen + 1) @ (1 + np.arange(small.releases))
    turns = (np.arange(small.sites) - heard[:, None]) % small.sites
    return np.where(room.any(axis=1), np.where(room, turns, small.sites).argmin(axis=1), -1)


def by_the_package(small: Small, database: Array, lengths: Sequence[float], nodes: Sequence[float]) -> Key | None:
    """Play a round with the package's own sites and server; return the releases after each step and what they showed.

    None if a phase was over at once, its noisy length not above 0: the package shows only the last value of a step.
    """
    begun = [2 * small.size // small.sites] * small.sites  # half of these, over a divisor of 1, is the size of a block
    server: Any = Given(alpha=0.5, small=small).server(small.sites, Scripted(small, lengths, nodes), begun)
    rows = database.reshape(small.sites, small.blocks).tolist()
    sites = [RoundSite(lambda *_, row=row: Placed(small.size, row), sum(begun)) for row in rows]
    fed, seen = np.zeros((1, small.sites), dtype=int), np.full((1, small.releases), -1)
    values, path = [0.0], [0]
    if server.phase > 1:
        return None
    for _ in range(small.entries * small.size):
        site = int(reacting(small, fed, np.array([server.phase - 1]), seen)[0])
        if site >= 0 and server.phase <= small.phases:
            fed[0, site] += 1
            before = server.phase
            for message in sites[site].take(1):
                server.hear(site, message)
            if server.phase > before + 1:
                return None
            if before < server.phase <= small.releases + 1:
                values.append((server.output - sum(begun)) / small.size)
                shown = values[before] - values[before & (before - 1)]
                seen[0, before - 1] = np.searchsorted(small.edges, shown)
        path.append(min(server.phase - 1, small.releases))
    return tuple(path), tuple(seen[0].tolist())


def noise_cells(cuts: Sequence[float], scale: float) -> list[tuple[float, float]]:
    """Return pairs (a noise, its probability), one for each interval between the cuts; the ends are open."""
    below = [Laplace(scale).tail(-cut) for cut in cuts]
    inside = [(a + b) / 2 for a, b in pairwise(cuts)]
    return list(zip([cuts[0] - 1, *inside, cuts[-1] + 1], np.diff([0.0, *below, 1.0]).tolist(), strict=True))


PLAYED = [Small(2, 1, releases=2), Small(1, 2, releases=2), Small(3, 1, phases=1)]


@pytest.mark.quick_cases(0)
@pytest.mark.parametrize("small", [replace(small, node_scale=1.3) for small in PLAYED], ids=repr)
def test_the_package_plays_the_enumerated_round(small: Small) -> None:
    """The same probability for each transcript, given each database; the noise is summed over where it matters."""
    lengths = noise_cells([bits - small.length for bits in range(small.entries + 1)], small.threshold_scale)
    sums = sorted({edge - total for edge in small.edges for total in range(small.entries + 1)})
    by_hand: dict[Key, Array] = defaultdict(lambda: np.zeros(len(small.databases)))
    for given in product(
        product(lengths, repeat=small.phases), product(noise_cells(sums, small.node_scale), repeat=small.releases)
    ):
        chance = prod(probability for part in given for _, probability in part)
        for number, database in enumerate(small.databases):
            key = by_the_package(small, database, *([noise for noise, _ in part] for part in given))
            if key is not None:
                by_hand[key][number] += chance
    enumerated: dict[Key, Array] = defaultdict(lambda: np.zeros(len(small.databases)))
    here = played(small, lambda here: reacting(small, here.fed, here.phase, here.seen))
    for path, seen, law in zip(here.released.tolist(), here.seen.tolist(), here.law, strict=True):
        if max(b - a for a, b in pairwise((0, *path))) < 2 and not path[0]:
            enumerated[tuple(path), tuple(seen)] += law
    assert len(by_hand) > 20
    assert by_hand.keys() == enumerated.keys()
    for key, law in by_hand.items():
        assert law == pytest.approx(enumerated[key], abs=1e-12), key
