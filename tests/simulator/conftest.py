"""Compiled functions, played as they are written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from uncompiled import as_written


@pytest.fixture
def uncompiled() -> Iterator[None]:
    """Play the functions of all compiled engines in Python; to compile them takes seconds."""
    from disttrack.simulator.game.engines import compiled, contents_compiled

    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):  # products are meant to overflow
        for module in (compiled, contents_compiled):
            patch.setattr(module, "compiled", as_written)
        yield
