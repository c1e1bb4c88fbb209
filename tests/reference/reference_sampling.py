"""The tracker of Huang, Yi and Zhang, with its doubling tracker (papers, section 3).

A report carries the site's count n, with probability p; the estimate of a site is n - 1 + 1/p. Of several copies the
median counts. The doubling tracker beside them is one for all copies.
"""

from __future__ import annotations

from math import exp, sqrt
from statistics import median
from typing import Any

from reference_game import EVERYBODY, Tape


def inverse_of(spread: float, k: int, known: int) -> int:
    """Return 1/p: the largest power of two not above spread · known / sqrt k, at least 1 (papers, 3.3)."""
    inverse = 1
    while 2 * inverse <= spread * known / sqrt(k):
        inverse *= 2
    return inverse


def randomized(k: int, start: list[int], spread: float, copies: int, tape: Tape) -> dict[str, Any]:
    """Report each item with probability p, a message a copy; show the median of the copies."""
    total = sum(start)
    inverse = inverse_of(spread, k, total)
    count, told, doubled = list(start), list(start), list(start)
    power = [inverse] * k
    last = [[0] * copies for _ in range(k)]  # what each site has reported of its items in the game
    due = [[start[site] + tape.gap(1 / inverse) for _ in range(copies)] for site in range(k)]
    now: dict[str, Any] = {"known": total, "inverse": inverse, "output": total}
    heard = [[0] * copies for _ in range(k)]

    def item(site: int) -> list[Any]:
        count[site] += 1
        said: list[Any] = []
        for copy in range(copies):
            if due[site][copy] == count[site]:
                last[site][copy] = count[site] - start[site]
                said.append(("report", (copy, last[site][copy]), 1))
                due[site][copy] = count[site] + tape.gap(1 / power[site])
        if count[site] >= max(1, 2 * told[site]):
            told[site] = count[site]
            said.append(("double", count[site], 1))
        return said

    def hear(site: int, message: Any) -> list[Any]:
        before, after = power[site], inverse_of(spread, k, message[1])
        if before == after:
            return []
        power[site] = after
        said: list[Any] = []
        for copy in range(copies):
            was = last[site][copy]
            if was and not tape.falls(before / after):  # the report is not one under the new p: walk back (3.4)
                last[site][copy] = max(0, was - tape.gap(1 / after))
                said.append(("adjust", (copy, last[site][copy]), 1))
            due[site][copy] = count[site] + tape.gap(1 / after)
        return said

    def server(site: int, message: Any) -> list[Any]:
        said: list[Any] = []
        if message[0] == "double":
            doubled[site] = message[1]
            if sum(doubled) < max(1, 2 * now["known"]):
                return []
            now["known"] = sum(doubled)
            now["inverse"] = inverse_of(spread, k, now["known"])
            said = [(EVERYBODY, ("total", now["known"], 1))]
        else:
            copy, value = message[1]
            heard[site][copy] = value
        sums = [sum(row[copy] - 1 + now["inverse"] for row in heard if row[copy]) for copy in range(copies)]
        now["output"] = total + median(sums)
        return said

    return {"item": item, "site": hear, "server": server, "output": lambda: now["output"]}


def enough(failure: float, k: int) -> float:
    """Return the c with which exp(-c^2 / (2 (1 + c / (3 sqrt k)))) + exp(-c^2 / (2 (1 + c / sqrt k))) is `failure`."""
    low, high = 1e-9, 1e4
    for _ in range(200):
        c = (low + high) / 2
        sure = exp(-(c**2) / (2 * (1 + c / (3 * sqrt(k))))) + exp(-(c**2) / (2 * (1 + c / sqrt(k)))) < failure
        low, high = (low, c) if sure else (c, high)
    return high
