"""What a protocol is: parameters that make sites and a server, and facts about them; with the names of its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal

from disttrack.mechanisms.checks import positive as positive
from disttrack.mechanisms.checks import probability
from disttrack.mechanisms.checks import whole as whole
from disttrack.protocols.bulk import BulkForm
from disttrack.protocols.parts import EVERYONE as EVERYONE
from disttrack.protocols.parts import FOREVER as FOREVER
from disttrack.protocols.parts import Exactly as Exactly
from disttrack.protocols.parts import Message as Message
from disttrack.protocols.parts import Number as Number
from disttrack.protocols.parts import Server as Server
from disttrack.protocols.parts import Site as Site

in_unit_interval = probability  # the name under which protocols, those of others too, import it


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
    """What a change of the output reveals."""
    one_sided: ClassVar[bool] = False
    """Whether the output never exceeds the truth."""
    draws_coins: ClassVar[bool] = True
    """Whether it may draw random numbers that no seed decides. A class that says False draws from the generators handed
    to `sites` and `server` only; a game in which nothing was drawn at all is then played for one seed, and counted
    for all."""

    reacting_bulk: ClassVar[Literal["none", "slower", "faster"]] = "none"
    """Whether its bulk form plays streams that react to the outputs, too (`BulkForm.until_change`), and if it does,
    whether that is faster than single sites: it is where few messages change the output, or many are polls."""

    readmission: ClassVar[Literal["none", "report", "anew"]] = "none"
    """How a site comes back that has lost all but the number of its items: `report`, it tells that number and begins
    from there (`returned_site`, `Server.readmit`); `anew`, the server collects the numbers of all sites, and the
    protocol begins with these as its start; `none`, there is no rule. A server that has lost its state comes back
    `anew`, unless there is no rule."""

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
            Items that each site has received before, known to all; empty for none.
        """

    @abstractmethod
    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        """Return the server; `rng` is its own generator, `start` as for `sites`."""

    def returned_site(self, k: int, rng: Any, items: int) -> Site:
        """Return a site that has come back without its state, after so many items; for `readmission` by report."""
        raise NotImplementedError(f"{type(self).__name__} does not say how a site comes back")

    def recoverable_server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        """Return a server that can re-admit sites, with what it must keep for that; by default the usual one."""
        return self.server(k, rng, start)

    def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> BulkForm | None:
        """Return all sites and the server as arrays, for the engine `bulk`; None if there is no such form.

        `site_rng` and `server_rng` are the generators that `sites` and `server` would be given, `start` as for them.
        """
        return None

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the messages that a game is expected to need at most (no bound: infinity)."""
        return float("inf")

    def quick_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return `cost_bound`, or a larger bound where that one takes more than milliseconds to compute."""
        return self.cost_bound(k, items, start)

    def known(self, k: int) -> dict[str, Any]:
        """Return what an adversary knows of it in a game of k sites: its kind, parameters, what follows from them."""
        return {"kind": self.kind, **self.as_mapping()}

    def as_mapping(self) -> dict[str, Any]:
        """Return the parameters by name, as a scenario file would give them."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}


def ratio(alpha: float) -> tuple[int, int]:
    """Return alpha as the fraction that its decimal digits name: 0.05 is (1, 20).

    Comparisons at exact multiples of alpha go wrong in floating point, but not in integers.
    """
    return Fraction(str(alpha)).as_integer_ratio()


def even_start(total: int, k: int) -> list[int]:
    """Return `total` items spread over k sites as evenly as can be."""
    share, rest = divmod(total, k)
    return [share + (site < rest) for site in range(k)]
