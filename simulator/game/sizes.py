"""How large a game may be."""

from __future__ import annotations

from typing import Final

MOST_ITEMS: Final = 2**61
"""Items of a game, with those counted before it: schedules count in 64 bits, and twice this must fit."""
