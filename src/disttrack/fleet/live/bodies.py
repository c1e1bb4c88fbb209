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
from disttrack.simulator.errors import accepted
from disttrack.simulator.scenario.model import faults_of

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
        values = json.loads(body or b"{}", object_pairs_hook=_unambiguous)
        if not isinstance(values, dict):
            raise error_of(400, f"must be an object ({accepted(form.model_fields)}); got {str(values)[:40]}")
        return form.model_validate(values)
    except TimeoutError:
        raise error_of(408, f"no body within {READY:g} s") from None
    except ValidationError as error:
        place, message = faults_of(error, values, form)[0]
        raise error_of(400, ": ".join([*map(str, place), message])) from None
    except (ValueError, RecursionError) as error:
        raise error_of(400, f"the body must be JSON: {error}") from None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; ValueError if a key occurs twice, of which each reader might take another value."""
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, _ in pairs if sum(other == key for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice[:40]!r} occurs twice")
    return values


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
