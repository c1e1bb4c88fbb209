"""The game that this process is playing, for callers that wait for it."""

from __future__ import annotations

import inspect
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from disttrack.simulator.kinds.lines import is_users, standing

TICK: Final = 0.25
"""Seconds between two looks at a thread that plays."""
SLOW: Final = 5.0
"""Seconds after which a call of the user's code that has not returned is named."""
_IMPORT: Final = "<frozen importlib"
"""Beginning of the file of Python's own code that imports a module."""
_shares: Final[list[Callable[[], float]]] = []
"""The share of each game in play, those within another one last."""


@contextmanager
def in_play(share: Callable[[], float]) -> Iterator[None]:
    """Let `share_in_play` know how much of a game is over while the block plays it."""
    _shares.append(share)
    try:
        yield
    finally:
        _shares.remove(share)  # another thread may have begun a game since


def share_in_play() -> float:
    """Return the share of the items of the game in play that are sent, from 0 to 1; also in another thread.

    Not-a-number if no game is in play, or if it does not know.
    """
    try:
        return min(1.0, max(0.0, float(_shares[0]())))
    except Exception:  # it has just ended, or is between two states
        return float("nan")


def stands(thread: int) -> str:
    """Return where a thread stands in the user's code, ``in plan, mine.py:6``; empty if it does not."""
    return standing(sys._current_frames().get(thread))


@contextmanager
def slow_calls_named(tell: Callable[[str], object]) -> Iterator[None]:
    """Call a function with a line on each call of the user's code in the block that has not returned after `SLOW` s.

    Another thread looks, so that no call costs more.
    """
    thread, ended = threading.get_ident(), threading.Event()
    frame = inspect.currentframe()
    block = frame.f_back.f_back if frame and frame.f_back else None  # that of the caller's `with`

    def watch() -> None:
        known, since, named = None, 0.0, False
        while not ended.wait(TICK):
            call = _call(sys._current_frames().get(thread), block)
            if call is None or call != known:
                known, since, named = call, time.monotonic(), False
            elif not named and time.monotonic() - since >= SLOW:
                named = True
                tell(f"{SLOW:g} s {stands(thread)}, in one call; Ctrl-C ends it")

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _call(frame: FrameType | None, block: FrameType | None) -> tuple[FrameType, FrameType | None] | None:
    """Return the frame by which a block entered the user's code, and its caller's: one of them is new in each call.

    None also while that code waits for the import of a module that is not the user's.
    """
    entry = None
    while frame is not None and frame is not block:
        file = frame.f_code.co_filename
        if entry is None and file.startswith(_IMPORT):
            return None
        entry = frame if is_users(file) else entry
        frame = frame.f_back
    return None if entry is None else (entry, entry.f_back)
