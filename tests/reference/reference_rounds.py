"""Trackers in rounds: the block tracker (papers, section 4) and the martingale tracker (5.10), and how a round ends.

A round begins with a number that the server tells everybody. When it is over the server polls: each site answers with
its items of the round, and the exact total begins the next round. While a round is not worth it items are forwarded.

Or a poll tells what the next round begins with (docs/proofs.md, "A poll of 2k"): the server's own
estimate of the items so far. A site answers, and begins the next round by that estimate in the same moment. When all
have answered the server knows the exact number, which it tells nobody. Only the first round is announced.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from reference_game import EVERYBODY, Tape

RuleOf = Callable[[int, int], dict[str, Any] | None]
"""From a round's number, from 1, and the items told to what the sites know of it; None: every item is forwarded.

`next`, from the item of a site's last signal (0: none) to that of its next; `last`, if there is one, the last item of a
site before it ends the round.
"""
RoundOf = Callable[[dict[str, Any], int, int, bool], dict[str, Any]]
"""From a rule, a round's number, the exact items at its start, and whether these were told, to what the server does.

`bit`: hear a signal; `over`: whether the round is over; `output`; `estimate`: of the items at the end of the round.
"""


def adding(rule: dict[str, Any], number: int, base: int, exact: bool) -> dict[str, Any]:
    """A round in which a signal adds `unit` of the rule to the output, and `over` says after how many it ends."""
    now = {"bits": 0}

    def bit() -> None:
        now["bits"] += 1

    def output() -> Any:
        return base + rule["unit"] * now["bits"]

    over = lambda: rule["over"](now["bits"])  # noqa: E731
    return {"bit": bit, "over": over, "output": output, "estimate": lambda: round(output())}


def in_rounds(k: int, start: int, rule_of: RuleOf, round_of: RoundOf = adding, ahead: bool = False) -> dict[str, Any]:
    """Return a tracker with such rounds; `ahead`: a poll tells the next one's estimate."""
    number, rule, count, due = [0] * k, [None] * k, [0] * k, [0] * k
    now: dict[str, Any] = {"number": 0, "round": None, "base": start, "told": start, "answers": 0, "sum": 0}

    def begin_site(site: int, told: int) -> None:
        found: Any = rule_of(number[site] + 1, told)
        rule[site], count[site] = found, 0  # none: the next round is not worth it yet, since it may fail more rarely
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

    def announced() -> list[Any]:
        return [(EVERYBODY, ("round", now["base"], 1)), *begin_server(now["base"])]

    def poll() -> list[Any]:
        now["told"] = max(1, now["round"]["estimate"]()) if ahead else None
        return [(EVERYBODY, ("poll", now["told"], 1))]

    def item(site: int) -> list[Any]:
        found: Any = rule[site]
        if found is None:
            return [("item", None, 1)]
        count[site] += 1
        if count[site] > found.get("last", count[site]):
            return [("end", None, 1)]
        if count[site] < due[site]:
            return []
        due[site] = found["next"](due[site])
        return [("bit", None, 1)]

    def hear(site: int, message: Any) -> list[Any]:
        answer = [("count", count[site], 1)] if message[0] == "poll" else []
        if message[1] is not None:
            begin_site(site, message[1])
        return answer

    def server(site: int, message: Any) -> list[Any]:
        if message[0] == "item":
            now["base"] += 1
            return announced() if rule_of(now["number"] + 1, now["base"]) is not None else []
        if message[0] == "bit":
            now["round"]["bit"]()
            return poll() if now["round"]["over"]() else []
        if message[0] == "end":
            return poll()
        now["answers"] += 1
        now["sum"] += message[1]
        if now["answers"] < k:
            return []
        now["base"] += now["sum"]
        now["answers"] = now["sum"] = 0
        return begin_server(now["told"]) if ahead else announced()

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


def in_blocks(size: int, tape: Tape) -> Callable[[int], int]:
    """Return where the next signal is: at a random one of each `size` items of a site."""
    return lambda due: -(-due // size) * size + tape.one_of(size)  # blocks begun by then; the next lies after them


def block(k: int, start: list[int], alpha: float, c: float, tape: Tape) -> dict[str, Any]:
    """A bit at a random one of each D items of a site, D = floor(alpha M / (c sqrt k)); over when M + D bits is 2M."""

    def rule(number: int, total: int) -> dict[str, Any] | None:
        size = int(alpha / (c * sqrt(k)) * total)
        if size < 1:
            return None
        return {"next": in_blocks(size, tape), "unit": size, "over": lambda bits: total + size * bits >= 2 * total}

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
