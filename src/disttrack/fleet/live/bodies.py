"""The bodies of HTTP requests to sites, and the errors with which they are refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from aiohttp import web
from pydantic import BaseModel, ValidationError

from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import SiteState

READY: Final = 10.0
"""Seconds that a request waits for its body, or for an answer of the server."""


class Asked(BaseModel, extra="forbid", strict=True):
    """The body of a request to sites; without a site, it is for the only one."""

    site: int | None = None


def error_of(status: int, reason: str) -> web.HTTPException:
    """Return an error as JSON."""
    kinds: dict[int, type[web.HTTPError]] = {
        400: web.HTTPBadRequest, 401: web.HTTPUnauthorized, 404: web.HTTPNotFound,
        408: web.HTTPRequestTimeout, 410: web.HTTPGone, 503: web.HTTPServiceUnavailable,
    }  # fmt: skip
    return kinds[status](text=json.dumps({"error": reason}), content_type="application/json")


async def read_body(request: web.Request, form: type[BaseModel]) -> Any:
    """Return the values of the body of a request."""
    try:
        async with asyncio.timeout(READY):
            body = await request.read()
        return form.model_validate_json(body or b"{}")
    except TimeoutError:
        raise error_of(408, f"no body within {READY:g} s") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise error_of(400, ": ".join([*map(str, first["loc"]), first["msg"]])) from None


def site_named(sites: Mapping[int, SiteProcess], asked: Asked) -> SiteProcess:
    """Return the site that a body names."""
    number = next(iter(sites)) if asked.site is None and len(sites) == 1 else asked.site
    if number is None or number not in sites:
        got = "it is missing" if number is None else f"got {number}"
        raise error_of(400, f"site: must be one of {', '.join(map(str, list(sites)[:8]))}; {got}")
    return sites[number]


def part_of(site: SiteProcess) -> SiteState:
    """Return the part of a site that has been connected."""
    if not site.ready.is_set():
        raise error_of(503, "not connected to the server yet")
    return site.part
