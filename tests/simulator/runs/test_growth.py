"""The growth of a game's time: measured where games were played, continued beyond, never below what they show."""

from __future__ import annotations

from math import inf

import pytest

from simulator.runs.growth import FAR, LEAST_SLOPE, POWERS, Growth, growth_of


def test_what_was_seen_is_told_as_it_was() -> None:
    seen = [(0.01, 0.05), (0.04, 0.08), (0.2, 0.3)]
    growth = growth_of(seen)
    assert [growth.seconds(told) for told, _ in seen] == pytest.approx([took for _, took in seen])
    assert 0.05 < growth.seconds(0.02) < 0.08


def test_games_shorter_than_all_that_were_seen_have_what_does_not_grow() -> None:
    """Two games that take the same: a shorter one takes that as well, not a part of it."""
    assert growth_of([(0.01, 0.05), (0.1, 0.05)]).seconds(0.001) == pytest.approx(0.05)
    assert growth_of([(0.01, 0.05), (0.1, 0.5)]).seconds(0.001) == pytest.approx(0.005)
    assert growth_of([(0.01, 0.05), (0.1, 5.0)]).seconds(0.001) == pytest.approx(0.005)  # no faster than what is told


def test_a_disturbed_short_game_takes_no_longer_than_a_longer_one() -> None:
    growth = growth_of([(0.01, 0.9), (0.1, 0.1), (0.2, 0.2)])
    assert growth.seconds(0.01) == pytest.approx(0.1)


@pytest.mark.parametrize("power", [0.75, 0.9, 1.0])
def test_a_power_is_continued_and_then_proportional(power: float) -> None:
    growth = growth_of([(told, told**power) for told in (0.01, 0.1, 1.0)])
    assert growth.seconds(100.0) == pytest.approx(100**power)
    assert growth.seconds(100 * FAR) == pytest.approx(100 * FAR**power)


def test_a_line_is_continued_where_most_of_the_time_does_not_grow() -> None:
    growth = growth_of([(told, 1 + 0.1 * told) for told in (0.01, 0.1, 1.0)])
    assert growth.seconds(11.0) == pytest.approx(2.1)
    assert 1.1 * 11 ** POWERS[0] > 2 * growth.seconds(11.0)  # what a power alone would say


def test_noise_is_no_growth() -> None:
    """Time that falls, or stands still, is taken to grow a little: what has not been seen yet may."""
    still = growth_of([(0.1, 0.2), (1.0, 0.2)])
    assert still.slope == LEAST_SLOPE * 0.2
    steep = growth_of([(0.1, 0.001), (1.0, 10.0)])
    assert steep.power == POWERS[1]


def test_nothing_is_saved_where_each_item_is_looked_at() -> None:
    growth = growth_of([(0.1, 0.2), (1.0, 1.0)], proportional=True)
    assert (growth.power, growth.slope) == (1.0, inf)
    assert growth.seconds(1e6) == pytest.approx(1e6)


def test_a_variant_grows_as_its_kind_does() -> None:
    kind = growth_of([(told, told**0.8) for told in (0.01, 0.1, 1.0)])
    own = Growth(((0.01, 0.5),), like=kind)
    assert own.seconds(1.0) == pytest.approx(0.5 * 100**0.8)
    assert kind.times(3).seconds(50.0) == pytest.approx(3 * kind.seconds(50.0))
