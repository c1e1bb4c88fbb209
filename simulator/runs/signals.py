"""Steps that Ctrl-C and polite kills must not cut in two: starting a process that is to be ended later, ending it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

STOPS: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a program to stop."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off Ctrl-C and polite kills until the block has ended.

    A process that is started in it begins with both held back: it calls `let_in` when it has said what they do to it.
    """
    if threading.current_thread() is not threading.main_thread():  # no other is ever interrupted
        yield
        return
    came: list[int] = []

    def note(number: int, frame: Any) -> None:
        came.append(number)

    # the mask is for processes that are started, and the handlers for other threads, which the mask leaves alone
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS) if hasattr(signal, "pthread_sigmask") else set()
    before = {number: handler for number in STOPS if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, note)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        if came:
            signal.raise_signal(came[0])


def let_in() -> None:
    """Take signals from now on, in a process that was started undisturbed."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
