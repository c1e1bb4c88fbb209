"""A server and sites as processes of their own, by the commands of the handbook, and ways to ask and to hurt them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing, suppress
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

    def feed(self, site: int | str, *options: str, **more: Any) -> Running:
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
