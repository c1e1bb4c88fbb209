"""Trackers in rounds: the block tracker (papers, section 4) and the martingale tracker (5.10), and how a round ends.

A round begins with a number that the server tells everybody. When it is over the server polls: each site answers with
its items of the round, and the exact total begins the next round. While a round is not worth it items are forwarded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from reference_game import EVERYBODY, Tape

RuleOf = Callable[[int, int], dict[str, Any] | None]
"""From a round's number, from 1, and its first count to what holds in it:

`next`, from the item of a site's last signal (0: none) to that of its next; `unit`, what a signal adds to the output;
`over`, from the signals so far to whether the round is over. None: every item is forwarded.
"""


def in_rounds(k: int, start: int, rule_of: RuleOf) -> dict[str, Any]:
    """Return a tracker with such rounds."""
    number, rule, count, due = [0] * k, [None] * k, [0] * k, [0] * k
    now: dict[str, Any] = {"number": 0, "rule": None, "base": start, "bits": 0, "answers": 0, "sum": 0}

    def begin_site(site: int, total: int) -> None:
        found: Any = rule_of(number[site] + 1, total)
        rule[site], count[site] = found, 0  # none: the next round is not worth it yet, since it may fail more rarely
        if found is not None:
            number[site] += 1
            due[site] = found["next"](0)

    def begin_server() -> list[Any]:
        now["rule"] = rule_of(now["number"] + 1, now["base"])
        now["number"] += now["rule"] is not None
        now["bits"] = 0
        return [(EVERYBODY, ("round", now["base"], 1))]

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
        if message[0] == "poll":
            return [("count", count[site], 1)]
        begin_site(site, message[1])
        return []

    def server(site: int, message: Any) -> list[Any]:
        if message[0] == "item":
            now["base"] += 1
            return begin_server() if rule_of(now["number"] + 1, now["base"]) is not None else []
        if message[0] == "bit":
            now["bits"] += 1
            return [(EVERYBODY, ("poll", None, 1))] if now["rule"]["over"](now["bits"]) else []
        now["answers"] += 1
        now["sum"] += message[1]
        if now["answers"] < k:
            return []
        now["base"] += now["sum"]
        now["answers"] = now["sum"] = 0
        return begin_server()

    if start:
        for site in range(k):
            begin_site(site, start)
        begin_server()
    return {
        "item": item,
        "site": hear,
        "server": server,
        "output": lambda: now["base"] + (now["rule"]["unit"] * now["bits"] if now["rule"] else 0),
    }


def block(k: int, start: list[int], alpha: float, c: float, tape: Tape) -> dict[str, Any]:
    """A bit at a random one of each D items of a site, D = floor(alpha M / (c sqrt k)); over when M + D bits is 2M."""

    def rule(number: int, total: int) -> dict[str, Any] | None:
        size = int(alpha / (c * sqrt(k)) * total)
        if size < 1:
            return None

        def following(due: int) -> int:
            blocks = -(-due // size)  # those begun by then: the next signal lies in the one after
            return blocks * size + tape.one_of(size)

        return {"next": following, "unit": size, "over": lambda bits: total + size * bits >= 2 * total}

    return in_rounds(k, sum(start), rule)


def martingale(k: int, start: list[int], alpha: float, lam: Callable[[int], float], tape: Tape) -> dict[str, Any]:
    """A bit at every item with probability p = lam sqrt k / (alpha M), worth 1/p; over after k bits."""

    def rule(number: int, total: int) -> dict[str, Any] | None:
        need = lam(number) * sqrt(k) / alpha
        if total < need:
            return None
        p = need / total
        return {"next": lambda due: due + tape.gap(p), "unit": 1 / p, "over": lambda bits: bits >= k}

    return in_rounds(k, sum(start), rule)
