"""The task `frequent-items`: against a plain reference item by item, and the band in which items may be listed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, Final

import pytest
from plain_contents import as_plain

from disttrack.adversaries.contents import DrainItem, FreezeItem, HeavyItem, ZipfItems
from disttrack.protocols.contents import HeavyHitters
from disttrack.simulator.game.tasks.contents.task import HeavyHitterGame
from disttrack.simulator.game.tasks.duel import play_duel

TRACKERS: Final = (
    HeavyHitters(alpha=0.2, phi=0.3),
    HeavyHitters(alpha=0.2, phi=0.3, by="sample", strength=1.0),
    HeavyHitters(alpha=0.2, phi=0.3, by="randomized", strength=1.0),
)
ADVERSARIES: Final = (
    ZipfItems(domain=6),
    ZipfItems(domain=20, period=37),
    HeavyItem(domain=5, period=9, share=0.2),
    ZipfItems(domain=6, heaviest=50),
    FreezeItem(items=4),
    DrainItem(patience=0.3),
)


@pytest.mark.parametrize(
    ("tracker", "adversary"),
    list(zip(TRACKERS * 2, ADVERSARIES, strict=True)),
    ids=lambda one: str(getattr(one, "kind", one)),
)
def test_the_largest_error_and_the_words_are_those_of_a_plain_game(tracker: Any, adversary: Any) -> None:
    """Also that the promise is kept by the deterministic one; in the band, items come and go."""

    def error_of(server: Any, truth: Counter[int], total: int) -> Fraction:
        errors = [Fraction(0)]
        for item in {*truth, *server.estimates}:
            off = Fraction(tracker.phi) - Fraction(truth[item], total)
            listed = tracker.lists(server.estimates.get(item, 0), server.total)
            errors.append(off if listed else Fraction(tracker.alpha) - off)
        return max(errors)

    for k, items in ((1, 60), (5, 700)):
        _, record, _ = as_plain(HeavyHitterGame(), tracker, adversary, error_of, k, items)
        assert record.ok or tracker.by != "deterministic"


def test_it_states_what_its_tracker_of_frequencies_does() -> None:
    assert [one.guarantee for one in TRACKERS] == ["always", "adaptive", "oblivious"]
    assert [one.per_item for one in TRACKERS] == [True, False, False]
    with pytest.raises(ValueError, match=r"^phi must be a number above alpha, 0.2; got 0.1"):
        HeavyHitters(alpha=0.2, phi=0.1)
    with pytest.raises(ValueError, match=r"^by must be one of deterministic, sample, randomized; got 'luck'"):
        HeavyHitters(alpha=0.1, by="luck")  # type: ignore[arg-type]


def test_an_item_is_listed_from_phi_on_and_not_below_the_band() -> None:
    """Item 0 has half of the items; a list that forgets it, or holds the others, errs by more than alpha."""
    game = play_duel(HeavyHitters(alpha=0.1, phi=0.4), HeavyItem(domain=50, period=400), sites=8, items=10**6, seed=1)
    assert game.ok
    assert game.max_rel_error > 0.02  # items of the band were listed
