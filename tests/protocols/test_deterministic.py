"""The deterministic tracker against figures worked out by hand or by the definition alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from disttrack.adversaries import SingleSite
from disttrack.protocols import Deterministic
from disttrack.protocols.base import FOREVER
from disttrack.protocols.deterministic import Thresholds
from disttrack.simulator import play

# Reports of one site after n items, by the definition in exact arithmetic (papers, section 2.1).


def test_the_first_reports_by_hand() -> None:
    """alpha = 1/2: thresholds 1, then floor(1.5 t) + 1, that is 1, 2, 4, 7, 11, 17, 26, 40: the outputs too."""
    game = play(Deterministic(alpha=0.5), SingleSite(), sites=1, items=40, record=True)
    assert game.outputs["step"].tolist() == [1, 2, 4, 7, 11, 17, 26, 40]
    assert game.outputs["output"].tolist() == [1, 2, 4, 7, 11, 17, 26, 40]
    # just before a report it lacks 1 of 3 items, 2 of 6, 3 of 10, 5 of 16, 8 of 25, 13 of 39
    assert game.lowest == pytest.approx(-1 / 3)


def test_the_first_centred_reports_by_hand() -> None:
    """alpha = 1/2: the next n with n/2 > 3m/2 is 3m + 1: 1, 4, 13, 40; the output is 3/2 of the last of them."""
    game = play(Deterministic(alpha=0.5, centred=True), SingleSite(), sites=1, items=50, record=True)
    assert game.outputs["step"].tolist() == [1, 4, 13, 40]
    assert [float(output) for output in game.outputs["output"]] == [1.5, 6, 19.5, 60]
    assert game.ok
    assert game.highest == 0.5
    assert game.lowest == -0.5  # at 39 items the output is 19.5


# ---------------------------------------------------------------------- thresholds


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("alpha", [0.9, 0.5, 0.0552427, 0.01, 1e-6, 1 / 3, 1 / 3000, 1 / 7e5, 1.2345678901234567e-05])
def test_thresholds_are_exact(alpha: float, centred: bool) -> None:
    """floor(m growth) + 1 in exact fractions, for counts of all sizes."""
    rule = Thresholds(alpha, centred)
    part, whole = Fraction(str(alpha)).as_integer_ratio()
    growth = Fraction(whole + part, whole - part if centred else whole)
    counts = [0, 1, 2, 3, 9, 10, 999, 10**6, 2**31, 2**53 + 1, 2**60 - 7, 2**61, FOREVER]
    exact = [int(count * growth) + 1 for count in counts]
    assert [rule.after(count) for count in counts] == exact
