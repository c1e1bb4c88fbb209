"""What the tests of this room share."""

from collections.abc import Iterator

import numpy as np
import pytest
from uncompiled import as_written

from disttrack.simulator.game.engines import compiled, contents_compiled
from disttrack.simulator.workshop.conformance import promises


@pytest.fixture
def one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a promise in one size beside the small ones; `test_promises_at_scale` and `test_registered` have them all."""
    size = promises.Size(64, 6400, 0, promises.HARD)
    monkeypatch.setattr(promises, "sizes_of", lambda protocol: [size])


@pytest.fixture(autouse=True)
def quick_ones_compile_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Play compiled forms as they are written, which takes seconds less; slow tests compile them."""
    if request.node.get_closest_marker("slow") is None:
        for module in (compiled, contents_compiled):
            monkeypatch.setattr(module, "compiled", as_written)
    with np.errstate(over="ignore"):  # products are meant to overflow
        yield
