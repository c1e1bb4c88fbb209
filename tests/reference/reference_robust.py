"""The tracker by partial differential privacy (papers, section 5: Algorithms 1 and 2, the counter Algorithm 3)."""

from __future__ import annotations

from math import ceil, log, pi, sqrt
from typing import Any

from reference_game import EVERYBODY, Tape


def numbers(k: int, alpha: float, delta: float, number: int, total: int) -> dict[str, Any] | None:
    """Return what holds in a round, by its number and first count (5.1); None while Delta is below one item (5.4.4)."""
    beta = 6 * delta / (pi**2 * number**2 * sqrt(k))
    c = sqrt((log(sqrt(k)) ** 1.5 + 1) * log(8 * sqrt(k) / beta))
    size = int(alpha * total / (8 * c * sqrt(k)))
    epsilon = c / sqrt(k)
    phases = ceil(sqrt(k))
    if size < 1:
        return None
    return {
        "size": size,
        "blocks": ceil(c * k),
        "phases": phases,
        "length": 2 * c * sqrt(k),
        "threshold_noise": 4 / epsilon,
        "node_noise": (len(f"{phases:b}")) * 4 / epsilon,  # floor(log2 L) + 1 levels (5.4.7)
    }


def binary_counter(scale: float, tape: Tape) -> Any:
    """Return a function that adds a number and returns the private sum so far (Algorithm 3)."""
    sums: dict[int, float] = {}
    noisy: dict[int, float] = {}
    state = {"t": 0}

    def add(x: float) -> float:
        state["t"] += 1
        t = state["t"]
        level = 0
        while not t >> level & 1:
            level += 1
        sums[level] = sum(sums.get(lower, 0) for lower in range(level)) + x
        noisy[level] = sums[level] + tape.laplace(scale)
        for lower in range(level):
            sums[lower] = noisy[lower] = 0
        return sum(noisy[bit] for bit in range(t.bit_length()) if t >> bit & 1)

    return add


def robust(k: int, start: list[int], alpha: float, delta: float, tape: Tape, noise: Tape) -> dict[str, Any]:
    """A bit at a random one of each Delta items of a site; a new output after each phase of a noisy number of bits.

    The round is over after the last phase, or when a site begins block k' + 1.
    """
    number, of, count, due = [0] * k, [None] * k, [0] * k, [0] * k
    total = sum(start)
    now: dict[str, Any] = {"number": 0, "of": None, "base": total, "output": total, "answers": 0, "sum": 0}

    def begin_site(site: int, base: int) -> None:
        found: Any = numbers(k, alpha, delta, number[site] + 1, base)
        of[site], count[site] = found, 0
        if found is not None:
            number[site] += 1
            due[site] = tape.one_of(found["size"])

    def item(site: int) -> list[Any]:
        found: Any = of[site]
        if found is None:
            return [("item", None, 1)]
        count[site] += 1
        if count[site] > found["blocks"] * found["size"]:
            return [("end", None, 1)]
        if count[site] < due[site]:
            return []
        due[site] = -(-due[site] // found["size"]) * found["size"] + tape.one_of(found["size"])
        return [("bit", None, 1)]

    def hear(site: int, message: Any) -> list[Any]:
        if message[0] == "poll":
            return [("count", count[site], 1)]
        begin_site(site, message[1])
        return []

    def begin_server() -> list[Any]:
        now["output"] = now["base"]
        said: list[Any] = [(EVERYBODY, ("round", now["base"], 1))]
        now["of"] = numbers(k, alpha, delta, now["number"] + 1, now["base"])
        if now["of"] is not None:
            now["number"] += 1
            now["phase"], now["bits"] = 1, 0
            now["counter"] = binary_counter(now["of"]["node_noise"], noise)
            if not open_phase():
                said.append((EVERYBODY, ("poll", None, 1)))
        return said

    def open_phase() -> bool:
        """Draw the lengths of phases until one is above 0; return whether there was one."""
        while now["phase"] <= now["of"]["phases"]:
            now["threshold"] = now["of"]["length"] + noise.laplace(now["of"]["threshold_noise"])
            if now["threshold"] > 0:
                return True
            close_phase()
        return False

    def close_phase() -> None:
        now["output"] = now["base"] + now["of"]["size"] * now["counter"](now["bits"])
        now["bits"] = 0
        now["phase"] += 1

    def server(site: int, message: Any) -> list[Any]:
        if message[0] == "item":
            now["base"] += 1
            now["output"] = now["base"]
            if numbers(k, alpha, delta, now["number"] + 1, now["base"]) is None:
                return []
            return begin_server()
        if message[0] == "bit":
            now["bits"] += 1
            if now["bits"] < now["threshold"]:
                return []
            close_phase()
            return [] if open_phase() else [(EVERYBODY, ("poll", None, 1))]
        if message[0] == "end":
            return [(EVERYBODY, ("poll", None, 1))]
        now["answers"] += 1
        now["sum"] += message[1]
        if now["answers"] < k:
            return []
        now["base"] += now["sum"]
        now["answers"] = now["sum"] = 0
        return begin_server()

    if total:
        for site in range(k):
            begin_site(site, total)
        begin_server()
    return {"item": item, "site": hear, "server": server, "output": lambda: now["output"]}
