"""Trackers that sample: Huang, Yi and Zhang's with its doubling tracker (papers, section 3), and switching (6.1).

Each of many copies alike: a report carries the site's count n, with probability p; the estimate of a site is
n - 1 + 1/p. The doubling tracker beside them is one for all copies.
"""

from __future__ import annotations

from math import ceil, exp, log, log1p, sqrt
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


def sketch_switching(
    k: int, start: list[int], alpha: float, delta: float, largest: float, tape: Tape
) -> dict[str, Any]:
    """Show a copy's estimate once it is 1 + alpha/2 times the output, then go by the next copy.

    While p is 1 a report of one word serves all copies. Later it names those that it speaks for, a word each, and a
    site tosses for the copies one after the other; a change of p lets it toss which reports stay, for all copies, then
    how far back the others go, for all, then when each is due. A broadcast tells the copies that are used up.
    """
    total = sum(start)
    copies = max(1, ceil((log1p(alpha / 8) + log(largest / max(total, 1))) / log1p(alpha / 2)) + 1)
    spread = alpha / 12 / enough(delta / (32 * copies), k)
    inverse = inverse_of(spread, k, total)
    count, told, doubled, power = list(start), list(start), list(start), [inverse] * k
    first = [0] * k
    last = [dict.fromkeys(range(copies), 0) for _ in range(k)]
    heard = [dict.fromkeys(range(copies), 0) for _ in range(k)]
    due: list[dict[int, int]] = [{} for _ in range(k)]
    now: dict[str, Any] = {"known": total, "inverse": inverse, "output": total, "active": 0}

    def toss(site: int) -> None:
        due[site] = {copy: count[site] + tape.gap(1 / power[site]) for copy in range(first[site], copies)}

    def item(site: int) -> list[Any]:
        count[site] += 1
        number = count[site] - start[site]
        said: list[Any] = []
        if power[site] == 1:
            last[site] = dict.fromkeys(last[site], number)
            said.append(("report", (range(copies), [number] * copies), 1))
        else:
            those = [copy for copy in range(first[site], copies) if due[site][copy] == count[site]]
            for copy in those:
                last[site][copy] = number
                due[site][copy] = count[site] + tape.gap(1 / power[site])
            if those:
                said.append(("report", (those, [number] * len(those)), len(those)))
        if count[site] >= max(1, 2 * told[site]):
            told[site] = count[site]
            said.append(("double", count[site], 1))
        return said

    def hear(site: int, message: Any) -> list[Any]:
        known, used_up = message[1]
        first[site] = max(first[site], used_up)
        before, after = power[site], inverse_of(spread, k, known)
        if before == after:
            return []
        power[site] = after
        those = range(first[site], copies)
        stay = [tape.falls(before / after) for _ in those]
        back = [tape.gap(1 / after) for _ in those]
        changed = []
        for copy, stays, gap in zip(those, stay, back, strict=True):
            anew = last[site][copy] if stays else max(0, last[site][copy] - gap)
            if anew != last[site][copy]:
                last[site][copy] = anew
                changed.append(copy)
        toss(site)
        return [("adjust", (changed, [last[site][copy] for copy in changed]), len(changed))] if changed else []

    def server(site: int, message: Any) -> list[Any]:
        said: list[Any] = []
        if message[0] == "double":
            doubled[site] = message[1]
            if sum(doubled) < max(1, 2 * now["known"]):
                return []
            now["known"] = sum(doubled)
            now["inverse"] = inverse_of(spread, k, now["known"])
            look()
            said = [(EVERYBODY, ("total", (now["known"], now["active"]), 2 if now["active"] else 1))]
        else:
            heard[site].update(zip(*message[1], strict=True))
            look()
        return said

    def look() -> None:
        active = now["active"]
        estimate = total + sum(row[active] - 1 + now["inverse"] for row in heard if row[active])
        if estimate > 0 and estimate >= (1 + alpha / 2) * now["output"]:
            now["output"], now["active"] = estimate, min(active + 1, copies - 1)

    if inverse > 1:
        for site in range(k):
            toss(site)
    return {"item": item, "site": hear, "server": server, "output": lambda: now["output"]}
