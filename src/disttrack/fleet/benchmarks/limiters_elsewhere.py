"""Limiters of Node, HAProxy and nginx beside games of `central`: ``python -m benchmarks.limiters_elsewhere``.

They are asked by the loads of `benchmarks.limiters`, and those that are not installed are left out with a line. Node's
dates and timers are replaced (``limiters.mjs``); its packages are those of the folder in which this is started, put
there by ``npm install``. `@upstash/ratelimit` runs its scripts on a Redis here (redis-server, and the package
ioredis), without their first line, which names a flag of Upstash's own. HAProxy and nginx run in real time, with a
window of 4 seconds, for a minute each: on a machine with other work their counts may be a few too small.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from disttrack.fleet.benchmarks.limiters import STEP, Limiter, rows, show

SCRIPT: Final = Path(__file__).with_name("limiters.mjs")
REAL: Final = 4000 // STEP
"""Steps of a window of programs that run in real time."""
UPSTASH: Final = "@upstash/ratelimit"
RATE: Final = """
    stick-table type string size 10 expire 1m store {stores}
    http-request track-sc0 str(one)
    http-request deny deny_status 429 if {{ {rate}(0) gt {most} }}
    {counts}
"""
HAPROXY: Final = {
    "http_req_rate": {"stores": "http_req_rate({ms}ms)", "rate": "sc_http_req_rate", "counts": ""},
    "gpc0_rate": {
        "stores": "gpc0,gpc0_rate({ms}ms)", "rate": "sc_gpc0_rate", "counts": "http-request sc-inc-gpc0(0)",
    },
}  # fmt: skip


def free_port() -> int:
    """Return a port of this machine that nobody listens to."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Run a program until the block ends; it has begun when it listens to the port."""
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        program.kill()
        program.wait()


# ---------------------------------------------------------------------- Node


@cache
def of_node(package: str) -> str:
    """Return the version of a package in the present folder; empty if it, or what it needs, is not there."""
    file = Path("node_modules", package, "package.json")
    needed = [shutil.which("node"), file.is_file()]
    if package == UPSTASH:
        needed += [shutil.which("redis-server"), Path("node_modules/ioredis").is_dir()]
    return str(json.loads(file.read_text())["version"]) if all(needed) else ""


def by_node(limiter: Limiter, limit: int, window: int, steps: list[int]) -> list[int]:
    """Return the steps in which a limiter of Node admits a request."""
    command = ["node", "--no-warnings", str(SCRIPT), limiter.package, limiter.name, str(limit), str(window * STEP)]

    def answers(port: int = 0) -> list[int]:
        environment = {**os.environ, "REDIS_PORT": str(port)}
        asked = subprocess.run(
            [*command, str(STEP)], input=json.dumps(steps), env=environment, capture_output=True, text=True, check=True
        )
        return list(json.loads(asked.stdout))

    if limiter.package != UPSTASH:
        return answers()
    port = free_port()
    with running(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""], port):
        return answers(port)


# ---------------------------------------------------------------------- in real time


@cache
def of_program(name: str) -> str:
    """Return the version of an installed program; empty if there is none."""
    if shutil.which(name) is None:
        return ""
    said = subprocess.run([name, "-v"], capture_output=True, text=True, check=True)
    found = re.search(r"\d+\.\d+\.\d+", said.stdout + said.stderr)
    return found[0] if found else "of an unknown version"


def in_real_time(port: int, steps: list[int]) -> list[int]:
    """Ask a server in each of the steps; return those, by the time of the question, in which it did not refuse."""
    connection, admitted = HTTPConnection("127.0.0.1", port), []
    begun = time.monotonic()
    for step in steps:
        time.sleep(max(0.0, begun + (step - 1) * STEP / 1000 - time.monotonic()))
        now = time.monotonic()
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        if answer.status == 200:
            admitted.append(1 + round((now - begun) * 1000) // STEP)
    connection.close()
    return admitted


def by_haproxy(limiter: Limiter, limit: int, window: int, steps: list[int]) -> list[int]:
    """Return the steps in which HAProxy admits a request, by a rate of requests, or of those that it admitted."""
    port, form = free_port(), HAPROXY[limiter.name]
    most = limit if limiter.charge == "asked" else limit - 1  # the request is among those asked
    rules = RATE.format(**{**form, "stores": form["stores"].format(ms=window * STEP)}, most=most)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "haproxy.cfg"
        file.write_text(
            "defaults\n    mode http\n    timeout connect 1s\n    timeout client 1m\n    timeout server 1m\n"
            f"frontend one\n    bind 127.0.0.1:{port}{rules}    http-request return status 200\n"
        )
        with running(["haproxy", "-db", "-f", str(file)], port):
            return in_real_time(port, steps)


def by_nginx(limiter: Limiter, limit: int, window: int, steps: list[int]) -> list[int]:
    """Return the steps in which nginx admits a request, by a burst of one less than the limit."""
    port = free_port()
    with TemporaryDirectory() as folder:
        file, rate = Path(folder) / "nginx.conf", limit * 60_000 // (window * STEP)
        file.write_text(
            f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error; events {{}}\n"
            f"http {{ access_log off; limit_req_zone $server_name zone=one:1m rate={rate}r/m;\n"
            f"client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fast;\n"
            f"uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; keepalive_requests 100000;\n"
            f"server {{ server_name one; listen 127.0.0.1:{port}; location / {{ limit_req zone=one burst={limit - 1} "
            "nodelay; limit_req_status 429; empty_gif; } } }\n"
        )
        with running(["nginx", "-c", str(file), "-e", f"{folder}/error"], port):
            return in_real_time(port, steps)


FIRST: Final = "its window begins with a request, not by the clock"
BLOCKS: Final = "after a refusal it blocks for a window"
WHOLE: Final = "it refills in whole intervals, not step by step"
TIME: Final = "it counts in milliseconds of real time"
NODE: Final = tuple(
    Limiter(package, "node", name, None, shape, why, charge, of_node, by_node)
    for package, name, shape, charge, why in (
        ("rate-limiter-flexible", "memory", "window", "asked", FIRST),
        ("rate-limiter-flexible", "blockDuration", "window", "asked", BLOCKS),
        ("express-rate-limit", "memory", "window", "admitted", FIRST),
        ("bottleneck", "refresh", "window", "admitted", FIRST),
        ("bottleneck", "increase", "bucket", "admitted", WHOLE),
        (UPSTASH, "fixedWindow", "window", "admitted", ""),
        (UPSTASH, "slidingWindow", "weighted", "admitted", "it rounds down what the window before weighs"),
        (UPSTASH, "tokenBucket", "bucket", "admitted", WHOLE),
    )
)
PROGRAMS: Final = (
    Limiter("haproxy", "", "http_req_rate", None, "weighted", TIME, "asked", of_program, by_haproxy),
    Limiter("haproxy", "", "gpc0_rate", None, "weighted", TIME, "admitted", of_program, by_haproxy),
    Limiter("nginx", "", "limit_req", None, "bucket", TIME, "admitted", of_program, by_nginx),
)


@click.command()
@click.option("--limit", default=20, show_default=True, help="Requests in a window.")
@click.option("--windows", default=4, show_default=True, help="Length of a load.")
def main(limit: int, windows: int) -> None:
    """Measure limiters that are no Python beside what is predicted."""
    played = [*rows(NODE, limit, 10_000 // STEP, windows), *rows(PROGRAMS, limit, REAL, windows)]
    show((*NODE, *PROGRAMS), played, "npm install, and packages of the system")


if __name__ == "__main__":
    main()
