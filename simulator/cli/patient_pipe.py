"""Output whose reader may go away early: further text is lost, and files are written all the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO


class PatientStream:
    """A text stream that goes on into the null device when its reader, such as ``head``, has had enough."""

    def __init__(self, under: TextIO) -> None:
        self._under = under

    def write(self, text: str) -> Any:
        """Write a text, or nothing once nobody reads."""
        return self._patiently(self._under.write, text)

    def flush(self) -> None:
        """Pass on what was written."""
        self._patiently(self._under.flush)

    def _patiently(self, call: Callable[..., Any], *arguments: str) -> Any:
        try:
            return call(*arguments)
        except BrokenPipeError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._under.fileno())  # what Python still holds back goes there too
            os.close(null)
            return None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._under, name)


@contextmanager
def patient_output() -> Iterator[None]:
    """Let the block print to readers that may go away."""
    streams: list[Any] = [PatientStream(sys.stdout), PatientStream(sys.stderr)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            yield
        finally:
            for stream in streams:
                stream.flush()
