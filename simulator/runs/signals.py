"""Steps that Ctrl-C and SIGTERM must not cut in two: starting a process that is to be ended later, and ending it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

STOPS: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a program to stop."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put off Ctrl-C and SIGTERM until the block has ended.

    A process that is started in it begins with both held back, where there are masks: it calls `let_in` when it has
    set what they do to it.
    """
    if threading.current_thread() is not threading.main_thread():  # no other is ever interrupted
        yield
        return
    pending: list[int] = []
    # the mask is for processes that are started, and the handlers for other threads, which the mask leaves alone
    _mask("SIG_BLOCK")
    before = {number: handler for number in STOPS if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, lambda number, frame: pending.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        let_in()
        if pending:
            signal.raise_signal(pending[0])


def let_in() -> None:
    """Take signals from now on, in a process that was started undisturbed."""
    _mask("SIG_UNBLOCK")


def _mask(how: str) -> None:
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(getattr(signal, how), STOPS)
