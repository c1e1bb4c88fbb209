"""What tests of several protocols use."""

from __future__ import annotations

import pytest


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the protocols take the scripted coins that are handed in as their generator."""
    for module in ("sampling.randomized", "rounds.base"):
        monkeypatch.setattr(f"disttrack.protocols.{module}.Coins", lambda rng: rng)
