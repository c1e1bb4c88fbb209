"""The tracker by partial differential privacy (papers, section 5: Algorithms 1 and 2, the counter Algorithm 3)."""

from __future__ import annotations

from math import ceil, log, pi, sqrt
from typing import Any

from reference_game import Tape
from reference_rounds import in_blocks, in_rounds


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
        "releases": phases,
        "shift": 0,
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


def in_phases(base: int, size: int, of: dict[str, Any], counter: Any, noise: Tape) -> dict[str, Any]:
    """A round of phases of a noisy number of bits; after each of the first `releases` there is a new output."""
    now: dict[str, Any] = {"phase": 1, "bits": 0, "all": 0, "output": base + size * of["shift"]}

    def open_phase() -> None:
        """Draw the lengths of phases until one is above 0, or no phase is left."""
        while now["phase"] <= of["phases"]:
            now["threshold"] = of["length"] + noise.laplace(of["threshold_noise"])
            if now["threshold"] > 0:
                return
            close_phase()

    def close_phase() -> None:
        if now["phase"] <= of["releases"]:
            now["output"] = base + size * (counter(now["bits"]) + of["shift"])
        now["bits"] = 0
        now["phase"] += 1

    def bit() -> None:
        now["all"] += 1
        now["bits"] += 1
        if now["phase"] <= of["phases"] and now["bits"] >= now["threshold"]:
            close_phase()
            open_phase()

    open_phase()
    return {
        "bit": bit,
        "over": lambda: now["phase"] > of["phases"],
        "output": lambda: now["output"],
        "estimate": lambda: base + size * now["all"],
    }


def robust(k: int, start: list[int], alpha: float, delta: float, tape: Tape, noise: Tape) -> dict[str, Any]:
    """A bit at a random one of each Delta items of a site; a new output after each phase.

    The round is over after the last phase, or when a site begins block k' + 1.
    """

    def rule(number: int, total: int) -> dict[str, Any] | None:
        of = numbers(k, alpha, delta, number, total)
        return of and {**of, "next": in_blocks(of["size"], tape), "last": of["blocks"] * of["size"]}

    def begin(of: dict[str, Any], number: int, base: int, exact: bool) -> dict[str, Any]:
        return in_phases(base, of["size"], of, binary_counter(of["node_noise"], noise), noise)

    return in_rounds(k, sum(start), rule, begin)
