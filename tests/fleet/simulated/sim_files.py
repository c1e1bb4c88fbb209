"""Files of items that simulated sites are fed with."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

LINES: Final = 3000
BLOCK: Final = 200
"""Bytes that are read at once: a hundred lines."""


def written(path: Path) -> Path:
    """Write a file of items, one a line."""
    path.write_bytes(b"1\n" * LINES)
    return path


def paced(seed: int) -> Callable[[Callable[[], int | None]], Awaitable[int | None]]:
    """Return a function that reads a block after a while, as `run_sites` takes it."""
    rng = random.Random(f"{seed} paced")

    async def read(block: Callable[[], int | None]) -> int | None:
        await asyncio.sleep(rng.choice((0.02, 0.1, 0.5, 1.0)))
        return block()

    return read
