"""The exact value of tiny games: by hand, by enumeration of all streams, attained by the engine, beaten by nobody."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import binom

from disttrack.adversaries import Freeze
from disttrack.attack.search.exact_game import ExactGame, History
from disttrack.protocols import Block, Martingale, Protocol, Randomized, Robust
from disttrack.simulator import play

COINS = Randomized(alpha=0.5, confidence=0.5)
SIZE = {"sites": 2, "items": 8}
GAMES = 400
FALSE_ALARM = 1e-6
SEED = 40_000


def frozen(history: History) -> int:
    """Feed a site until the output changes: what `Freeze` does with two sites."""
    site, before = 0, 0.0
    for fed, output in history:
        site = fed if output == before else 1 - fed
        before = output
    return site


def test_a_game_by_hand() -> None:
    """With k = 2 and spread 1, p is 1 while the number known is below 3, and 1/2 from 4 on (4 / sqrt 2 is at least 2).

    Before the 4th item all items are reported. If one site has all of them, it doubles at the 1st, 2nd and 4th, and
    the last redraws its report.
    """
    for items in (1, 2, 3):
        game = ExactGame(COINS, sites=2, items=items)
        assert game.value() == 0
    # its report becomes 4, 3, 2, 1 or none with 1/2, 1/4, 1/8, 1/16, 1/16, and the output is larger by 1: 5, 4, 3, 2, 0
    one = ExactGame(COINS, sites=2, items=4)
    # within 2 of 4 are all but the last
    assert one.value(lambda history: 0) == Fraction(1, 16)
    assert one.value() >= one.value(lambda history: 0)


def test_no_strategy_of_all_is_better_and_one_is_as_good() -> None:
    """With three items after the coins begin, every choice after every output: the best of all, without recursion."""
    game = ExactGame(COINS, sites=2, items=6, measure="error")
    best = game.value()
    streams = [game.value(lambda history, stream=stream: stream[len(history)]) for stream in product((0, 1), repeat=6)]
    assert max(streams) <= best
    assert game.value(frozen) <= best
    assert min(streams) < best  # the comparison can fail


@pytest.mark.slow
@pytest.mark.false_alarm(2e-6)
def test_the_engine_attains_the_value_and_that_of_freeze() -> None:
    """Two binomial intervals, each missed with probability 1e-6; the values of the two differ by more than both.

    A strategy that is worse by 0.085, which is less than the difference of the two, is refuted with probability 0.95.
    """
    game = ExactGame(COINS, **SIZE)
    for adversary, value in ((game.best, game.value()), (Freeze(), game.value(frozen))):
        failed = failures(COINS, adversary, 4 * GAMES)
        low, high = binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], 4 * GAMES, float(value))
        assert low <= failed <= high
    assert game.value() - game.value(frozen) > Fraction(9, 100)


def failures(protocol: Protocol, adversary: object, games: int) -> int:
    return sum(not play(protocol, adversary, seed=SEED + seed, **SIZE).ok for seed in range(games))


@pytest.mark.false_alarm(2e-6)
@pytest.mark.parametrize(
    "protocol",
    [Block(alpha=0.5, confidence=0.25), Martingale(alpha=0.5, parameters="simple", strength=0.5)],
    ids=lambda one: one.kind,
)
def test_the_engine_attains_the_values_of_trackers_in_rounds(protocol: Protocol) -> None:
    """A binomial interval, missed with probability 1e-6; a value wrong by 0.15 is found with 0.95."""
    game = ExactGame(protocol, sites=2, items=10)
    failed = sum(not play(protocol, game.best, seed=SEED + seed, sites=2, items=10).ok for seed in range(GAMES))
    low, high = binom.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], GAMES, float(game.value()))
    assert 0.1 < game.value() < 0.9
    assert low <= failed <= high


def test_who_sees_the_state_does_at_least_as_well() -> None:
    value, bound = (ExactGame(COINS, **SIZE, sees=sees).value() for sees in ("outputs", "state"))
    assert value < bound < 1
    block = Block(alpha=0.5, confidence=0.25)  # its outputs show all signals
    assert ExactGame(block, **SIZE).value() == ExactGame(block, **SIZE, sees="state").value() > 0


@pytest.mark.parametrize(
    ("protocol", "says"),
    [(Randomized(alpha=0.5, copies=3), "copies must be 1"), (Robust(alpha=0.5), "robust: there is no exact model")],
)
def test_a_game_that_it_cannot_play_is_refused(protocol: Protocol, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ExactGame(protocol, **SIZE)


def test_who_sees_nothing_has_the_best_of_all_fixed_sequences() -> None:
    game = ExactGame(COINS, sites=2, items=6)
    streams = [game.value(lambda history, stream=stream: stream[len(history)]) for stream in product((0, 1), repeat=6)]
    assert ExactGame(COINS, sites=2, items=6, sees="nothing").value() == max(streams) > min(streams)
    blind, value = (ExactGame(COINS, sites=3, items=7, sees=sees).value() for sees in ("nothing", "outputs"))
    assert blind < value
    with pytest.raises(ValueError, match="measure must be failure"):
        ExactGame(COINS, **SIZE, measure="error", sees="nothing")
