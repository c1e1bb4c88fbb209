"""How the parts of a protocol in rounds are made from the law of a round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from protocols.base import Protocol, Site
from protocols.coins import Coins
from protocols.fleet import Fleet
from protocols.laws import LawOf, remembering
from protocols.round_fleet import RoundFleet
from protocols.rounds import RoundServer, RoundSite


@dataclass(frozen=True)
class RoundProtocol(Protocol):
    """A protocol whose sites are `RoundSite`s. Subclasses give the law of a round and the server."""

    @abstractmethod
    def _law_of(self, k: int, coins: Coins) -> LawOf:
        """Return the law of each round, with the coins of the sites where it is random."""

    @abstractmethod
    def _server_by(self, law_of: LawOf, k: int, rng: Any, total: int) -> RoundServer:
        """Return the server of a game that starts with `total` items; `rng` is its own generator."""

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        law_of = self._laws(k, rng)
        total = sum(start)
        return [RoundSite(law_of, total) for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> RoundServer:
        return self._server_by(self._laws(k, rng), k, rng, sum(start))

    def fleet(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> Fleet:
        return RoundFleet(self.server(k, server_rng, start), self._laws(k, site_rng))

    def _laws(self, k: int, rng: Any) -> LawOf:
        return remembering(self._law_of(k, Coins(rng)))
