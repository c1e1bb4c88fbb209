"""What HTTP requests to a site may look like: the scheme of the token, and bodies with one meaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from one_loop import Loop, run

from disttrack.fleet.live.http import site_app
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
