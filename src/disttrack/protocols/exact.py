"""The yardstick: every item is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.protocols import kernel as slot
from disttrack.protocols.base import Guarantee, Message, Protocol, Readmission, Server, Site, SumOfReports
from disttrack.protocols.kernel import GO_ON, KernelForm, post_up

ITEM: Final = Message("item")
_ONE_ITEM: Final = (ITEM,)


@dataclass(frozen=True)
class Exact(Protocol):
    """Every site sends every item, one word each; the output is never wrong.

    Source
    ------
    the trivial protocol.
    Yardstick for all others.
    """

    kind: ClassVar[str] = "exact"
    mark: ClassVar = ("#AAAAAA", "X")
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything"
    one_sided: ClassVar[bool] = True
    carries: ClassVar = "copies"
    readmission: ClassVar[Readmission] = "report"

    @property
    def accuracy(self) -> float:
        """Zero: no error at all."""
        return 0.0

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_Site() for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _Server(start or [0] * k)

    def returned_site(self, k: int, rng: np.random.Generator, items: int) -> Site:
        return _Site()

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        return _ItemsForm(k, _Server(start or [0] * k))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the number of items."""
        return float(items)


class _Site(Site):
    __slots__ = ()

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return _ONE_ITEM * items


def items_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site send its item, and the server count it."""
    real[slot.OUTPUT] += 1
    sites[site, slot.NEXT] = sites[site, slot.COUNT] + 1
    whole[slot.OWN_WHOLE] += 1
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    return GO_ON


def items_speaks(whole: Any, real: Any, sites: Any, mail: Any, site: Any) -> Any:
    """Let a site send its item, where messages take time."""
    sites[site, slot.NEXT] = sites[site, slot.COUNT] + 1
    post_up(whole, sites, mail, site, slot.OWN_WHOLE, 0)
    return GO_ON


def items_heard(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let the server count an item."""
    real[slot.OUTPUT] += 1
    return GO_ON


class _ItemsForm(KernelForm):
    """All sites and the server."""

    turn = staticmethod(items_turn)
    speaks = staticmethod(items_speaks)
    server_hears = staticmethod(items_heard)
    messages = ((ITEM, slot.OWN_WHOLE),)

    def __init__(self, k: int, server: _Server) -> None:
        super().__init__(k)
        self.server = server
        self.real[slot.OUTPUT] = server.output
        self.sites[:, slot.NEXT] = 1


class _Server(SumOfReports):
    """Counts the items that each site has sent; a returning site replaces its number by its own count."""

    __slots__ = ()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.reported[sender] += 1
        self.output += 1
        return ()
