"""Reserve and commit: the simulated settlings request by request, idempotence, lapses, deaths, and over HTTP."""

from __future__ import annotations

import json
import random
from collections import deque
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from aiohttp.test_utils import TestClient, TestServer
from deployment import Deployment, ask, wait_for
from one_loop import Loop, run

from disttrack.fleet.live.http import site_app
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.site_state import SiteState
from disttrack.fleet.live.states import dump, load
from disttrack.fleet.quotas import Quota
from disttrack.protocols.base import EVERYONE, Message
from disttrack.simulator.kinds.registry import kinds_for

COSTS: Final = "3 1 12 2 7 1 5"
GIVEN: Final = {"limit": 150, "window": 80, "costs": COSTS, "every": 9, "size": 4, "slots": 16, "depth": 60}
REGISTERED: Final = kinds_for("protocol", f"{Quota.__module__}:{Quota.__name__}")


def quotas() -> dict[str, Quota]:
    """Return a quota of each registered kind and shape, with a reserve."""
    made = {}
    for name, kind in sorted(REGISTERED.items()):
        maker = kind.load()
        own = {one.name for one in fields(maker)}
        shapes = ("window", "sliding", "bucket") if "shape" in own else (maker.shape,)
        for shape in shapes:
            given = {one: value for one, value in GIVEN.items() if one in own and (one != "depth" or shape == "bucket")}
            given |= {"shape": shape} if "shape" in own else {}
            made[f"{name}-{shape}"] = maker(**given, reserve=4, settle=3)
    return made


QUOTAS: Final = quotas()


class Fleet:
    """Sites as state machines and a server, whose messages take no time; costs are committed, or settled if not."""

    def __init__(self, protocol: Quota, commits: bool, k: int = 3) -> None:
        rng = np.random.default_rng(1)
        self.rule, self.commits, self.now = protocol, commits, 0
        self.sites = [SiteState(protocol, k, number, 1, commits=commits) for number in range(k)]
        self.server: Any = protocol.server(k, rng)
        self.costs: list[dict[int, int]] = [{} for _ in range(k)]

    def do(self, site: int, *event: Any) -> None:
        self.send([(site, message) for _, _, message in self.sites[site].apply(event)])

    def send(self, messages: Any) -> None:
        up: deque[tuple[int, Message]] = deque(messages)
        while up:
            sender, message = up.popleft()
            for receiver, answer in self.server.hear(sender, message):
                for site in range(len(self.sites)) if receiver == EVERYONE else (receiver,):
                    up.extend((site, one) for one in self.sites[site].site.hear(answer))
                    if self.commits:
                        self.sites[site].reservations.note_answers(self.sites[site].site)

    def request(self, number: int) -> None:
        """Send a request; its cost is that of the site's place in the cycle."""
        part = self.sites[number]
        cost = part.site.costs.total(part.site.offered, 1) if not self.commits else 0
        if self.commits:
            place = self.rule.listed.first(number, len(self.sites)) + part.site.offered
            cost = self.rule.cycle[place % len(self.rule.cycle)]
            self.do(number, "request", 1)
            self.costs[number][part.site.offered] = cost
        else:
            self.do(number, "take", 1)

    def clocks(self) -> None:
        """Play what clocks do at the end of a step, in the order of the simulator."""
        if self.now % self.rule.period == 0:
            self.send([])
            for receiver, message in self.server.turn():
                for site in range(len(self.sites)) if receiver == EVERYONE else (receiver,):
                    self.send([(site, one) for one in self.sites[site].site.hear(message)])
            for site in range(len(self.sites)):
                self.do(site, "act", "turn")
        if self.now % self.rule.settle == 0:
            for site, part in enumerate(self.sites):
                if not self.commits:
                    self.do(site, "act", "learn_costs")
                    continue
                settlings = self.now // self.rule.settle
                for number, (*_, since) in list(part.reservations.open.items()):
                    if since < settlings - 1:  # known by the second settling, as in a game
                        self.do(site, "commit", number, self.costs[site][number])
                self.do(site, "settle", settlings)
        if self.rule.every and self.now % self.rule.every == 0:
            for site in range(len(self.sites)):
                self.do(site, "act", "flush")


@pytest.mark.parametrize("protocol", QUOTAS.values(), ids=QUOTAS)
def test_commits_at_settlings_admit_what_a_game_admits(protocol: Quota) -> None:
    """Request by request, in each registered kind and shape: the semantics are one.

    A site has one request per settling here: several commits of a step are as many chances for a report or a question,
    and a settling is one.
    """
    games = Fleet(protocol, commits=False), Fleet(protocol, commits=True)
    for step in range(1, 500):
        site = step % 3
        for game in games:
            game.now = step
            game.request(site)
        told = [[(one.site.admitted, one.site.left, one.site.held) for one in game.sites] for game in games]
        assert told[0] == told[1], step
        for game in games:
            game.clocks()
    admitted = [sum(one.site.admitted_cost for one in game.sites) for game in games]
    assert admitted[0] > 2 * protocol.limit
    assert admitted[1] <= admitted[0] + protocol.dearest * len(games[1].sites) * 2


