"""The simulated network: how long messages take, what becomes of them on the way, and what is still on its way."""

from disttrack.simulator.game.network.latency import Latency
from disttrack.simulator.game.network.model import Network, checked_network, network_of

__all__ = ["Latency", "Network", "checked_network", "network_of"]
