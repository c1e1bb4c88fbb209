"""Many copies of the tracker that samples, for one output: sketch switching (papers, 6.1) and private copies (6.3).

While p is 1 a report of one word serves all copies. Later it names those that it speaks for, a word each, and a
site tosses for the copies one after the other; a change of p lets it toss which reports stay, for all copies, then
how far back the others go, for all, then when each is due. The doubling tracker is one for all copies.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from math import ceil, exp, log, log1p, sqrt
from typing import Any

from reference_game import EVERYBODY, Tape
from reference_sampling import enough, inverse_of

Estimate = Callable[[int], float]
"""From a copy to its estimate."""


def changes(alpha: float, largest: float, total: int) -> int:
    """Return how often an output changes at most that grows by 1 + alpha/2 each time and is at most 1 + alpha/8 off."""
    return max(1, ceil((log1p(alpha / 8) + log(largest / max(total, 1))) / log1p(alpha / 2)) + 1)


def many_copies(
    k: int,
    start: list[int],
    spread: float,
    copies: int,
    tape: Tape,
    look: Callable[[Estimate], None],
    used_up: Callable[[], int],
) -> dict[str, Any]:
    """Return sites and server of so many copies.

    `look` is shown the estimates whenever they may have changed: after a report, and after a change of p. `used_up`
    says how many copies, from the first on, need not be heard any more, which a broadcast tells.
    """
    total = sum(start)
    inverse = inverse_of(spread, k, total)
    count, told, doubled, power = list(start), list(start), list(start), [inverse] * k
    first = [0] * k
    last = [dict.fromkeys(range(copies), 0) for _ in range(k)]
    heard = [dict.fromkeys(range(copies), 0) for _ in range(k)]
    due: list[dict[int, int]] = [{} for _ in range(k)]
    now: dict[str, Any] = {"known": total, "inverse": inverse}

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
        known, gone = message[1]
        first[site] = max(first[site], gone)
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

    def estimate(copy: int) -> float:
        return total + sum(row[copy] - 1 + now["inverse"] for row in heard if row[copy])

    def server(site: int, message: Any) -> list[Any]:
        if message[0] != "double":
            heard[site].update(zip(*message[1], strict=True))
            look(estimate)
            return []
        doubled[site] = message[1]
        if sum(doubled) < max(1, 2 * now["known"]):
            return []
        now["known"] = sum(doubled)
        now["inverse"] = inverse_of(spread, k, now["known"])
        look(estimate)
        return [(EVERYBODY, ("total", (now["known"], used_up()), 2 if used_up() else 1))]

    if inverse > 1:
        for site in range(k):
            toss(site)
    return {"item": item, "site": hear, "server": server}


def sketch_switching(
    k: int, start: list[int], alpha: float, delta: float, largest: float, tape: Tape
) -> dict[str, Any]:
    """Show a copy's estimate once it is 1 + alpha/2 times the output, then go by the next copy."""
    copies = changes(alpha, largest, sum(start))
    spread = alpha / 12 / enough(delta / (32 * copies), k)
    now: dict[str, Any] = {"output": sum(start), "active": 0}

    def look(estimate: Estimate) -> None:
        found = estimate(now["active"])
        if found > 0 and found >= (1 + alpha / 2) * now["output"]:
            now["output"], now["active"] = found, min(now["active"] + 1, copies - 1)

    game = many_copies(k, start, spread, copies, tape, look, lambda: now["active"])
    return {**game, "output": lambda: now["output"]}


def private_copies(
    k: int,
    start: list[int],
    alpha: float,
    delta: float,
    epsilon: float | None,
    largest: float,
    tape: Tape,
    noise: Tape,
    written_down: int = 2**22,
) -> dict[str, Any]:
    """Ask in private whether half of the copies are off by alpha/2; then show a private median of them.

    The test: copies that are off plus Lap(4 / loss) above their half plus Lap(2 / loss), the latter drawn once. It
    ends with its first yes, and a new one begins. `loss` is that of one change; all together lose epsilon
    (advanced composition), or there are 4 sqrt(changes) copies and the loss is what so few can bear. Enough copies: at
    0.35 of them from the border the noise of 2^20 tests for each change stays below, except with delta (papers, 7).
    """
    total = sum(start)
    turns = changes(alpha, largest, total)
    borne = 8 / 0.35 * log(2 * 2**20 * turns / delta)  # copies times loss
    if epsilon is None:
        copies = ceil(4 * sqrt(turns))
        loss = borne / copies
    else:
        loss = epsilon / sqrt(8 * turns * log(1 / delta))
        copies = ceil(borne / loss)
    now: dict[str, Any] = {"output": total, "left": turns}

    def begin_test() -> None:
        now["border"] = copies / 2 + noise.laplace(2 / loss)

    def look(estimate: Estimate) -> None:
        if not now["left"]:
            return
        found = [estimate(copy) for copy in range(copies)]
        off = sum(abs(one - now["output"]) > alpha / 2 * now["output"] for one in found)
        if off + noise.laplace(4 / loss) > now["border"]:
            now["output"] = private_median(found, log1p(alpha / 10), loss, noise, written_down)
            now["left"] -= 1
            begin_test()

    begin_test()
    game = many_copies(k, start, alpha / 4 / sqrt(10), copies, tape, look, lambda: 0)
    return {**game, "output": lambda: now["output"]}


def private_median(found: list[float], step: float, loss: float, noise: Tape, written_down: int) -> float:
    """Return exp(step s), the s below 2^63 drawn with weight exp(-loss distance / 2).

    The distance of a point is by how many ranks it misses the middle; numbers at one point have all of their ranks, so
    that many equal ones are no reason to go anywhere. The largest of logarithms of weights plus Gumbel
    noise is such a draw, a number for each point in turn. Where there are too many points to write them down, it is
    one for each stretch between numbers and for each number, and then a point of the stretch.
    """
    points = ceil(log(2.0**63) / step)
    places = sorted(round(log(max(one, 1)) / step) for one in found)

    def weight(point: int) -> float:
        below, up_to, middle = bisect_left(places, point), bisect_right(places, point), len(places) / 2
        return -loss / 2 * (below - middle if below > middle else middle - up_to if up_to < middle else 0)

    if points <= written_down:
        weights = [weight(point) + noise.gumbel() for point in range(points)]
        return exp(step * weights.index(max(weights)))
    stretches, at = [], 0
    for place in sorted({one for one in places if one < points}):
        stretches += [(at, place - at)] * (at < place) + [(place, 1)]
        at = place + 1
    stretches += [(at, points - at)] * (at < points)
    draws = [noise.gumbel() for _ in stretches]
    weights = [draw + log(size) + weight(at) for draw, (at, size) in zip(draws, stretches, strict=True)]
    at, size = stretches[weights.index(max(weights))]
    return exp(step * (at + noise.one_of(size) - 1))
