"""The largest size of a game."""

from __future__ import annotations

from typing import Final

MOST_ITEMS: Final = 2**61
"""Items of a game, including those counted before it: schedules count in 64 bits, and twice this must fit."""
