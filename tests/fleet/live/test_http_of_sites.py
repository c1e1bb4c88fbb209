"""HTTP of sites and the server: the scheme of the token, bodies with one meaning, items up to a message, metrics."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from one_loop import Loop, run
from prometheus_client.parser import text_string_to_metric_families

from disttrack.fleet.live.http import server_app, site_app
from disttrack.fleet.live.link import Security
from disttrack.protocols import Deterministic


@pytest.mark.parametrize(
    ("scheme", "body", "status", "answer"),
    [
        ("Bearer ", '{"items": 5}', 200, '"taken": 5'),
        ("bearer ", '{"items": 5}', 200, '"taken": 5'),
        ("BEARER  ", '{"items": 5}', 200, '"taken": 5'),
        ("Basic ", '{"items": 5}', 401, "another token"),
        ("", '{"items": 5}', 401, "another token"),
        ("Bearer ", '{"items": 1, "items": 7}', 400, "the body must be JSON: the key 'items' occurs twice"),
        ("Bearer ", "[]", 400, "must be an object (accepted: site, items, until_message); got []"),
        ("Bearer ", '{"item": 1}', 400, "item: unknown key; did you mean 'items'? (accepted: site"),
        ("Bearer ", '{"items": -3}', 400, "items: must be at least 1; got -3"),
        ("Bearer ", '{"items": "3"}', 400, "items: must be a whole number; got '3'"),
    ],
)
@run
async def test_a_request_is_answered_by_one_reading(
    tmp_path: Path, scheme: str, body: str, status: int, answer: str
) -> None:
    async with Loop(tmp_path, Deterministic(alpha=0.1), 1) as loop:
        site = await loop.joined(0)
        async with TestClient(TestServer(site_app({0: site}, Security("the token")))) as client:
            got = await client.post("/items", data=body, headers={"Authorization": f"{scheme}the token"})
            assert got.status == status
            assert answer in await got.text()
        assert site.part.machine.items == (5 if status == 200 else 0)


@run
async def test_items_are_taken_up_to_one_that_leads_to_a_message(tmp_path: Path) -> None:
    """By hand: the next report of `deterministic` comes with the first count above 1.1 times the one that was sent."""
    ends = [1]
    while ends[-1] <= 300:
        ends.append(11 * ends[-1] // 10 + 1)
    ends = [*ends[:-1], 300]
    async with Loop(tmp_path, Deterministic(alpha=0.1), 1) as loop:
        apps = TestServer(site_app({0: await loop.joined(0)}, Security()))
        told = []
        async with TestClient(apps) as client:
            for begun in (0, *ends[:-1]):
                got = await client.post("/items", json={"items": 300 - begun, "until_message": True})
                told.append(await got.json())
    assert [*accumulate(one["taken"] for one in told)] == ends
    assert [one["message"] for one in told] == [True] * (len(ends) - 1) + [False]


@run
async def test_metrics_are_those_that_prometheus_reads(tmp_path: Path) -> None:
    async with Loop(tmp_path, Deterministic(alpha=0.1), 2) as loop:
        sites = {number: await loop.joined(number) for number in range(2)}
        sites[1].take(500)
        told = await loop.quiet()
        server, of_sites = server_app(loop.server), site_app(sites, Security())
        keys = {"estimate": "value", "estimate_low": "estimate_low", "estimate_high": "estimate_high"}
        for app, stated in (
            (server, {name: told[key] for name, key in keys.items()} | {"begins_anew": 0, "site_connected": 1}),
            (of_sites, {"items_total": 500}),
        ):
            async with TestClient(TestServer(app)) as client:
                text = await (await client.get("/metrics")).text()
            samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
            for name, value in stated.items():
                assert value in [sample.value for sample in samples if sample.name == f"disttrack_{name}"]


@run
async def test_requests_that_no_site_here_takes_are_answered_in_a_line(tmp_path: Path) -> None:
    async with Loop(tmp_path, Deterministic(alpha=0.1), 2) as loop:
        sites = {number: await loop.joined(number) for number in range(2)}
        async with TestClient(TestServer(site_app(sites, Security()))) as client:
            for path, body, status, says in (
                ("/items", {"site": 5}, 400, "site: must be one of 0, 1; got 5"),
                ("/items", {"items": 1}, 400, "site: must be one of 0, 1; it is missing"),
                ("/admit", {"site": 0, "cost": 1}, 400, '{"error": "deterministic is no quota: POST /items"}'),
                ("/nowhere", {}, 404, ""),
            ):
                got = await client.post(path, json=body)
                assert got.status == status
                assert says in await got.text()
