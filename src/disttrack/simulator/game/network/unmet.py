"""Faults of a network that games never come to: after their last step, or of messages that nobody sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from disttrack.simulator.game.network.listed import LetterFault, written
from disttrack.simulator.game.network.model import TEMPORARY, Network, network_of

UNMET: Final = "unmet"
"""The fact of a game that lists them, one per line."""
FAULTS: Final = frozenset({"faults", *TEMPORARY})
"""Keys of a network whose faults may have a time or a number."""


def unmet(network: Network, last: float, sent: Callable[[int, bool], float]) -> list[str]:
    """Return the faults that a game never comes to, each in words that begin with its keys.

    Parameters
    ----------
    last
        The last step.
    sent
        The number of messages on the wire of a site, to the server (True) or from it.

    Examples
    --------
    >>> network = network_of({"faults": "message 3 from 2 lost; server down 7-9", "latency": 1})
    >>> unmet(network, 6, lambda site, up: 2)
    ['faults: message 3 from site 2 is never sent', 'faults: server down 7-9 is after the last step']
    """
    given = (("partition: from", network.partition), ("crash: at", network.crash), ("server: at", network.server))
    late = "{} is after the last step".format
    lines = [late(f"{key} {one.begin}") for key, one in given if one and one.begin > last]
    for one in network.listed:
        if not isinstance(one, LetterFault):
            lines += [late(f"faults: {written([one])}")] * (one.begin > last)
        elif one.number > sent(one.site, one.up):
            way = "from" if one.up else "to"
            lines.append(f"faults: message {one.number} {way} site {one.site} is never sent")
    return lines


def in_how_many(games: Iterable[tuple[Mapping[str, object], str]], what: str) -> list[str]:
    """Return a line for each fault that some games never come to.

    Parameters
    ----------
    games
        The network of each, and the lines on its faults.
    what
        What they are called: games, or points.
    """
    never: Counter[str] = Counter()
    have: Counter[str] = Counter()
    for network, lines in games:
        never.update(lines.splitlines())
        have.update(unmet(network_of(network) or Network(), 0, lambda site, up: 0))
    return [f"{line} in {number:,} of {have[line]:,} {what}" for line, number in never.items()]
