"""Difference estimators (papers, 6.2): a doubling's growth is a sum over the binary digits of the blocks done."""

from __future__ import annotations

from math import ceil, log, log2, pi, sqrt
from typing import Any

from reference_game import EVERYBODY, Tape


def division(k: int, alpha: float, delta: float, number: int) -> dict[str, Any]:
    """Return levels, blocks, the bits that end a block and the bits allowed, with failure 6 delta / (pi r)^2.

    Late by sqrt(k ln(3 blocks / failure) / 2) bits at most, off by sqrt(levels) times that (Hoeffding), and the quota
    so that the blocks together double the count.
    """
    levels = ceil(log2(2 / alpha))
    deviation = k * log(3 * 2**levels / (6 * delta / (pi * number) ** 2)) / 2
    slack = min(sqrt(deviation), k) + min(sqrt(levels * deviation), levels * k)
    quota = max(1, int(slack / (alpha * 2**levels - 1)))
    return {"levels": levels, "blocks": 2**levels, "quota": quota, "budget": quota + slack}


def difference_estimators(k: int, start: list[int], alpha: float, delta: float, tape: Tape) -> dict[str, Any]:
    """On each level a bit at a random one of each Delta items since the level's estimator began."""
    number, of, count = [0] * k, [None] * k, [0] * k
    begun: list[list[int]] = [[] for _ in range(k)]
    due: list[list[int]] = [[] for _ in range(k)]
    total = sum(start)
    now: dict[str, Any] = {"number": 0, "of": None, "base": total, "output": total, "answers": 0, "sum": 0}

    def rule(number: int, base: int) -> dict[str, Any] | None:
        found = division(k, alpha, delta, number)
        size = int(alpha * base / found["budget"])
        return {**found, "size": size} if size >= 1 else None

    def begin_site(site: int, base: int) -> None:
        found: Any = rule(number[site] + 1, base)
        of[site], count[site] = found, 0
        if found is not None:
            number[site] += 1
            begun[site] = [0] * found["levels"]
            due[site] = [tape.one_of(found["size"]) for _ in begun[site]]

    def item(site: int) -> list[Any]:
        found: Any = of[site]
        if found is None:
            return [("item", None, 1)]
        count[site] += 1
        said: list[Any] = []
        for level in reversed(range(found["levels"])):  # that of level 0 may end the block of the others
            if due[site][level] == count[site]:
                said.append(("bit", level, 1))
                whole = -(-(count[site] - begun[site][level]) // found["size"]) * found["size"]
                due[site][level] = begun[site][level] + whole + tape.one_of(found["size"])
        return said

    def hear(site: int, message: Any) -> list[Any]:
        found: Any = of[site]
        if message[0] == "poll":
            return [("count", count[site], 1)]
        if message[0] == "round":
            begin_site(site, message[1])
            return []
        for level in range(found["levels"]):
            if message[1] % 2**level == 0:
                begun[site][level] = count[site]
                due[site][level] = count[site] + tape.one_of(found["size"])
        return []

    def begin_server() -> list[Any]:
        now["output"] = now["base"]
        now["of"] = rule(now["number"] + 1, now["base"])
        if now["of"] is not None:
            now["number"] += 1
            now["bits"] = [0] * now["of"]["levels"]
            now["done"], now["finished"], now["polling"] = 0, {}, False
        return [(EVERYBODY, ("round", now["base"], 1))]

    def server(site: int, message: Any) -> list[Any]:
        if message[0] == "item":
            now["base"] += 1
            now["output"] = now["base"]
            return begin_server() if rule(now["number"] + 1, now["base"]) is not None else []
        if message[0] == "count":
            now["answers"] += 1
            now["sum"] += message[1]
            if now["answers"] < k:
                return []
            now["base"] += now["sum"]
            now["answers"] = now["sum"] = 0
            return begin_server()
        now["bits"][message[1]] += 1
        if message[1] or now["bits"][0] < now["of"]["quota"]:
            return []
        now["done"] += 1
        if now["done"] == now["of"]["blocks"]:
            return [(EVERYBODY, ("poll", None, 1))]
        level = 0
        while now["done"] % 2 ** (level + 1) == 0:
            level += 1
        # the digit of this level is set, those below it are 0 now: one estimator over all of their items
        now["finished"] = {one: bits for one, bits in now["finished"].items() if one > level}
        now["finished"][level] = now["bits"][level]
        now["bits"][: level + 1] = [0] * (level + 1)
        now["output"] = now["base"] + now["of"]["size"] * sum(now["finished"].values())
        return [(EVERYBODY, ("block", now["done"], 1))]

    if total:
        for site in range(k):
            begin_site(site, total)
        begin_server()
    return {"item": item, "site": hear, "server": server, "output": lambda: now["output"]}
