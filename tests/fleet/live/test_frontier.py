"""Utilisation against overspend by what is reserved: processes under a load of requests over HTTP beside games."""

from __future__ import annotations

import asyncio
import os
import random
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import aiohttp
import numpy as np
import pytest
from deployment import deployed

from disttrack.adversaries import RoundRobin
from disttrack.fleet.quotas import Lease
from disttrack.fleet.quotas.costs import Costs
from disttrack.fleet.task import by_window
from disttrack.simulator import play

STEP: Final = 0.01 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
"""Seconds of a step, on a machine that does nothing else: 100 requests come per second."""
SITES, WINDOW, WINDOWS, SETTLE = 3, 300, 2, 20
SPENT: Final = np.ceil(np.random.default_rng(7).lognormal(3, 0.7, 100)).astype(int)
"""Costs of requests: log-normal, four times the mean at most."""
LIMIT: Final = int(WINDOW * SPENT.mean() / 3)


def shares(admitted: list[int]) -> tuple[float, float]:
    """Return utilisation and overspend of windows with these costs admitted, on average."""
    used, more = fmean(min(LIMIT, cost) for cost in admitted), fmean(max(LIMIT, cost) for cost in admitted)
    return used / LIMIT, more / LIMIT - 1


class Load:
    """Clients that send a request per step, to the sites in turn, and commit its cost after one to two settlings.

    Those are the times after which a game knows it; reservations lapse later.
    """

    def __init__(self, rule: Lease, web: aiohttp.ClientSession) -> None:
        self.web, self.draw = web, random.Random(1)
        self.costs = [Costs(rule.cycle, rule.listed.first(site, SITES)) for site in range(SITES)]
        self.admitted = [0] * WINDOWS
        """The cost admitted in each window."""
        self.statuses: set[int] = set()
        """Of commits."""

    async def play(self, estimate: str, ports: list[int]) -> None:
        """Send the requests of all windows, from the beginning of one on."""
        first = await self._window(estimate)
        while await self._window(estimate) == first:
            await asyncio.sleep(STEP / 5)
        began = time.monotonic()
        async with asyncio.TaskGroup() as running:
            for number in range(WINDOW * WINDOWS):
                await asyncio.sleep(max(0.0, began + (number + 0.5) * STEP - time.monotonic()))
                running.create_task(self._request(ports[number % SITES], number))

    async def _window(self, estimate: str) -> int:
        async with self.web.get(estimate) as answer:
            return int((await answer.json())["window"])

    async def _request(self, port: int, number: int) -> None:
        site = number % SITES
        told = await self._post(port, "/admit", {"site": site, "cost": 1})
        if not told["admitted"]:
            return
        cost = self.costs[site].total(number // SITES, 1)
        self.admitted[number // WINDOW] += cost
        await asyncio.sleep(self.draw.uniform(1, 2) * SETTLE * STEP)
        self.statuses.add((await self._post(port, "/commit", {"id": told["id"], "cost": cost}))["status"])

    async def _post(self, port: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self.web.post(f"http://127.0.0.1:{port}{path}", json=body) as answer:
            return {"status": answer.status, **(await answer.json())}


def over_http(rule: Lease, folder: Path) -> Load:
    """Return what clients got of processes."""
    costs = " ".join(map(str, rule.cycle))
    line = f"lease limit={LIMIT} window={WINDOW} costs='{costs}' reserve={rule.reserve} settle={rule.settle}"

    async def run(estimate: str, ports: list[int]) -> Load:
        async with aiohttp.ClientSession() as web:
            load = Load(rule, web)
            await load.play(estimate, ports)
            return load

    with deployed(folder, line, SITES, journals=False, serve=("--step", f"{STEP * 1000:.3f}ms")) as one:
        return asyncio.run(run(f"http://127.0.0.1:{one.http}/estimate", one.site_http))


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("quantile", [0.0, 0.75, 1.0])
def test_the_frontier_over_http_is_that_of_games(quantile: float, tmp_path: Path) -> None:
    """Within 5 % of the limit. With the least reserve a fifth is overspent, with the largest a seventh is not used."""
    reserve = int(np.quantile(SPENT, quantile, method="inverted_cdf"))
    rule = Lease(LIMIT, WINDOW, costs=tuple(SPENT.tolist()), reserve=reserve, settle=SETTLE)
    game = play(rule, RoundRobin(), sites=SITES, items=WINDOW * WINDOWS)
    load = over_http(replace(rule, settle=3 * SETTLE), tmp_path)
    expected = shares([row["admitted"] for row in by_window(game.looks, WINDOW)])
    print(reserve, expected, shares(load.admitted))
    assert load.statuses == {200}
    assert shares(load.admitted) == pytest.approx(expected, abs=0.05)
