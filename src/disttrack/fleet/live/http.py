"""The HTTP interfaces of a server and of sites: estimate, items and requests, health, metrics.

Statuses: 400 bad input, 401 another token, 404 and 410 no open reservation, 429 not admitted, 503 not ready.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from pydantic import Field

from disttrack.fleet.live import estimate as estimates
from disttrack.fleet.live.admission import Asked, admit, commit, error_of, part_of, read_body, site_named
from disttrack.fleet.live.journal import Kept
from disttrack.fleet.live.link import BEAT, Security
from disttrack.fleet.live.server import ServerProcess
from disttrack.fleet.live.site import SiteProcess
from disttrack.fleet.live.site_state import MOST
from disttrack.fleet.quotas import Quota
from disttrack.simulator.errors import RunError
from disttrack.simulator.game.outputs import measured

LARGEST: Final = 2**14
"""Bytes of the body of a request."""
BACKLOG: Final = 10_000
"""Messages that may wait at a site; above it, items are taken when these have been acknowledged."""
FIRST: Final = 5.0
"""Seconds for the first request of a connection."""
IDLE: Final = 30.0
"""Seconds for a further one; longer than any answer takes."""
SLICE: Final = 1_000
"""Items that are taken at once, or those up to a message if these are more."""


class Guard:
    """Closes connections that send no whole request in time."""

    def __init__(self) -> None:
        self._since: dict[object, tuple[float, float]] = {}
        """For each connection, the time of what came last, and the seconds for the next request."""

    def note(self, request: web.Request) -> None:
        """Note that a request has come, or has been answered."""
        self._since[request.protocol] = time.monotonic(), IDLE

    async def watch(self, server: web.Server) -> None:
        """Close idle connections, for ever."""
        while True:
            await asyncio.sleep(BEAT)
            now, known = time.monotonic(), self._since
            self._since = {one: known.get(one, (now, FIRST)) for one in server.connections}
            for connection in list(server.connections):
                since, patience = self._since[connection]
                if now - since > patience:
                    connection.force_close()


GUARD: Final = web.AppKey("guard", Guard)
WATCH: Final = web.AppKey("watch", list[asyncio.Task[None]])

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Values = Iterable[tuple[str, str, bool, Mapping[str, float]]]
"""Metrics: name, meaning, whether it only grows, and its values by site ("" for one value)."""


class Items(Asked):
    """The body of ``POST /items``; with `until_message`, items after the first that leads to a message are left."""

    items: int = Field(1, ge=1, le=10**18)
    until_message: bool = False


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
            turn = part.protocol.turn_name
            above = f"{turn.title()}s at whose end more was counted than may be admitted at once."
            yield f"{turn}s_above_limit", above, True, {"": part.above}
            doubt = f"{turn.title()}s in which the server had lost what was spent."
            yield f"{turn}s_in_doubt", doubt, True, {"": part.in_doubt}
        silent = {str(site): one for site, one in enumerate(estimates.silences(server)) if one is not None}
        yield "seconds_since_message", "Seconds since the last message of each site.", False, silent
        yield "messages_up", "Messages of each site.", True, _by_site(ledger.up_sites)
        yield "messages_down", "Messages to each site.", True, _by_site(ledger.down_sites)
        yield "words", "Words in both directions.", True, {"": ledger.words}
        yield "bytes", "Bytes of messages and acknowledgements.", True, {"": server.bytes}
        connected = _by_site(site in server.peers for site in range(part.k))
        yield "site_connected", "Whether each site is connected.", False, connected
        missing = {str(site): inf if most is None else most for site, most in estimates.unknown(server).items()}
        yield "unknown_items", "Upper bound on the items of each site that may be lost.", False, missing
        yield "refused_peers", "Peers that were refused.", True, {"": server.refused}

    return _app(server.security, [server.kept], values, ("GET", "/estimate", estimate), ("GET", "/healthz", healthz))


def site_app(sites: Mapping[int, SiteProcess], security: Security) -> web.Application:
    """Return the application of sites: ``POST /items``, ``/admit``, ``/commit``, ``GET /healthz``, ``/metrics``."""

    async def items(request: web.Request) -> web.StreamResponse:
        asked = await read_body(request, Items)
        site = site_named(sites, asked)
        part = part_of(site)
        if isinstance(part.protocol, Quota):
            raise error_of(400, "this is a quota: POST /admit")
        most = MOST // part.k
        if part.machine.items + asked.items > most:
            raise error_of(400, f"items: a site counts up to {most:,}, and has {part.machine.items:,}")
        number: int = min(asked.items, part.machine.silence() + 1) if asked.until_message else asked.items
        taken, message = 0, False
        while taken < number and len(part.session.waiting) < BACKLOG:
            some = min(number - taken, max(SLICE, part.machine.silence() + 1))
            message |= site.take(some)
            taken += some
        status = 200 if taken == number else 503  # the rest is to be sent again
        return web.json_response({"taken": taken, "message": message}, status=status)

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
        reserved = {str(one): len(p.reservations.open) for one, p in ready.items() if p.reservations is not None}
        yield "reservations", "Reservations that are neither committed nor over.", False, reserved

    posts: dict[str, Handler] = {"/items": items, "/admit": partial(admit, sites), "/commit": partial(commit, sites)}
    routes = [("POST", path, handler) for path, handler in posts.items()]
    return _app(security, [site.kept for site in sites.values()], values, *routes, ("GET", "/healthz", healthz))


# ---------------------------------------------------------------------- common parts


def _app(
    security: Security, journals: Sequence[Kept], values: Callable[[], Values], *routes: tuple[str, str, Handler]
) -> web.Application:
    """Return an application with these routes and ``/metrics``, open to holders of the token."""
    watch = Guard()

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("utf-8", "replace"), security.token.encode())
        if security.token and not (right and scheme.lower() == "bearer"):
            raise error_of(401, "another token")
        watch.note(request)
        try:
            if any(kept.broken for kept in journals):
                raise RunError("the journal cannot be written")
            return await handler(request)
        except (RunError, TimeoutError) as error:
            raise error_of(503, str(error)) from error
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


def quiet(record: logging.LogRecord) -> bool:
    """Shorten the log of what is no HTTP to a line: it is the peer's fault, and has no use for a traceback."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError | ConnectionError | ValueError):
        record.exc_info, record.exc_text = None, None
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", ()
    return True
