"""The simulated network: delays and faults of messages, and the messages in transit."""

from disttrack.simulator.game.network.latency import Latency
from disttrack.simulator.game.network.model import Network, checked_network, network_of

__all__ = ["Latency", "Network", "checked_network", "network_of"]
