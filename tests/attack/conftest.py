"""What the tests of this wing share."""

from collections.abc import Iterator

import numpy as np
import pytest
from uncompiled import as_written

from disttrack.attack.learners import compiled_games
from disttrack.simulator.game.engines import compiled


@pytest.fixture(autouse=True)
def quick_ones_compile_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Play compiled forms as they are written, which takes seconds less; slow tests compile them."""
    if request.node.get_closest_marker("slow") is None:
        for module in (compiled, compiled_games):
            monkeypatch.setattr(module, "compiled", as_written)
    with np.errstate(over="ignore"):  # products are meant to overflow
        yield
