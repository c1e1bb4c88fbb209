"""The task `generalisation`: bits and expected bits against a plain count, and the bounds by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from disttrack.adversaries import Drain, Freeze, RoundRobin, Uniform
from disttrack.protocols import Block, Robust
from disttrack.simulator import play
from disttrack.simulator.game.tasks.generalisation import (
    Round,
    chance,
    half_a_bit,
    measured,
    proven_gain,
    rounds_of,
    tail,
)

SETTING = {"sites": 16, "items": 6_000, "start": 3_000, "seed": 5, "record": True}
PAPER = Robust(alpha=0.2)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("protocol", "adversary"),
    [(PAPER, Uniform()), (PAPER, Freeze()), (Block(alpha=0.2), Drain())],
    ids=lambda one: str(getattr(one, "kind", one)),
)
def test_bits_and_expected_bits_are_those_of_a_plain_count(protocol, adversary) -> None:
    game = play(protocol, adversary, **SETTING)
    rounds = list(rounds_of(game, protocol))
    assert len(rounds) >= 2
    assert sum(each.complete for each in rounds) == len(rounds) - 1
    assert rounds[0].begun_with == game.start
    transcript = game.transcript
    bits = transcript[transcript["kind"] == "bit"]["step"].tolist()
    beyond = 0
    for each, following in zip(rounds, [*rounds[1:], None], strict=True):
        end = game.items if following is None else following.begun_with - game.start
        begin = each.begun_with - game.start
        sent = sum(begin < step <= end for step in bits)
        assert each.bits[-1] == sent
        assert each.expected[-1] == pytest.approx((end - begin) / each.size)
        assert (each.bits[1:] >= each.bits[:-1]).all()
        so_far = [sum(begin < step <= at for step in bits) - (at - begin) / each.size for at in range(begin, end + 1)]
        assert each.deviation == pytest.approx(max(map(abs, so_far)))
        at_changes = np.abs(each.bits - each.expected).max()
        assert each.deviation >= at_changes - 1e-9
        beyond += each.deviation > at_changes + 0.1
    assert beyond or protocol.kind == "block"  # whose output changes with each bit


def test_the_budget_of_a_tight_round_is_that_of_the_block_size_it_plays_with() -> None:
    """Told ahead from an estimate, the block size allows alpha N0 / size bits, not those that it was chosen for."""
    protocol = Robust(alpha=0.2, parameters="tight")
    game = play(protocol, Freeze(), **{**SETTING, "items": 20_000})
    rounds = list(rounds_of(game, protocol))
    allowed = [0.2 * each.begun_with / each.size for each in rounds]
    chosen = [protocol.constants(16, each.number).divisor for each in rounds]
    assert max(abs(one / other - 1) for one, other in zip(allowed, chosen, strict=True)) > 0.01
    expected = max(each.total_error / one for each, one in zip(rounds, allowed, strict=True))
    assert measured(game, protocol).over_budget == pytest.approx(expected)


def test_the_largest_errors_are_taken_when_an_estimate_comes_and_before_it_goes() -> None:
    one = Round(1, 100, 4, True, 0.0, np.array([10, 25]), np.array([11.5, 24.0]), np.array([12.0]), 1.5)
    assert one.counter_error == 2
    assert one.sample_error == 12  # 12 stood while 24 bits had come
    assert one.total_error == 12


@pytest.mark.parametrize("size", [2, 3, 5])
def test_moments_right_after_a_bit_are_those_of_all_thresholds(size: int) -> None:
    """Two sites: one has just sent its bit, after r items of its block; the other has had e items of one with r'."""
    places = range(1, size + 1)
    gains = [1 - r / size for r in places]
    assert half_a_bit(size) == pytest.approx(np.mean(gains))
    others = [(e >= r) - e / size for e, r in product(range(size), places)]
    squares = [(gain + other) ** 2 for gain, other in product(gains, others)]
    assert chance(2, size) == pytest.approx(np.mean(squares))


def test_gains_are_taken_at_the_ends_of_complete_rounds() -> None:
    game = play(PAPER, Freeze(), **SETTING)
    found = measured(game, PAPER)
    ends = [(each, PAPER.constants(16, each.number)) for each in rounds_of(game, PAPER) if each.complete]
    surplus = [each.bits[-1] - (each.expected[-1]) for each, _ in ends]
    over = [gain / proven_gain(16, of.epsilon, of.phases) for gain, (_, of) in zip(surplus, ends, strict=True)]
    assert found.over_proven == pytest.approx(np.mean(over))
    average = [np.mean((each.bits - each.expected)[: of.phases - 1]) for each, of in ends]
    allowed = [proven_gain(16, of.epsilon, of.phases / 2) for _, of in ends]
    assert found.average_gain == pytest.approx(np.mean(np.divide(average, allowed)))
    rarely = [each.differences[1] / (most + tail(16)) for (each, _), most in zip(ends, allowed, strict=True)]
    assert found.rare_average == pytest.approx(max(rarely))
    shares = [
        gain / (of.phases * (each.size - 1) / (2 * each.size)) for gain, (each, of) in zip(surplus, ends, strict=True)
    ]
    assert found.gain == pytest.approx(np.mean(shares))


def test_errors_of_answers_are_compared_with_those_to_the_sample() -> None:
    """Estimates 12, 20 of 10, 25 bits sent and 11, 24 expected; by Hoeffding 16 bits differ by tail(16) rarely."""
    one = Round(1, 100, 4, True, 0.0, np.array([10, 25, 30]), np.array([11.0, 24.0, 30.0]), np.array([12.0, 20]), 1.5)
    assert one.differences == (1.0, 0.0)  # 4 instead of 5 at most; on average 1.5 below both
    assert 2 * np.exp(-2 * tail(16) ** 2 / 16) == pytest.approx(0.05)


def test_rounds_without_a_new_estimate_compare_nothing() -> None:
    """One site alone has one phase, which ends in the poll."""
    found = measured(play(PAPER, RoundRobin(), **{**SETTING, "sites": 1}), PAPER)
    assert found.over_proven is not None
    assert found.difference is found.rare_average is None


def test_squares_are_taken_once_the_sites_are_mixed() -> None:
    one = Round(1, 100, 4, True, 0.0, np.array([10, 25, 30]), np.array([11.5, 24.0, 28.0]), np.array([12.0]), 1.5)
    assert one.mixed_squares(25).tolist() == [1, 4]
    assert one.gained == 2
