"""Output whose reader may go away early: what is printed then is lost, and what is written to the disk is not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class PatientStream:
    """A text stream that goes on into nowhere when its reader, such as ``head``, has had enough."""

    def __init__(self, under: TextIO) -> None:
        self._under = under

    def write(self, text: str) -> int:
        """Write a text, or nothing once nobody reads."""
        try:
            return self._under.write(text)
        except BrokenPipeError:
            self._nobody_reads()
            return len(text)

    def flush(self) -> None:
        """Pass on what was written."""
        try:
            self._under.flush()
        except BrokenPipeError:
            self._nobody_reads()

    def _nobody_reads(self) -> None:
        """Let all that follows, and what Python still holds back, go into the null device."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._under.fileno())
        os.close(null)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._under, name)


@contextmanager
def patient_output() -> Iterator[None]:
    """Let the block print to readers that may go away."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = PatientStream(sys.stdout), PatientStream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = before
