"""Frames: what is sent comes out, and what is no frame is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.fleet.live.frames import LARGEST, Frames, NonsenseError, checked, pack

VALUES = st.recursive(
    st.none() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.tuples(inner, inner),
    max_leaves=5,
)


@given(st.lists(st.tuples(st.integers(0, 9), VALUES), max_size=5), st.integers(1, 40))
@settings(deadline=None, max_examples=40)
def test_frames_come_out_as_they_went_in_however_they_are_cut(sent: list[tuple[int, object]], size: int) -> None:
    stream = b"".join(pack(*frame) for frame in sent)
    frames = Frames()
    cut = [stream[place : place + size] for place in range(0, len(stream), size)]
    assert [frame for piece in cut for frame in frames.feed(piece)] == sent


@pytest.mark.parametrize("dtype", ["int64", "float64", "uint8", "bool"])
def test_arrays_and_their_numbers_come_out_as_they_went_in(dtype: str) -> None:
    array = np.arange(6).astype(dtype).reshape(2, 3)
    ((_, came, number),) = Frames().feed(pack(0, array, array[1, 1]))
    assert came.dtype == array.dtype
    assert (came == array).all()
    assert number == array[1, 1]


@given(st.binary(min_size=1, max_size=300))
@settings(deadline=None, max_examples=300)
def test_bytes_that_are_no_frames_are_refused_or_waited_for(data: bytes) -> None:
    frames = Frames()
    try:
        came = list(frames.feed(data))
    except NonsenseError:
        return
    assert all(isinstance(frame, tuple) and type(frame[0]) is int for frame in came)


def test_a_frame_that_would_fill_the_memory_is_refused() -> None:
    frames = Frames()
    huge = b"\xc6\x7f\xff\xff\xff" + b"x" * 65536  # two thousand million bytes are announced
    with pytest.raises(NonsenseError):
        [list(frames.feed(huge)) for _ in range(LARGEST // 65536 + 2)]
    with pytest.raises(NonsenseError):
        list(Frames().feed(b"\xdd\x7f\xff\xff\xff" + b"\xc0" * 10))  # as many entries


@pytest.mark.parametrize("frame", [(1,), (1, "2"), (1, -2), (1, True), (1, 2, 3), (1, 2.0)])
def test_a_frame_of_another_form_is_refused(frame: tuple[object, ...]) -> None:
    with pytest.raises(NonsenseError, match="a malformed frame 1"):
        checked(frame, int)
