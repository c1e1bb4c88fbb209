"""Reserve and commit: the simulated settlings request by request, idempotence, lapses, deaths, and over HTTP."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from aiohttp.test_utils import TestClient, TestServer
from one_loop import Loop, run
from quick_fleet import Fleet
from small_fleets import SHAPED, made

from disttrack.fleet.live.http import site_app
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.site_state import SiteState
from disttrack.fleet.live.states import dump, load
from disttrack.fleet.quotas import Quota

COSTS: Final = "3 1 12 2 7 1 5"
GIVEN: Final = {"limit": 150, "window": 80, "costs": COSTS, "every": 9, "size": 4, "slots": 16, "depth": 60}
QUOTAS: Final = {
    f"{kind.kind}-{shape}": made((kind, shape), **GIVEN, reserve=4, settle=3)
    for kind, shape in SHAPED
    if shape != "weighted"
}
"""A quota of each registered kind and shape, with a reserve."""


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


@pytest.mark.parametrize("name", [name for name, one in QUOTAS.items() if one.shape == "window"])
def test_a_commit_after_its_window_gives_nothing_to_the_next_one(name: str) -> None:
    fleet = Fleet(QUOTAS[name], commits=True)
    part = fleet.sites[0]
    fleet.request(0)
    ((number, _),) = part.reservations.open.items()
    fleet.now = fleet.rule.window
    fleet.clocks()
    before = part.site.left
    fleet.do(0, "commit", number, 1)
    assert part.site.left == before


@pytest.mark.parametrize("name", ["central-sliding", "central-bucket"])
def test_what_a_commit_leaves_in_a_shape_is_not_the_sites(name: str) -> None:
    """The server has counted it, and may forget it before the site would use it."""
    fleet = Fleet(QUOTAS[name], commits=True)
    fleet.request(0)
    ((number, _),) = fleet.sites[0].reservations.open.items()
    fleet.do(0, "commit", number, 1)
    assert fleet.sites[0].site.left == 0


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
