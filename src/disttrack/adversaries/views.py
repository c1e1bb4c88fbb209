"""Views of adversaries with greater power: the traffic on the channels, or the state behind them.

The powers are `outputs` (the paper's game, see `View`), `traffic` and `state`, in increasing order. A class
declares the power that it needs (`Adversary.sees`), and a game must grant it. Its view is then an object made for
that power, which gives access to nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Number
from typing import Any, Final, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Sees, View

POWERS: Final[tuple[Sees, ...]] = get_args(Sees)
"""The powers of an adversary, in increasing order."""

_PLAIN: Final = frozenset({int, float, bool, str, type(None)})
"""Types of values that are shown directly."""


class Heard(NamedTuple):
    """A message seen on a channel: its sender, receiver and kind, but not its content.

    Sender and receiver are the number of a site, or "server".
    """

    step: int
    sender: int | str
    receiver: int | str
    kind: str


class TrafficView(View):
    """The view of an adversary that sees the channels: it is asked after every step in which a message was sent.

    Attributes
    ----------
    heard
        The messages since it was last asked, in the order in which they were sent.
    spoke_at
        The step at which each site last sent a message, 0 if it has sent none: a read-only array.
    spoken
        The number of messages that each site has sent: a read-only array.
    """

    _shown = ("heard", "spoke_at", "spoken")
    __slots__ = ("_heard", "_spoke_at", "_spoken", "_written")

    heard: tuple[Heard, ...]
    spoke_at: npt.NDArray[np.int64]
    spoken: npt.NDArray[np.int64]

    def __init__(self, **facts: Any) -> None:
        super().__init__(**facts)
        self._heard: tuple[Heard, ...] = ()
        steps, self._spoke_at = _shown(self.sites)
        numbers, self._spoken = _shown(self.sites)
        self._written = steps, numbers

    def see(self, messages: Sequence[Heard]) -> None:
        """Record the messages since it was last asked; for the engine only."""
        self._heard = tuple(messages)
        steps, numbers = self._written
        for message in messages:
            if isinstance(message.sender, int):
                steps[message.sender] = message.step
                numbers[message.sender] += 1


class StateView(TrafficView):
    """The view of an adversary that sees the state of the sites and the server, except coins yet to be tossed.

    Access changes nothing, and nothing can be changed. Random generators are not shown, nor coins that a
    protocol has drawn ahead for later items: in the algorithm those coins are tossed with the item.

    Parameters
    ----------
    look
        Shows a site by its number, or the server for None.
    facts
        Those of a `View`.
    """

    __slots__ = ("_look",)

    def __init__(self, *, look: Callable[[int | None], object], **facts: object) -> None:
        super().__init__(**facts)
        self._look = look

    def site(self, number: int) -> Any:
        """Return site `number` behind glass, which always shows the present."""
        if not 0 <= number < self.sites:
            raise IndexError(f"site must be in 0 … {self.sites - 1}; got {number}")
        return Glass(lambda: self._look(number))

    @property
    def server(self) -> Any:
        """The server behind glass, which always shows the present."""
        return Glass(lambda: self._look(None))


class Glass:
    """An object that can be read but not changed: its public values, no methods, no generators.

    Lists and arrays are returned as read-only copies, other objects behind glass in turn. What a site or server keeps
    of the generator that it was given is hidden.

    Parameters
    ----------
    look
        Returns the object.
    """

    __slots__ = ("__look",)

    def __init__(self, look: Callable[[], object]) -> None:
        object.__setattr__(self, "_Glass__look", look)

    def __getattr__(self, name: str) -> Any:
        thing = self.__look()
        if name.startswith("_") or name in getattr(thing, "tossed_ahead", ()):
            raise AttributeError(f"{name} is not shown")
        value = getattr(thing, name)
        if type(value) in _PLAIN:
            return value  # the usual case: the tests below are slow
        if callable(value) or _draws(value):
            raise AttributeError(f"{name} is not shown")
        return behind_glass(value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} can be looked at, not set")


def behind_glass(thing: object) -> Any:
    """Return the part of `thing` that an adversary with the power `state` may see.

    Raises
    ------
    AttributeError
        By the result, for hidden names: names that begin with an underscore, methods, generators and objects that draw
        from them, and names that the object lists as drawn ahead (`tossed_ahead`).
    """
    if type(thing) in _PLAIN or isinstance(thing, str | Number | Fraction):
        return thing
    if isinstance(thing, np.ndarray):
        copied = thing.copy()
        copied.flags.writeable = False
        return copied
    if isinstance(thing, list | tuple):
        return tuple(behind_glass(part) for part in thing)
    if _draws(thing) or callable(thing):
        raise AttributeError(f"{type(thing).__name__} is not shown")
    return Glass(lambda: thing)


def _draws(thing: object) -> bool:
    """Return whether it is a random generator, or contains one to draw from."""
    kinds = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)
    return isinstance(thing, kinds) or isinstance(getattr(thing, "rng", None), kinds)


def _shown(sites: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return an array of zeros and a read-only view of it."""
    kept = np.zeros(sites, dtype=np.int64)
    shown = kept.view()
    shown.flags.writeable = False
    return kept, shown
