"""Frames: the arrays of msgpack in which processes talk, on a stream of bytes.

A frame begins with one of the codes below. A message of a protocol is a frame of code `MESSAGE`; all others are the
deployment's own, and count as no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgpack
import numpy as np

VERSION: Final = 4
"""Of this format: both ends must have the same."""
HELLO, WELCOME, REFUSED, MESSAGE, HEARD, BEAT, LEFT = range(7)
LARGEST: Final = 2**20
"""Bytes of the largest frame, and of what a peer can make the other one keep."""
ARRAY: Final = 1
"""Code of an array of numpy among msgpack's own types."""


Frame = tuple[Any, ...]
"""A code, and what it has."""


class NonsenseError(ValueError):
    """A peer has sent what no peer sends; its connection is closed, with this reason."""


def pack(*frame: object) -> bytes:
    """Return a frame as bytes."""
    packed: bytes = msgpack.packb(frame, default=_plain)
    return packed


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return msgpack.ExtType(ARRAY, msgpack.packb((value.dtype.str, value.shape, value.tobytes())))
    raise TypeError(f"a message cannot carry a {type(value).__name__}")


def array_of(code: int, data: bytes) -> Any:
    """Return an array of numpy from its bytes; NonsenseError if they are none."""
    try:
        dtype, shape, content = msgpack.unpackb(data)
        if code == ARRAY and np.dtype(dtype).kind in "biuf":
            return np.frombuffer(content, dtype).reshape(shape).copy()
    except (TypeError, ValueError) as error:
        raise NonsenseError("an invalid array") from error
    raise NonsenseError("a value of an unknown type")


class Frames:
    """The frames of one direction of a connection, as its bytes come in.

    Examples
    --------
    >>> frames, sent = Frames(), pack(BEAT) + pack(HEARD, 7, 0, 1)
    >>> list(frames.feed(sent[:3])), list(frames.feed(sent[3:]))
    ([(5,)], [(4, 7, 0, 1)])
    """

    def __init__(self) -> None:
        self._unpacker = msgpack.Unpacker(
            use_list=False, max_buffer_size=LARGEST, ext_hook=array_of, max_array_len=2**16, max_map_len=2**10
        )

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are complete with these bytes; NonsenseError if there is something else among them."""
        try:
            self._unpacker.feed(data)
            for frame in self._unpacker:
                if not isinstance(frame, tuple) or not frame or type(frame[0]) is not int:
                    raise NonsenseError("no frame")
                yield frame
        except NonsenseError:
            raise
        except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
            raise NonsenseError(f"no frame ({type(error).__name__})") from error


def checked(frame: Frame, *types: type | tuple[type, ...]) -> Frame:
    """Return what follows a frame's code; NonsenseError unless it has these types, and no number is negative.

    Examples
    --------
    >>> checked((BEAT, 3), int)
    (3,)
    """
    values = frame[1:]
    right = len(values) == len(types) and all(map(isinstance, values, types))
    if not right or any(type(value) is bool or (type(value) is int and value < 0) for value in values):
        raise NonsenseError(f"a malformed frame {frame[0]}")
    return values
