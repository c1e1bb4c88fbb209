"""What the tests of this room share."""

import pytest

from disttrack.simulator.workshop.conformance import promises


@pytest.fixture
def one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a promise in one size beside the small ones; `test_promises_at_scale` and `test_registered` have them all."""
    size = promises.Size(64, 6400, 0, promises.HARD)
    monkeypatch.setattr(promises, "sizes_of", lambda protocol: [size])


@pytest.fixture(autouse=True)
def quick_ones_compile_nothing(request: pytest.FixtureRequest) -> None:
    """Play compiled forms as they are written, which takes seconds less; slow tests compile them."""
    if request.node.get_closest_marker("slow") is None:
        request.getfixturevalue("uncompiled")
