"""What processes say to each other: frames of msgpack, entries of protocols, and messages in order.

A frame begins with one of the codes below. A message of a protocol is a frame of code `MESSAGE`; all others are the
deployment's own, and count as no words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgpack
import numpy as np

from disttrack.protocols.base import Message, Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.errors import ScenarioError, nearest
from disttrack.simulator.kinds.registry import advice_on, kinds, make, of_other_family

VERSION: Final = 5
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


def entry_of(protocol: Protocol) -> dict[str, object]:
    """Return the name and the parameters of a protocol.

    Examples
    --------
    >>> from disttrack.protocols import Deterministic
    >>> protocol_of(entry_of(Deterministic(alpha=0.1)))
    Deterministic(alpha=0.1, centred=False)
    """
    names = (name for name, kind in kinds("protocol").items() if kind.load() is type(protocol))
    return {"kind": next(names, ""), **protocol.as_mapping()}


def protocol_of(entry: Mapping[str, object]) -> Protocol:
    """Return the protocol of an entry; NonsenseError if the project has none of that name with these parameters."""
    arguments = dict(entry)
    known = kinds("protocol")
    kind = arguments.pop("kind", None)
    if kind not in known:
        what = f"there is no protocol {kind!r} in the project{nearest(str(kind), known)}"
        raise NonsenseError(of_other_family("protocol", kind) or what)
    try:
        made: Protocol = make("protocol", known[kind].load(), arguments)
    except ScenarioError as error:
        raise NonsenseError(f"protocol {kind}: {error}") from error
    if not isinstance(made, Protocol) or isinstance(made, ItemTracker):
        raise NonsenseError(f"protocol {kind} has no sites that count: {advice_on(type(made))}")
    return made


REMEMBERED: Final = 100
"""Number of past tickets of a site by which an old journal, or a copy, is recognised."""


class Session:
    """One end of the messages between a site and the server; it outlives their connections.

    Attributes
    ----------
    sent, received
        Numbers of the last message of each direction, from 1; 0 before it.
    waiting
        Messages that the other end has not acknowledged, with their numbers.
    limit
        At the server, `sent` when the present process began; None once the site has been connected to it.
    dropped
        Whether messages were given up, so that the session cannot go on.
    """

    __slots__ = ("dropped", "limit", "received", "sent", "waiting")

    def __init__(self) -> None:
        self.sent = self.received = 0
        self.waiting: deque[tuple[int, Message]] = deque()
        self.limit: int | None = None
        self.dropped = False

    @property
    def done(self) -> int:
        """Number of the last message that the other end has acknowledged."""
        return self.sent - len(self.waiting)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """What a site says of its end in its greeting."""
        return self.received, self.sent, self.done

    def send(self, message: Message) -> int:
        """Take a message to send; return its number."""
        self.sent += 1
        self.waiting.append((self.sent, message))
        return self.sent

    def drop(self) -> None:
        """Give up all messages that wait, and use one number more for what the other end will miss."""
        self.dropped = True
        self.sent += 1
        self.waiting.clear()

    def acknowledged(self, number: int) -> None:
        """Forget the messages up to this number."""
        if number > self.sent:
            raise NonsenseError(f"an acknowledgement of message {number}, where {self.sent} were sent")
        while self.waiting and self.waiting[0][0] <= number:
            self.waiting.popleft()

    def is_new(self, number: int) -> bool:
        """Take the number of a message that has come; return whether it is the next one, and no copy."""
        if number <= self.received:
            return False
        if number > self.received + 1:
            raise NonsenseError(f"message {number} after message {self.received}")
        self.received = number
        return True


class Tickets:
    """The tickets of a site at the server.

    Each connection has one, a number drawn for it, which the site keeps and shows in its next greeting.

    Attributes
    ----------
    current
        Those with which the session goes on: that of the last connection of which the site is known to know, and later
        ones, 0 for a site that has had none.
    """

    __slots__ = ("_past", "_void", "current")

    def __init__(self) -> None:
        self.current = [0]
        self._void: list[int] = []
        """Those of a session that was broken off: the site has one of them until it knows of the next session."""
        self._past: list[int] = []

    def offer(self, ticket: int) -> None:
        """Add the ticket of a connection that goes on with the session."""
        self.current.append(ticket)

    def begin(self, ticket: int) -> None:
        """Take the ticket of a connection that begins another session."""
        self._void += self.current
        self.current = [ticket]

    def confirm(self) -> None:
        """Note that the site knows of its present connection: it has no earlier ticket any more."""
        if len(self.current) > 1 or self._void:
            self._past = [*self._past, *self._void, *self.current[:-1]][-REMEMBERED:]
            self._void, self.current = [], self.current[-1:]

    def is_past(self, ticket: int) -> bool:
        """Return whether a site had this ticket, and has had another since."""
        return ticket in self._past
