"""The network of games in words, from their columns of trials: labels, sentences, captions, subtitles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from disttrack.simulator.experiments.scenario.settings import LEFT_OUT, Setting
from disttrack.simulator.kinds.names import setting, with_name

_OF_NETWORK: Final = (
    r"(latency|warm_up|far|loss|duplication|reordering|partition|crash|server|link|faults)(_|$)"  # of `Network`
)


def of_network(column: str) -> bool:
    """Return whether a column of trials is a parameter of the network."""
    return re.match(_OF_NETWORK, column) is not None


def setting_in_words(columns: Mapping[str, object], say: Callable[[str, object], str] = with_name) -> list[str]:
    """Return what columns of trials say of a game; of its network only the faults that it has, a partition as one.

    >>> cut = {"partition_sites": "0-4", "partition_from": 3000.0, "partition_to": 3500.0}
    >>> setting_in_words({"sites": 8, **cut, "link": "reliable", "crash_rate": 0})
    ['sites=8', 'partition of sites 0-4, steps 3,000 to 3,500', 'link=reliable']
    >>> setting_in_words({"partition_sites": None, "crash_rate": 0.0002, "link": "bare"})
    ['crash_rate=0.0002']
    """
    words: dict[str, str] = {}
    cut: dict[str, str] = {}
    for column, value in columns.items():
        if not of_network(column):
            words[column] = say(column, value)
        elif value is None or value != value or setting(value) == setting(LEFT_OUT.get(column, "")):
            continue
        elif column.startswith("partition_"):
            cut[column.removeprefix("partition_")] = setting(value)
            words["partition"] = ""
        else:
            words[column] = say(column, value)
    if cut:
        sites = f" of sites {cut['sites']}" if "sites" in cut else ""
        both = f", steps {cut['from']} to {cut['to']}" if {"from", "to"} <= {*cut} else ""
        one = "".join(f" {name} step {cut[name]}" for name in ("from", "to") if name in cut)
        words["partition"] = f"partition{sites}{both or one}"
    return list(words.values())


def shared_in_words(columns: Sequence[Setting], words: Callable[[Setting], str]) -> Iterator[str]:
    """Yield the words of each parameter that has any, those of a partition as one."""
    said = {one.name: one for one in columns if one.side == "network" and one.name.startswith("partition_")}
    cut = {name: one.given for name, one in said.items() if words(one)}
    for one in columns:
        if one.side == "network" and one.name in cut:
            yield from setting_in_words(cut) if one.name == next(iter(cut)) else ()
        elif text := words(one):
            yield text
