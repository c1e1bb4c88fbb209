"""The HTTP interfaces of a server and of sites: estimate, items and requests, health, metrics.

Statuses: 400 bad input, 401 another token, 429 a request that is not admitted, 503 not ready.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, inf
from typing import Any, Final

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from pydantic import BaseModel, Field, ValidationError

from disttrack.fleet.live import estimate as estimates
from disttrack.fleet.live.guard import Guard, quiet
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import MOST, SiteState
from disttrack.fleet.quotas import Quota
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.simulator.errors import RunError
from disttrack.simulator.game.outputs import measured

LARGEST: Final = 2**14
"""Bytes of the body of a request."""
READY: Final = 10.0
"""Seconds that a request waits for an answer of the server; then it is not admitted."""

BACKLOG: Final = 10_000
"""Messages that may wait at a site; above it, items are taken when these have been acknowledged."""
SLICE: Final = 1_000
"""Items that are taken at once, or those up to a message if these are more."""
GUARD: Final = web.AppKey("guard", Guard)
WATCH: Final = web.AppKey("watch", list[asyncio.Task[None]])

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Values = Iterable[tuple[str, str, bool, Mapping[str, float]]]
"""Metrics: name, meaning, whether it only grows, and its values by site ("" for one value)."""


class Asked(BaseModel, extra="forbid", strict=True):
    """The body of a request to sites; without a site, it is for the first one."""

    site: int | None = None


class Items(Asked):
    """The body of ``POST /items``; with `until_message`, items after the first that leads to a message are left."""

    items: int = Field(1, ge=1, le=10**18)
    until_message: bool = False


class Request(Asked):
    """The body of ``POST /admit``."""

    cost: int = Field(1, ge=1)


async def listen(app: web.Application, host: str, port: int, security: Security) -> int:
    """Answer requests from now on; return the port, which is chosen if it is given as 0."""
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    logging.getLogger("aiohttp.server").addFilter(quiet)
    await runner.setup()
    assert runner.server is not None
    app[WATCH].append(asyncio.create_task(app[GUARD].watch(runner.server)))
    await web.TCPSite(runner, host, port, ssl_context=security.context(server=True)).start()
    taken: int = runner.addresses[0][1]
    return taken


def server_app(server: ServerProcess) -> web.Application:
    """Return the application of a server: ``GET /estimate``, ``/healthz`` and ``/metrics``."""

    async def estimate(request: web.Request) -> web.StreamResponse:
        return web.json_response(estimates.estimate(server))

    async def healthz(request: web.Request) -> web.StreamResponse:
        away = estimates.estimate(server)["away"]
        return web.json_response({"ok": not away, "away": away, "refused": server.refused}, status=503 if away else 200)

    def values() -> Values:
        part = server.part
        ledger = part.ledger
        if not isinstance(part.protocol, Quota):
            yield "estimate", "The output of the server.", False, {"": float(measured(part.output)[1])}
            yield "estimate_changes", "Changes of the output.", True, {"": part.changes}
            low, high = estimates.bounds(server)
            yield "estimate_low", "Items that the sites have reported, a lower bound.", False, {"": low}
            yield "estimate_high", "Upper bound on the number of items.", False, {"": inf if high is None else high}
            anew = part.counts is not None
            yield "begins_anew", "Whether the sites are being asked for their counts.", False, {"": anew}
        else:
            yield "windows_above_limit", "Windows that are known to have exceeded the limit.", True, {"": part.above}
        silent = {str(site): one for site, one in enumerate(estimates.silences(server)) if one is not None}
        yield "seconds_since_message", "Seconds since the last message of each site.", False, silent
        yield "messages_up", "Messages of each site.", True, _by_site(ledger.up_sites)
        yield "messages_down", "Messages to each site.", True, _by_site(ledger.down_sites)
        yield "words", "Words in both directions.", True, {"": ledger.words}
        yield "bytes", "Bytes of messages and acknowledgements.", True, {"": server.bytes}
        yield (
            "site_connected",
            "Whether each site is connected.",
            False,
            _by_site([site in server.peers for site in range(part.k)]),
        )
        missing = {str(site): inf if most is None else most for site, most in estimates.unknown(server).items()}
        yield "unknown_items", "Upper bound on the items of each site that may be lost.", False, missing
        yield "refused_peers", "Peers that were refused.", True, {"": server.refused}

    return _app(server.security, [server.kept], values, ("GET", "/estimate", estimate), ("GET", "/healthz", healthz))


def site_app(sites: Mapping[int, SiteProcess], security: Security) -> web.Application:
    """Return the application of sites: ``POST /items`` and ``/admit``, ``GET /healthz`` and ``/metrics``."""

    async def items(request: web.Request) -> web.StreamResponse:
        site, asked = await _asked(request, sites, Items)
        part = _part(site)
        if isinstance(part.protocol, Quota):
            raise _error(400, "this is a quota: POST /admit")
        most = MOST // part.k
        if part.machine.items + asked.items > most:
            raise _error(400, f"items: a site counts up to {most:,}, and has {part.machine.items:,}")
        number: int = min(asked.items, part.machine.silence() + 1) if asked.until_message else asked.items
        taken, message = 0, False
        while taken < number and len(part.session.waiting) < BACKLOG:
            some = min(number - taken, max(SLICE, part.machine.silence() + 1))
            message |= site.take(some)
            taken += some
        status = 200 if taken == number else 503  # the rest is to be sent again
        return web.json_response({"taken": taken, "message": message}, status=status)

    async def admit(request: web.Request) -> web.StreamResponse:
        site, asked = await _asked(request, sites, Request)
        protocol = _part(site).protocol
        if not isinstance(protocol, Quota):
            raise _error(400, f"{protocol.kind} is no quota: POST /items")
        if asked.cost > protocol.dearest:
            raise _error(400, f"cost: must be at most {protocol.dearest}, as the protocol says; got {asked.cost}")
        admitted = await site.admit(asked.cost, READY)
        headers = limits(site.part.site, asked.cost, *site.clock())
        if admitted:
            headers.pop("Retry-After", None)
        return web.json_response({"admitted": admitted}, status=200 if admitted else 429, headers=headers)

    async def healthz(request: web.Request) -> web.StreamResponse:
        summaries = [site.summary() for site in sites.values()]
        connected = all(one["connected"] for one in summaries)
        return web.json_response({"sites": summaries}, status=200 if connected else 503)

    def values() -> Values:
        ready = {number: site.part for number, site in sites.items() if site.ready.is_set()}
        yield "items", "Items of each site.", True, {str(one): part.machine.items for one, part in ready.items()}
        yield "messages_up", "Messages of each site.", True, {str(one): p.session.sent for one, p in ready.items()}
        waiting = {str(one): len(part.session.waiting) for one, part in ready.items()}
        yield "unacknowledged", "Messages that the server has not acknowledged.", False, waiting
        quotas = {str(one): p.site for one, p in ready.items() if isinstance(p.protocol, Quota)}
        crowded = sum(pace.crowded for pace in {id(site.pace): site.pace for site in sites.values()}.values())
        yield "crowded_requests", "Requests in a step that had one already at these sites.", True, {"": crowded}
        yield "offered", "Requests of each site.", True, {one: site.offered for one, site in quotas.items()}
        yield "admitted", "Requests admitted by each site.", True, {one: site.admitted for one, site in quotas.items()}

    routes = ("POST", "/items", items), ("POST", "/admit", admit), ("GET", "/healthz", healthz)
    return _app(security, [site.kept for site in sites.values()], values, *routes)


def limits(site: QuotaSite, cost: int, step: float, age: float) -> dict[str, str]:
    """Return the header fields that say what a site of a quota knows of its limit.

    `RateLimit` and `RateLimit-Policy` are those of draft-ietf-httpapi-ratelimit-headers-09: r is the cost that the site
    may still admit by itself, and t, like `Retry-After`, the seconds, rounded up, before which it does not admit a
    request of this cost that it rejects now, unless another site gives something back. Without a clock there is only r.

    Parameters
    ----------
    step, age
        Seconds of a step, 0 for no clock, and since the first window began.
    """
    rule: Quota = site.rule
    known = f'"quota";r={max(0, site.left)}'
    if not step:
        return {"RateLimit": known}
    turns = site.turns_until(rule.reserve or cost)
    every = rule.every if rule.shape != "window" else None  # between flushes nothing comes back then
    due = [] if every else [(site.window + turns) * rule.period]
    if rule.settle:
        due.append((int(age / step) // rule.settle + 1) * rule.settle)
    if every:
        first = (site.number + 1) * every // site.k or 1
        due.append(first + (max(-1, (int(age / step) - first) // every) + 1) * every)
    wait = max(1, ceil(min(due) * step - age))
    policy = f'"quota";q={rule.limit};w={max(1, round(rule.window * step))}'
    return {"RateLimit-Policy": policy, "RateLimit": f"{known};t={wait}", "Retry-After": str(wait)}


# ---------------------------------------------------------------------- common parts


def _app(
    security: Security, journals: Sequence[Kept], values: Callable[[], Values], *routes: tuple[str, str, Handler]
) -> web.Application:
    """Return an application with these routes and ``/metrics``, open to holders of the token."""
    expected = f"Bearer {security.token}".encode()
    watch = Guard()

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").encode("utf-8", "replace")
        if security.token and not hmac.compare_digest(given, expected):
            raise _error(401, "another token")
        watch.note(request)
        try:
            if any(kept.broken for kept in journals):
                raise RunError("the journal cannot be written")
            return await handler(request)
        except RunError as error:
            raise _error(503, str(error)) from error
        finally:
            watch.note(request)

    class Collector:
        def collect(self) -> Iterator[Metric]:
            for name, says, grows, by_site in values():
                labels = [] if "" in by_site else ["site"]
                family = (CounterMetricFamily if grows else GaugeMetricFamily)(f"disttrack_{name}", says, labels=labels)
                for site, value in by_site.items():
                    family.add_metric([site] if labels else [], value)
                yield family

    registry = CollectorRegistry()
    registry.register(Collector())

    async def metrics(request: web.Request) -> web.StreamResponse:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": "text/plain; version=0.0.4"})

    app = web.Application(middlewares=[guard], client_max_size=LARGEST)
    app[GUARD], app[WATCH] = watch, []
    for method, path, handler in (*routes, ("GET", "/metrics", metrics)):
        app.router.add_route(method, path, handler)
    return app


def _by_site(values: Iterable[float]) -> dict[str, float]:
    return {str(site): float(value) for site, value in enumerate(values)}


def _error(status: int, reason: str) -> web.HTTPException:
    kinds: dict[int, type[web.HTTPError]] = {
        400: web.HTTPBadRequest, 401: web.HTTPUnauthorized, 408: web.HTTPRequestTimeout,
        503: web.HTTPServiceUnavailable,
    }  # fmt: skip
    return kinds[status](text=json.dumps({"error": reason}), content_type="application/json")


async def _asked(request: web.Request, sites: Mapping[int, SiteProcess], form: type[Asked]) -> tuple[SiteProcess, Any]:
    """Return the site and the values that the body of a request names."""
    try:
        async with asyncio.timeout(READY):
            body = await request.read()
        asked = form.model_validate_json(body or b"{}")
    except TimeoutError:
        raise _error(408, f"no body within {READY:g} s") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise _error(400, ": ".join([*map(str, first["loc"]), first["msg"]])) from None
    number = next(iter(sites)) if asked.site is None else asked.site
    if number not in sites:
        raise _error(400, f"site: must be one of {', '.join(map(str, list(sites)[:8]))}; got {number}")
    return sites[number], asked


def _part(site: SiteProcess) -> SiteState:
    if not site.ready.is_set():
        raise _error(503, "not connected to the server yet")
    return site.part
