"""A server and sites as processes of their own, by the commands of the handbook, and ways to ask and to hurt them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "disttrack.simulator"]
PATIENCE = 30.0


def free_port() -> int:
    """Return a port that nobody listens at."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(true: Callable[[], Any], what: str) -> Any:
    """Return the first result that is true, within the patience."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(OSError, KeyError):
            if found := true():
                return found
        time.sleep(0.02)
    raise AssertionError(f"not within {PATIENCE:g} s: {what}")


def ask(port: int, path: str, body: Any = None, token: str = "", raw: bool = False) -> Any:
    """Return the status and the answer of a request: POST with a body, else GET."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read().decode()
            return answer.status, text if raw else json.loads(text)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


class Running:
    """A command that runs until it is killed, with what it has printed."""

    def __init__(self, *arguments: str, log: Path, stdin: Any = subprocess.DEVNULL) -> None:
        self.arguments, self.log = arguments, log
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*COMMAND, *arguments], stdin=stdin, stdout=output, stderr=output, env=environment
            )

    def kill(self, with_signal: int = signal.SIGKILL) -> None:
        """End it, without a last word unless the signal allows one."""
        self.process.send_signal(with_signal)
        self.process.wait(PATIENCE)

    def printed(self, pattern: str) -> Any:
        """Wait for a line; return the match of the last one."""

        def found() -> Any:
            if self.process.poll() is not None and not list(re.finditer(pattern, self.log.read_text())):
                raise AssertionError(f"it has ended: {self.log.read_text()}")
            return list(re.finditer(pattern, self.log.read_text()))

        return wait_for(found, f"{pattern!r} in {self.log}")[-1]


class Deployment:
    """A server, and sites that take items over HTTP.

    Parameters
    ----------
    folder
        For journals and logs.
    protocol
        As on the command line.
    sites
        Their number; each is a process of its own unless `together`.
    journals
        Whether server and sites have journals.
    through
        Port that sites connect to in place of the server's.
    options
        Of all commands.
    """

    def __init__(
        self, folder: Path, protocol: str, sites: int, *, journals: bool = True, together: bool = False,
        through: int | None = None, port: int | None = None, options: tuple[str, ...] = (), serve: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.folder, self.sites, self.journals, self.options = folder, sites, journals, options
        self.port, self.http = port or free_port(), free_port()
        self.through = through or self.port
        self.server_line = (
            "serve", "--protocol", protocol, "--sites", str(sites), "--listen", f":{self.port}",
            "--http", f":{self.http}", *self._journal("server"), *options, *serve,
        )  # fmt: skip
        self.started: list[Running] = []
        self.server = self.start_server()
        self.site_http = [free_port() for _ in range(1 if together else sites)] * (sites if together else 1)
        which = [f"0-{sites - 1}"] if together else [str(site) for site in range(sites)]
        self.feeds = [self.start_site(name, self.site_http[place]) for place, name in enumerate(which)]
        self.whole()

    def _journal(self, name: str) -> tuple[str, ...]:
        return ("--journal", str(self.folder / f"{name}.journal")) if self.journals else ()

    def start_server(self) -> Running:
        """Start the server, or start it again."""
        self.server = Running(*self.server_line, log=self.folder / "server.log")
        self.started.append(self.server)
        self.server.printed("http at port")
        return self.server

    def start_site(self, which: str, http: int) -> Running:
        """Start a site, or start it again."""
        name = "site{}" if "-" in which else f"site{which}"
        site = Running(
            "feed", "--site", which, "--server", f"127.0.0.1:{self.through}", "--http", f":{http}",
            *self._journal(name), *self.options, log=self.folder / f"site{which}.log",
        )  # fmt: skip
        self.started.append(site)
        return site

    def whole(self) -> None:
        """Wait until all sites are connected."""
        wait_for(lambda: self.estimate()["away"] == [], "all sites connected")

    def estimate(self, token: str = "") -> dict[str, Any]:
        """Return what the server tells."""
        status, told = ask(self.http, "/estimate", token=token)
        assert status == 200, told
        return told  # type: ignore[no-any-return]

    def give(self, site: int, items: int) -> bool:
        """Give a site items, in parts if too many messages wait; return whether it has acknowledged all of them."""
        with suppress(OSError):
            for _ in range(200):
                status, answer = ask(self.site_http[site], "/items", {"site": site, "items": items})
                if status != 503 or "taken" not in answer:
                    return bool(status == 200)
                items -= json.loads(answer)["taken"]
                time.sleep(0.05)
        return False

    def settled(self) -> dict[str, Any]:
        """Wait until no message is on its way; return the estimate then."""

        def all_acknowledged() -> bool:
            told = [ask(port, "/healthz") for port in dict.fromkeys(self.site_http)]
            return all(
                status == 200 and not any(site["unacknowledged"] for site in one["sites"]) for status, one in told
            )

        wait_for(all_acknowledged, "all messages acknowledged")
        seen: list[dict[str, Any]] = [{}]

        def still() -> bool:
            time.sleep(0.1)
            seen.append(self.estimate() | {"seconds_since_message": []})  # which never stands still
            return seen[-1] == seen[-2]

        wait_for(still, "an estimate that no longer changes")
        return seen[-1]

    def stop(self) -> None:
        """Kill all."""
        for running in self.started:
            if running.process.poll() is None:
                running.kill()


@contextmanager
def deployed(*arguments: Any, **options: Any) -> Iterator[Deployment]:
    """Have a deployment for a block."""
    made: list[Deployment] = []

    class Noted(Deployment):
        def start_server(self) -> Running:
            if not made:
                made.append(self)
            return super().start_server()

    try:
        yield Noted(*arguments, **options)
    finally:
        for one in made:
            one.stop()


class Served:
    """A server alone, and commands for sites that a test starts by itself."""

    def __init__(self, folder: Path, protocol: str, sites: int, *options: str) -> None:
        self.folder, self.port, self.http = folder, free_port(), free_port()
        self.started: list[Running] = []
        places = ("--listen", f":{self.port}", "--http", f":{self.http}")
        self.line = ("serve", "--protocol", protocol, "--sites", str(sites), *places, *options)
        self.server = self.start_server()

    def start_server(self) -> Running:
        """Start the server, or start it again."""
        self.server = self._start("server", *self.line)
        self.server.printed("http at port")
        return self.server

    def feed(self, site: int, *options: str, **more: Any) -> Running:
        """Start a site."""
        return self._start(f"site{site}", "feed", "--site", str(site), "--server", f":{self.port}", *options, **more)

    def _start(self, name: str, *line: str, **more: Any) -> Running:
        self.started.append(Running(*line, log=self.folder / f"{name}.log", **more))
        return self.started[-1]

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *error: object) -> None:
        for one in self.started:
            one.process.poll() is None and one.kill()


class Proxy:
    """A TCP proxy between sites and the server. While `cut`, it drops all bytes and keeps connections open."""

    def __init__(self, to: int) -> None:
        self.to, self.cut = to, False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if self.cut:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self.to))
                except OSError:
                    near.close()
                    continue
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(2**16):
                if not self.cut:
                    other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.close()

    def close(self) -> None:
        """Accept no more."""
        self._listener.close()
