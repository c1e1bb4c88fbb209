"""The names of sites above a drawing: as many as fit beside each other."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from disttrack import Deterministic, Uniform, play
from disttrack.simulator.shown.replay.drawing import drawing
from disttrack.simulator.shown.replay.record import record_of

LETTER = 4.9
"""Width of a digit of 8 points."""


@pytest.mark.slow
@pytest.mark.parametrize("sites", [40, 160, 5000])
def test_names_of_sites_do_not_overlap(sites: int) -> None:
    game = play(Deterministic(alpha=0.1), Uniform(), sites=sites, items=60, record=True)
    texts = re.findall(r'<text[^>]*? x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', drawing([record_of(game)]))
    (height,) = {y for _, y, text in texts if text == "server"}
    row = sorted((float(x), len(text)) for x, y, text in texts if y == height)
    assert len(row) >= 6
    assert min(b - a - (one + two) / 2 * LETTER for (a, one), (b, two) in pairwise(row)) > 0
