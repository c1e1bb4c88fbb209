"""All parts of a network: wires, reliable links if configured, and sites or a server that stop for a while."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import simpy

from disttrack.protocols.base import Message, Server, Site
from disttrack.simulator.game.channels import Rows
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.network.channels import Hooks, Letter, NetworkChannels
from disttrack.simulator.game.network.links import Links
from disttrack.simulator.game.network.model import Network
from disttrack.simulator.game.network.recovery import Recovery
from disttrack.simulator.game.network.wires import Wires, mean_way


class FaultyChannels(NetworkChannels):
    """The channels of a game on a network.

    Parameters
    ----------
    network
        Its parameters.
    rng
        The game's network stream.
    recovery
        Stops and returns of sites and server; None without them.
    """

    def __init__(
        self,
        sites: Sequence[Site],
        server: Server,
        ledger: Ledger,
        transcript: Rows | None,
        env: simpy.Environment,
        network: Network,
        rng: Any,
        hooks: Hooks,
        recovery: Recovery | None,
    ) -> None:
        k = len(sites)
        super().__init__(sites, server, ledger, transcript, env, Wires(network, k, rng), hooks)
        self.links: Links | None = None
        if network.link is not None:
            self.links = Links(network.link, 2 * ceil(mean_way(network, k)) + 2, self)
        self.recovery = recovery
        if recovery is not None:
            recovery.begin(self)

    @property
    def restarts(self) -> int:
        """Number of stops of a site or the server."""
        return 0 if self.recovery is None else self.recovery.restarts

    def post(self, letter: Letter) -> None:
        if self.links is None:
            super().post(letter)
        else:
            self.links.post(letter)

    def forget(self, site: int) -> None:
        """Restart the links of a site after one of their ends has lost its state."""
        if self.links is not None:
            self.links.begin_anew(site)

    def generation(self, site: int | None) -> int:
        return 0 if self.recovery is None else self.recovery.generation_of(site)

    def hears(self, site: int, up: bool) -> bool:
        return self.recovery is None or self.recovery.is_up(None if up else site)

    def server_hears(self, letter: Letter) -> Sequence[tuple[int, Message]]:
        return super().server_hears(letter) if self.recovery is None else self.recovery.server_hears(letter)

    def site_hears(self, letter: Letter) -> Sequence[Message]:
        return super().site_hears(letter) if self.recovery is None else self.recovery.site_hears(letter)
