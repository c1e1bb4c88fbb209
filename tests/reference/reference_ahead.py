"""Rounds whose poll tells what the next one begins with (docs/martingale.md and docs/tight.md, "A poll of 2k").

The server polls with its own estimate of the items so far. A site answers with its items of the round, and begins the
next one by that estimate in the same moment. When all have answered the server knows the exact number, which it
tells nobody. The first round begins with an announcement, when forwarding each item costs more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_game import EVERYBODY

RuleOf = Callable[[int, int], dict[str, Any] | None]
"""From a round's number, from 1, and the items told to what the sites know of it; None: every item is forwarded.

`next`: from the item of a site's last signal (0: none) to that of its next.
"""
RoundOf = Callable[[dict[str, Any], int, int, bool], dict[str, Any]]
"""From a rule, a round's number, the exact items at its start, and whether these were told, to what the server does.

`bit`: hear a signal; `over`: whether the round is over; `output`; `estimate`: of the items at the end of the round.
"""


def in_rounds_ahead(k: int, start: int, rule_of: RuleOf, round_of: RoundOf) -> dict[str, Any]:
    """Return a tracker with such rounds."""
    number, rule, count, due = [0] * k, [None] * k, [0] * k, [0] * k
    now: dict[str, Any] = {"number": 0, "round": None, "base": start, "told": start, "answers": 0, "sum": 0}

    def begin_site(site: int, told: int) -> None:
        found: Any = rule_of(number[site] + 1, told)
        rule[site], count[site] = found, 0
        if found is not None:
            number[site] += 1
            due[site] = found["next"](0)

    def begin_server(told: int) -> list[Any]:
        found = rule_of(now["number"] + 1, told)
        now["round"] = None
        if found is None:
            return []
        now["number"] += 1
        now["round"] = round_of(found, now["number"], now["base"], told == now["base"])
        return poll() if now["round"]["over"]() else []

    def poll() -> list[Any]:
        now["told"] = max(1, now["round"]["estimate"]())
        return [(EVERYBODY, ("poll", now["told"], 1))]

    def item(site: int) -> list[Any]:
        found: Any = rule[site]
        if found is None:
            return [("item", None, 1)]
        count[site] += 1
        if count[site] < due[site]:
            return []
        due[site] = found["next"](due[site])
        return [("bit", None, 1)]

    def hear(site: int, message: Any) -> list[Any]:
        answer = [("count", count[site], 1)] if message[0] == "poll" else []
        begin_site(site, message[1])
        return answer

    def server(site: int, message: Any) -> list[Any]:
        if message[0] == "item":
            now["base"] += 1
            if rule_of(now["number"] + 1, now["base"]) is None:
                return []
            return [(EVERYBODY, ("round", now["base"], 1)), *begin_server(now["base"])]
        if message[0] == "bit":
            now["round"]["bit"]()
            return poll() if now["round"]["over"]() else []
        now["answers"] += 1
        now["sum"] += message[1]
        if now["answers"] < k:
            return []
        now["base"] += now["sum"]
        now["answers"] = now["sum"] = 0
        return begin_server(now["told"])

    if start:
        for site in range(k):
            begin_site(site, start)
        begin_server(start)
    return {
        "item": item,
        "site": hear,
        "server": server,
        "output": lambda: now["round"]["output"]() if now["round"] else now["base"],
    }
