"""What a protocol is made of: messages, sites, a server, and the parameters that make them.

A site acts only on an item or on a message, the server only on a message
(papers: Xiong, Zhu, Huang 2023, section 1). Each returns the messages it sends; who
carries them, counts them and delays them is none of a protocol's business.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, NamedTuple

from mechanisms.checks import positive as positive
from mechanisms.checks import probability
from mechanisms.checks import whole as whole

in_unit_interval = probability  # the name under which protocols, those of others too, import it

EVERYONE: Final = -1
"""Receiver of a broadcast: every site, at the cost of k messages."""

FOREVER: Final = 2**62
"""A quota without end: no further item makes the site speak."""


class Exactly(NamedTuple):
    """An output that is no whole number, to be judged exactly: numerator / denominator."""

    numerator: int
    denominator: int

    def __float__(self) -> float:
        return self.numerator / self.denominator


Number = int | float | Exactly


class Message(NamedTuple):
    """What crosses a channel.

    Parameters
    ----------
    kind
        Short name under which the ledger counts it.
    value
        What it carries; None makes it a signal of one bit.
    words
        Cost in words. Every message is at least one; an integer below N is one.
    """

    kind: str
    value: Any = None
    words: int = 1


class Site(ABC):
    """One site. Sees its own items and the server's messages, nothing else."""

    __slots__ = ()

    @abstractmethod
    def quota(self) -> int:
        """Return how many further items it may take in silence; `FOREVER` if any number.

        The item after these may make it speak. Calling it changes nothing and draws nothing.
        """

    @abstractmethod
    def take(self, items: int) -> Sequence[Message]:
        """Receive `items` items, 1 <= items <= quota() + 1, and return what it sends to the server."""

    @abstractmethod
    def hear(self, message: Message) -> Sequence[Message]:
        """Receive a message of the server and return what it sends back."""

    @property
    def tossed_ahead(self) -> tuple[str, ...]:
        """Names of the attributes that hold coins of items yet to come, drawn ahead to save time.

        In the algorithm these coins fall with their item, so an adversary that sees the state does not see them.
        """
        return ()


class Server(ABC):
    """The server. Its `output` stands at every step as the estimate of the number of items."""

    __slots__ = ()

    rounds: int = 0
    """Rounds begun so far, for protocols that have rounds."""

    output: Number
    """The present estimate, in items."""

    @abstractmethod
    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        """Receive a message from site `sender`; return pairs (receiver, message).

        The receiver is a site's number or `EVERYONE`.
        """


@dataclass(frozen=True)
class Protocol(ABC):
    """Parameters of a protocol; makes its parts. Subclasses are frozen dataclasses.

    Class attributes state facts that the conformance suite tries to refute.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files."""
    source: ClassVar[str] = ""
    """Paper and section."""
    guarantee: ClassVar[Literal["always", "adaptive", "oblivious", "none"]] = "none"
    """When the output is within 1 +- alpha: on every input; with probability 1 - delta against
    adversaries that react to the outputs; the same only if they do not react; or never promised."""
    reveals: ClassVar[str] = ""
    """What a change of the output tells who watches it."""
    one_sided: ClassVar[bool] = False
    """Whether the output never exceeds the truth."""

    @property
    def accuracy(self) -> float | None:
        """The promised relative error alpha; None if nothing is promised."""
        alpha: float | None = getattr(self, "alpha", None)
        return alpha

    @abstractmethod
    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        """Return the k sites.

        Parameters
        ----------
        k
            Number of sites, at least 1.
        rng
            The sites' own `numpy.random.Generator`, shared by the k of them.
        start
            Items that each site holds already, known to everybody; empty for none.
        """

    @abstractmethod
    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        """Return the server; `rng` is its own generator, `start` as for `sites`."""

    def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Any:
        """Return sites and server as a `protocols.bulk.Fleet` for the bulk engine; None if there is none."""
        return None

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the messages that a game is expected to need at most (no bound: infinity)."""
        return float("inf")

    def known(self, k: int) -> dict[str, Any]:
        """Return what an adversary knows of it in a game of k sites: its kind, parameters, what follows from them."""
        return {"kind": self.kind, **self.as_mapping()}

    def as_mapping(self) -> dict[str, Any]:
        """Return the parameters by name, as a scenario file would give them."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}


def ratio(alpha: float) -> tuple[int, int]:
    """Return alpha as the fraction that its decimal digits name: 0.05 is (1, 20).

    Thresholds at exact multiples of alpha misfire in floating point; integers do not.
    """
    return Fraction(str(alpha)).as_integer_ratio()


def even_start(total: int, k: int) -> list[int]:
    """Return `total` items spread over k sites as evenly as can be."""
    share, rest = divmod(total, k)
    return [share + (site < rest) for site in range(k)]


def to_everyone(message: Message) -> Iterable[tuple[int, Message]]:
    """Return the broadcast of a message."""
    return ((EVERYONE, message),)
