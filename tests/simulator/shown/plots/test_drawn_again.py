"""Shipped figures come out again byte for byte, with the version of matplotlib that drew them: one of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib
import pytest
from core_kinds import core_kinds
from drawn_again import asked, hold_drawn_again

FIGURES: Final = (
    *(("flights", 0), ("flights", 1), ("flights", 2), ("scale", 0), ("attack", 0), ("all", 0), ("faults", 0)),
    ("heavy-hitters", 0),
)
"""Scenarios, and the place of the figure among theirs: small tables, so that each takes a second at most."""


def test_there_is_one_of_each_kind() -> None:
    shipped = {kind.name for kind in core_kinds("plot").values()}
    assert {asked(*figure)["kind"] for figure in FIGURES} == shipped


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("name", "place"), FIGURES)
def test_a_shipped_figure_is_drawn_again(name: str, place: int, tmp_path: Path) -> None:
    """A user's own settings play no part, those that the house style says nothing of neither."""
    with matplotlib.rc_context({"font.size": 23, "lines.markeredgewidth": 7}):
        hold_drawn_again(name, place, tmp_path)
