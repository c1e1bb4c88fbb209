"""Hostile values and damage, for tests that try many: how often is set by FUZZ_EXAMPLES (`.ci/fuzz` sets it high)."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

VALUES: Final = (
    None, True, False, 0, -1, 1, 2, 7, 10**6, 10**18, 2**63, -(2**70), 10**400, 0.0, -0.0, 0.5, 1e-300, 1e308,
    float("nan"), float("inf"), float("-inf"), "", " ", "x", "²", "٣", "1e9", "0x10", "nan", "\x00", "\ud800",
    "x.py:Y", "/", "..", "builtins:print", "os:abort", "<script>alert(1)</script>", "((((", "1/0", "words",
    "max(words)", "a" * 3000,
    "lambda: 0", "__import__('os')", [], [[]], [None], [1, "a"], [1, 1], {}, {"kind": "robust"}, {"kind": 5}, {"": 1},
    {"kind": ["a"]}, {"a": {"b": {}}}, {"kind": None}, {"kind": "randomized", "alpha": "x"}, {"range": [1, 10**9]},
    {"latency": {"exponential": "x"}}, [{"kind": "freeze"}] * 3,
)  # fmt: skip
"""Values that nobody would write."""
BYTES: Final = (b"\n", b"\x00", b",", b'"', b"\xff\xfe", b"9" * 40, b"\r", b"[" * 3000)
"""What is put in where it does not belong."""
EXAMPLES: Final = int(os.environ.get("FUZZ_EXAMPLES", "0"))


def often(usual: int) -> settings:
    """Return how often a property is tried: always the same examples, unless it is asked for more."""
    return settings(
        max_examples=EXAMPLES or usual,
        derandomize=not EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def sealed(rows: Sequence[Any]) -> bytes:
    """Return the file of a recorded game of these rows, with the last line that fits them."""
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    end = {"lines": len(rows), "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end).encode() + b"\n"


def places(document: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the place of every value of a document, but for the document itself."""
    pairs = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in pairs:
        yield (*path, key)
        yield from places(value, (*path, key))


@st.composite
def mutated(draw: st.DrawFn, documents: list[Any]) -> Any:
    """Draw one of some documents with values exchanged, taken out, or moved to where they do not belong."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 3))):
        known = list(places(document))
        if not known:
            break
        path = draw(st.sampled_from(known))
        inside = document
        for key in path[:-1]:
            inside = inside[key]
        how = draw(st.sampled_from(["value", "value", "value", "take out", "wrap", "another's", "rename"]))
        if how == "take out":
            del inside[path[-1]]
        elif how == "wrap":
            inside[path[-1]] = [inside[path[-1]]]
        elif how == "rename" and isinstance(inside, dict):
            inside[draw(st.sampled_from(["", "kind", "x", "sites", "²"]))] = inside.pop(path[-1])
        elif how == "another's":
            other: Any = document
            for key in draw(st.sampled_from(known)):
                other = other[key] if isinstance(other, dict) and key in other else other
            inside[path[-1]] = copy.deepcopy(other)
        else:
            inside[path[-1]] = copy.deepcopy(draw(st.sampled_from(VALUES)))
    return document


@st.composite
def damaged(draw: st.DrawFn, contents: list[bytes]) -> bytes:
    """Draw one of some files with bytes exchanged, cut off, taken out, put in or repeated."""
    content = bytearray(draw(st.sampled_from(contents)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(content) - 1)))
        length = draw(st.sampled_from([1, 1, 2, 8, 64, 10**6]))
        match draw(st.sampled_from(["flip", "cut", "take out", "put in", "repeat", "swap"])):
            case "flip" if content:
                content[place] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del content[place:]
            case "take out":
                del content[place : place + length]
            case "put in":
                content[place:place] = draw(
                    st.sampled_from([b"\n", b"\x00", b",", b'"', b"\xff\xfe", b"9" * 40, b"\r", b"[" * 3000])
                )
            case "repeat":
                content[place:place] = content[place : place + length]
            case _:
                content[place : place + length] = content[place : place + length][::-1]
    return bytes(content)


def hold_line(error: BaseException) -> None:
    """Hold that an error says something, in one line of a size that can be read, or each of several errors does."""
    said = str(error)
    assert said.strip(), repr(error)
    assert len(said.splitlines()) == min(len(getattr(error, "errors", [error])), 21), said
    assert len(said) < 20_000, said[:200]
