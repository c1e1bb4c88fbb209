"""Trackers without coins: every item; thresholds of each site (papers, 2.1); increments of all sites alike (2.2)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from reference_rounds import in_rounds


def exact(k: int, start: list[int]) -> dict[str, Any]:
    """Every item is sent."""
    state = {"total": sum(start)}

    def server(site: int, message: Any) -> list[Any]:
        state["total"] += 1
        return []

    return {
        "item": lambda site: [("item", None, 1)],
        "site": lambda site, message: [],
        "server": server,
        "output": lambda: state["total"],
    }


def deterministic(k: int, start: list[int], alpha: Fraction, centred: bool) -> dict[str, Any]:
    """Send when n > (1 + alpha) m, or centred when (1 - alpha) n > (1 + alpha) m, m being the count last sent.

    The message is a bit, since the server works the count out too. It shows the sum of the m, centred times 1 + alpha.
    """
    growth = (1 + alpha) / (1 - alpha) if centred else 1 + alpha
    count, sent, known = list(start), list(start), list(start)
    heard = {"any": any(start)}

    def item(site: int) -> list[Any]:
        count[site] += 1
        if count[site] > growth * sent[site]:
            sent[site] = count[site]
            return [("report", None, 1)]
        return []

    def server(site: int, message: Any) -> list[Any]:
        known[site] = int(growth * known[site]) + 1  # the least whole number above
        heard["any"] = True
        return []

    def output() -> Fraction:
        return sum(known) * ((1 + alpha) if centred and heard["any"] else Fraction(1))

    return {"item": item, "site": lambda site, message: [], "server": server, "output": output}


def deterministic_rounds(k: int, start: list[int], alpha: Fraction) -> dict[str, Any]:
    """Send at every q-th item, q = floor(alpha M / k), in a round begun with M; it ends when M + q bits reaches 2M."""

    def rule(number: int, total: int) -> dict[str, Any] | None:
        step = int(alpha * total / k)
        if step < 1:
            return None
        return {
            "next": lambda due: due + step,
            "unit": step,
            "over": lambda bits: total + step * bits >= 2 * total,
        }

    return in_rounds(k, sum(start), rule)
