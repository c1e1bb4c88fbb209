"""Broken lines of logs: their neighbours are as they were. What is read of public formats is in the golden messages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from golden_messages import FILES, blocks

from disttrack.adversaries import Trace

pytestmark = pytest.mark.usefixtures("folder")
READ = [
    json.loads(text) for text, below in blocks(FILES["goldens-trace"]).items() if "".join(below).startswith("sites:")
]
"""Logs that are read, and how they are asked for."""


def facts(trace: Trace) -> tuple[Any, ...]:
    """Return all that is known of a stream."""
    rows = trace.stream().rows
    return tuple(trace.names), {name: rows.column(name).tolist() for name in rows.has}


def test_there_are_logs_of_all_formats() -> None:
    assert len(READ) >= 20
    assert {given.get("format", "csv") for _, given in READ} >= {"csv", "combined", "words", "jsonl", "spaces", "tsv"}


@pytest.mark.parametrize("cut", [b"M\xfcnchen\n", b"\0\0\0\n", b'"M\xfcnchen\n'])
def test_lines_that_are_no_text_are_left_out_and_counted(cut: bytes) -> None:
    """They end a log after a crash, or are of a client in another encoding; their neighbours are as they were."""
    for content, given in READ:
        lines = [line + b"\n" for line in content.removesuffix("\n").encode().split(b"\n")]
        Path("t.csv").write_bytes(b"".join(lines))
        trace = Trace("t.csv", **{**given, "broken": "skip"})
        before, known = facts(trace), re.search(r"(\d+) broken|$", trace.remark)
        Path("t.csv").write_bytes(lines[0] + cut + b"".join(lines[1:]) + cut)
        trace = Trace("t.csv", **{**given, "broken": "skip"})
        assert facts(trace) == before
        assert known is not None
        assert f"{int(known[1] or 0) + 2} broken, the first in line 2" in trace.remark
        with pytest.raises(ValueError, match=r"line 2: (not UTF-8|a NUL character).*; to leave such lines out, give"):
            Trace("t.csv", **{**given, "broken": "refuse"}).stream()


def test_a_line_of_brackets_that_do_not_close_takes_no_square_of_its_length() -> None:
    """Seen: each bracket was looked after to the end of the line, hours for a megabyte; now 1,024 letters."""
    for form, line in (("words", "[ " * 20_000), ("words", "{ " * 20_000), ("combined", "a b c" + " [x] [" * 20_000)):
        Path("log").write_text(line)
        trace = Trace("log", format=form, site="host", columns="host" if form == "words" else None)
        with pytest.raises(ValueError, match=r"line 1: (its number of fields is 20000|no request in)"):
            trace.stream()
