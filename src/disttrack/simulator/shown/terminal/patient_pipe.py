"""Output whose reader may go away early: further text is lost, and files are written all the same."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO


class PatientFile(io.FileIO):
    """A file that loses further bytes when its reader, such as ``head``, has closed the pipe."""

    def write(self, data: Any) -> int:
        """Write bytes, or nothing once nobody reads."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


@contextmanager
def patient_output() -> Iterator[None]:
    """Let the block print to readers that may go away."""
    with redirect_stdout(_patient(sys.stdout)), redirect_stderr(_patient(sys.stderr)):
        yield


def _patient(stream: TextIO) -> TextIO:
    """Return a stream to the same file, with escapes for what its encoding lacks; streams in memory as they are."""
    try:
        file = PatientFile(stream.fileno(), "w", closefd=False)
    except OSError:
        return stream
    return io.TextIOWrapper(io.BufferedWriter(file), stream.encoding, "backslashreplace", line_buffering=True)
