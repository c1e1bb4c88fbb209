"""The views of the games of private data, sketches and learners are read only, as those of trackers are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from read_only_views import hold_read_only, views_of

from disttrack.adversaries.base import Facts
from disttrack.privacy.adversaries.analysts import AnalystView
from disttrack.privacy.adversaries.sketching.base import StreamView
from disttrack.privacy.adversaries.updates.base import Live, UpdateView
from disttrack.privacy.tasks.continual.count import MemoryView
from disttrack.privacy.tasks.prediction.task import LearnerView

RNG = np.random.default_rng(0)
SIZES: dict[str, Any] = {"sites": 2, "items": 9, "rng": RNG, "known": {"alpha": 0.1}}
VIEWS: list[Facts] = [
    UpdateView(live=Live(), exact=lambda: np.zeros(1), **SIZES),
    MemoryView(state=dict, **SIZES),
    LearnerView(algorithm=None, shows="nothing", **SIZES),
    StreamView(updates=9, rng=RNG, known={"alpha": 0.1}),
    AnalystView(queries=9, features=2, samples=5, rng=RNG, known={"alpha": 0.1}),
]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: type(view).__name__)
def test_a_view_of_data_is_read_only(view: Facts) -> None:
    hold_read_only(view)


def test_every_class_of_views_of_the_wing_is_tried() -> None:
    assert views_of("privacy") == {type(view) for view in VIEWS}