@pytest.mark.parametrize("protocol", QUOTAS.values(), ids=QUOTAS)
def test_a_reservation_that_nobody_commits_lapses_and_a_late_commit_changes_nothing(protocol: Quota) -> None:
    fleet = Fleet(protocol, commits=True)
    part = fleet.sites[0]
    for step in range(1, 10):
        fleet.now = step
        fleet.request(0)
    spent = part.site.admitted_cost
    assert spent == 4 * part.site.admitted == 4 * len(part.reservations.open) > 0
    fleet.do(0, "settle", 1)
    assert part.site.admitted_cost == spent
    again: SiteState = load(dump(part))  # as from a journal
    for one in (part, again):
        one.apply(("settle", 2))
        assert one.site.admitted_cost == 0
        assert not one.reservations.open


def test_prices_are_at_least_the_reserve() -> None:
    part = SiteState(QUOTAS["split-window"], 1, 0, 1, commits=True)
    for estimate, price in ((1, 4), (4, 4), (9, 9)):
        before = part.site.left
        part.apply(("request", estimate))
        assert before - part.site.left == price


@pytest.mark.parametrize("name", ["lease-window", "sliding-lease-sliding"])
@run
async def test_an_id_is_of_one_life_of_one_site(tmp_path: Path, name: str) -> None:
    """Two sites lose their journals and admit again: of all names and numbers, those of open reservations commit."""
    protocol = replace(QUOTAS[name], limit=10**5, window=10**6, settle=10**6)
    rng, former = random.Random(name), 0
    async with Loop(tmp_path, protocol, 2, step=0.001) as loop:
        names: list[tuple[int, str]] = []
        for life in range(3):
            fed = {number: await loop.joined(number, f"{number} of {life}") for number in range(2)}
            names += [(number, site.kept.facts["name"]) for number, site in fed.items()]
            for site in fed.values():
                await site.admit(4)  # by tokens, a site without its state learns by this that its life is new
            admitted = {number: [await site.admit(4) for _ in range(rng.randint(1, 3))] for number, site in fed.items()}
            if life < 2:
                for number in fed:
                    await loop.kill(f"{number} of {life}")
        assert all(map(all, admitted.values()))
        true = {f"{site}-{names[4 + site][1]}-{one}" for site, ones in admitted.items() for one in ones}
        asked = [f"{site}-{name}-{one}" for site in fed for _, name in names for one in range(2, 5)]
        rng.shuffle(asked)
        async with TestClient(TestServer(site_app(fed, Security()))) as client:
            for one in asked:
                before = {number: list(site.part.reservations.open) for number, site in fed.items()}
                got = await client.post("/commit", json={"id": one, "cost": 2})
                assert got.status == (200 if one in true else 404), (one, await got.text())
                left = {number: list(site.part.reservations.open) for number, site in fed.items()}
                assert (before == left) == (one not in true)
                number, _, request = one.split("-")
                former += one not in true and int(request) in before[int(number)]
    assert former >= 3  # an open reservation has the number of an id of another life


@pytest.mark.slow
def test_commits_over_http(tmp_path: Path) -> None:
    rule = "lease limit=20 window=60000 costs='1 16' reserve=4 settle=1500"
    with Deployment(tmp_path, rule, 2, "--step", "1ms", journals=True) as deployment:
        port = deployment.web

        def commit(number: str, cost: int) -> tuple[int, Any]:
            return ask(port, "/commit", {"id": number, "cost": cost})  # type: ignore[no-any-return]

        status, first = ask(port, "/admit", {"site": 1, "cost": 16})
        assert status == 200
        assert 1.4 <= first["lapses"] <= 3
        assert ask(port, "/admit", {"site": 1, "cost": 16})[0] == 429
        assert commit(first["id"], 2) == commit(first["id"], 9) == (200, {"committed": 2})
        status, second = ask(port, "/admit", {"site": 1, "cost": 14})
        assert status == 200, "what was reserved too much is free at once"
        for number, cost, wrong, message in (
            (first["id"][:-1] + "77", 1, 404, "unknown, or of a life of site 1 that has ended"),
            ("nonsense", 1, 404, "no reservation of a site here; got 'nonsense'"),
            (first["id"].replace("1-", "7-", 1), 1, 404, "no reservation of a site here"),
            (second["id"], 17, 400, "cost: must be at most 16, as the protocol says; got 17"),
        ):
            status, text = commit(number, cost)
            assert status == wrong, text
            assert message in json.loads(text)["error"]
        # a killed site's reservation counts until it lapses, also after its return
        deployment.sites.kill()
        deployment.start_sites()
        wait_for(lambda: ask(port, "/healthz")[0] == 200, "its return")
        refused = [ask(port, "/admit", {"site": 1, "cost": 14})[0] == 429 for _ in range(2)]
        assert all(refused) or commit(second["id"], 14)[0] == 410
        wait_for(lambda: ask(port, "/admit", {"site": 1, "cost": 14})[0] == 200, "its lapse")
        assert commit(second["id"], 14)[0] == 410
        status, text = commit("1-" + "0" * 16 + "-1", 1)
        assert status == 404
