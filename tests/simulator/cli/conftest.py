"""Commands run in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_folder(folder: Path) -> None:
    """Use it in every test."""
