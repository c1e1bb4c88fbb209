"""What installed packages register, read once: to read it opens a file of each of them."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any


def entry_points(group: str) -> metadata.EntryPoints:
    """Return the entry points of a group."""
    chosen: metadata.EntryPoints = _all().select(group=group)
    return chosen


@cache
def _all() -> Any:
    return metadata.entry_points()  # of another type before Python 3.12
