"""Requests of a quota over HTTP: their bodies, admission, the commit of late costs, and what a site knows."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any, Final

from aiohttp import web
from pydantic import BaseModel, Field, ValidationError

from disttrack.fleet.live.clock import upcoming
from disttrack.fleet.live.requests import Reservations
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import SiteState
from disttrack.fleet.quotas import Quota
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.simulator.errors import accepted
from disttrack.simulator.experiments.scenario.model import faults_of

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


LARGEST: Final = 10**15 - 1
"""The largest integer of a header field (RFC 9651)."""


class Request(Asked):
    """The body of ``POST /admit``."""

    cost: int = Field(1, ge=1)


class Commit(BaseModel, extra="forbid", strict=True):
    """The body of ``POST /commit``: the reservation, and the true cost of its request, 0 for none."""

    id: str
    cost: int = Field(ge=0)


async def admit(sites: Mapping[int, SiteProcess], request: web.Request) -> web.StreamResponse:
    """Answer ``POST /admit``; with a reserve, an admission has an id for its commit, and the seconds to its lapse."""
    asked = await read_body(request, Request)
    site = site_named(sites, asked)
    part = part_of(site)
    protocol = part.protocol
    if not isinstance(protocol, Quota):
        raise error_of(400, f"{protocol.kind} is no quota: POST /items")
    if asked.cost > protocol.dearest:
        raise error_of(400, f"cost: must be at most {protocol.dearest}, as the protocol says; got {asked.cost}")
    number = await site.admit(asked.cost, READY)
    step, age = site.clock()
    answer: dict[str, object] = {"admitted": bool(number)}
    reservations = part.reservations
    headers = limits(part.site, max(asked.cost, protocol.reserve), step, age, reservations, protocol.settle)
    if number:
        headers.pop("Retry-After", None)
    if number and reservations is not None:
        lapses = (reservations.settlings + 2) * protocol.settle * step - age
        answer |= {"id": f"{part.number}-{site.kept.facts['name']}-{number}", "lapses": round(lapses, 3)}
    return web.json_response(answer, status=200 if number else 429, headers=headers)


async def commit(sites: Mapping[int, SiteProcess], request: web.Request) -> web.StreamResponse:
    """Answer ``POST /commit``: the first commit of a reservation counts, and each later one is answered as it was."""
    asked = await read_body(request, Commit)
    named = re.fullmatch(r"(\d{1,9})-([0-9a-f]{16})-(\d{1,18})", asked.id, re.ASCII)
    site = sites.get(int(named[1])) if named else None
    if named is None or site is None:
        raise error_of(404, f"id: no reservation of a site here; got {asked.id[:60]!r}")
    part, number = part_of(site), int(named[3])
    if part.reservations is None:
        raise error_of(400, "the costs of this protocol are known on arrival: it has no reserve")
    if asked.cost > part.protocol.dearest:
        raise error_of(400, f"cost: must be at most {part.protocol.dearest}, as the protocol says; got {asked.cost}")
    if named[2] != site.kept.facts["name"] or not 1 <= number <= part.site.offered:
        raise error_of(404, f"id: unknown, or of a life of site {part.number} that has ended; got {asked.id!r}")
    cost = await site.commit(number, asked.cost)
    if cost is None:
        raise error_of(410, "id: it has lapsed without a commit, or was committed long ago")
    return web.json_response({"committed": cost})


def limits(
    site: QuotaSite, cost: int, step: float, age: float, reservations: Reservations | None = None, settle: int = 0
) -> dict[str, str]:
    """Return the header fields that say what a site of a quota knows of its limit.

    `RateLimit` and `RateLimit-Policy` are those of draft-ietf-httpapi-ratelimit-headers-09: r is the cost that the site
    may still admit by itself, and t, like `Retry-After`, the seconds, rounded up, before which it does not admit a
    request of this cost that it rejects now, unless a commit or another site gives something back. Without a clock
    there is only r. The policy has whole seconds only: of another window it states q without w. Numbers of more than
    15 digits are none in header fields: such a q is left out with its policy, and such an r is the largest number.

    Parameters
    ----------
    step, age
        Seconds of a step, 0 for no clock, and since the first window began.
    reservations, settle
        Reservations of the site, and steps from one settling of them to the next; None and 0 for none.
    """
    rule: Quota = site.rule
    known = f'"quota";r={min(max(0, site.left), LARGEST)}'
    if not step:
        return {"RateLimit": known}
    now = int(age / step)
    due = (site.window + site.turns_until(cost)) * rule.period
    if reservations is not None and (lapse := reservations.lapse(site)) is not None:
        due = min(due, lapse * settle)
    if rule.every and rule.shape != "window":  # it hears of what comes back by a flush
        due = upcoming(*rule.moments(site.number, site.k)["flush"], max(now, due - 1))
    wait = max(1, ceil(due * step - age))
    policy = {"RateLimit-Policy": _policy(rule, step)} if rule.limit <= LARGEST else {}
    return policy | {"RateLimit": f"{known};t={wait}", "Retry-After": str(wait)}


def _policy(rule: Quota, step: float) -> str:
    """Return the limit, and the window if it is a whole number of seconds; a step is the decimal number written."""
    window = rule.window * Fraction(str(step))
    return f'"quota";q={rule.limit}' + (f";w={window}" if window.denominator == 1 and window <= LARGEST else "")
