"""The network of games in words, from their columns of trials: labels, sentences, captions, subtitles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from disttrack.simulator.experiments.scenario.settings import LEFT_OUT
from disttrack.simulator.kinds.names import setting, with_name

_OF_NETWORK: Final = (
    r"(latency|warm_up|far|loss|duplication|reordering|partition|crash|server|link|faults)(_|$)"  # of `Network`
)


def of_network(column: str) -> bool:
    """Return whether a column of trials is a parameter of the network."""
    return re.match(_OF_NETWORK, column) is not None


def setting_in_words(columns: Mapping[str, object], say: Callable[[str, object], str] = with_name) -> list[str]:
    """Return what columns of trials say of a game; of its network only the faults that it has.

    >>> cut = {"partition_sites": "0-4", "partition_from": 3000.0, "partition_to": 3500.0}
    >>> setting_in_words({"sites": 8, **cut, "link": "reliable", "crash_rate": 0})
    ['sites=8', 'partition_sites=0-4', 'partition_from=3,000', 'partition_to=3,500', 'link=reliable']
    >>> setting_in_words({"partition_sites": None, "crash_rate": 0.0002, "link": "bare"})
    ['crash_rate=0.0002']
    """
    return [say(column, value) for column, value in columns.items() if not _is_left_out(column, value)]


def _is_left_out(column: str, value: object) -> bool:
    """Return whether a column is a fault that a network is without."""
    return of_network(column) and (
        value is None or value != value or setting(value) == setting(LEFT_OUT.get(column, ""))
    )
