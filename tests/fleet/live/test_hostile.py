"""Peers that speak nonsense, or have no business here: they are refused, and cost nobody else anything."""

from __future__ import annotations

import random
import socket
import ssl
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest
from deployment import Deployment, Served, ask, free_port, wait_for

from disttrack.fleet.live.frames import BEAT, HEARD, HELLO, MESSAGE, VERSION, pack

PEERS = 1_500


def memory_of(deployment: Deployment) -> int:
    """Return the resident memory of the server, in bytes."""
    pages = Path(f"/proc/{deployment.server.process.pid}/statm").read_text().split()[1]
    return int(pages) * 4096


def nonsense(rng: random.Random) -> bytes:
    """Return what no peer sends: bytes at random, frames cut short, and frames of a wrong form or meaning."""
    hello = (HELLO, VERSION, "", 1, "name", *[0] * 8, ())
    values = [None, -1, 2**64 - 1, 1.5, "x" * 50, (), True, {"a": 1}]
    match rng.randrange(7):
        case 0:
            return rng.randbytes(rng.randrange(1, 200))
        case 1:
            return pack(*hello)[: rng.randrange(1, 12)]
        case 2:
            place = rng.randrange(1, len(hello))
            return pack(*hello[:place], rng.choice(values), *hello[place + 1 :])
        case 3:
            return pack(rng.choice([MESSAGE, HEARD, BEAT, 77]), *rng.choices(values, k=rng.randrange(6)))
        case 4:
            return b"\xdd\xff\xff\xff\xff" + rng.randbytes(20)  # an array of 4 thousand million entries
        case 5:
            return b"\xc6\xff\xff\xff\xff" + rng.randbytes(1000)  # and as many bytes
        case _:
            return b"GET /estimate HTTP/1.1\r\nHost: x\r\n\r\n"


def say(port: int, what: bytes) -> bytes:
    """Say something to a port; return the answer."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as peer:
        with suppress(OSError):
            peer.sendall(what)
            peer.shutdown(socket.SHUT_WR)
            return peer.recv(2**16)
        return b""


@pytest.mark.slow
def test_thousands_of_peers_that_speak_nonsense_cost_nobody_anything(tmp_path: Path) -> None:
    rng = random.Random(3)
    with Deployment(tmp_path, "deterministic alpha=0.1", 2) as deployment:
        for _ in range(PEERS // 10):  # the first of them warm the server up
            say(deployment.port, nonsense(rng))
        before = memory_of(deployment)
        for number in range(PEERS):
            say(deployment.port, nonsense(rng))
            if number % 30 == 0:
                assert deployment.give(number // 30 % 2, 10)
        wait_for(lambda: 450 <= deployment.estimate()["value"] <= 500, "all items")
        assert deployment.estimate()["away"] == []
        assert memory_of(deployment) - before < 8 * 2**20
        assert deployment.server.process.poll() is None
        assert ask(deployment.http, "/healthz")[1]["refused"] >= PEERS // 2  # cut greetings say nothing


@pytest.mark.slow
def test_thousands_of_requests_that_are_none_are_refused(tmp_path: Path) -> None:
    rng = random.Random(4)
    bodies = [
        b"", b"[]", b"{", b'{"items": -1}', b'{"items": true}', b'{"items": "9999999999999999999"}', b'{"x": 1}',
        b'{"site": 7}', b'{"items": 0}', b"\xff\xfe", b"[" * 20_000, b'{"items": 1e9}', b'{"items": null}',
    ]  # fmt: skip
    with Deployment(tmp_path, "deterministic alpha=0.1", 1) as deployment:
        site = deployment.web
        for number in range(PEERS):
            body = rng.choice(bodies) + (rng.randbytes(rng.randrange(50)) if rng.random() < 0.3 else b"")
            head = rng.choice([b"POST /items", b"POST /admit", b"GET /estimate", b"PUT /items", rng.randbytes(8)])
            length = rng.choice([len(body), len(body), 10**9, -5])
            port = rng.choice([site, deployment.http])
            answer = say(port, head + b" HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % length + body)
            status = answer.split(b" ")[1:2]
            assert not status or status[0][:1] in (b"4",) or body in (b"",) or b"GET /estimate" in head, answer
            if number % 150 == 0:
                assert deployment.give(0, 10)
        items = ask(site, "/healthz")[1]["sites"][0]["items"]
        assert 100 <= items <= 100 + PEERS  # an empty body is one item
        assert deployment.server.process.poll() is None


def test_another_token_sees_nothing(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("the right one\n")
    with Served(tmp_path, "deterministic alpha=0.1", 1, "--token-file", str(tmp_path / "token")) as one:
        http = one.http
        for path in ("/estimate", "/healthz", "/metrics", "/nowhere"):
            for token in ("", "the wrong one"):
                assert ask(http, path, token=token) == (401, '{"error": "another token"}')
        assert ask(http, "/estimate", token="the right one")[0] == 200
        (tmp_path / "wrong").write_text("the wrong one")
        site = one.feed(0, "--http", f":{free_port()}", "--token-file", str(tmp_path / "wrong"))
        site.printed("site 0: refused by the server: another token")
        assert site.process.wait(10) == 1
        assert ask(http, "/estimate", token="the right one")[1]["away"] == [0]


def certificates(folder: Path) -> None:
    """Make an authority, and a certificate by it and one by another, with the command of OpenSSL."""
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    for name in ("ca", "other"):
        for command in (
            f"req -x509 {key} -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem",
            f"req {key} -subj /CN=peer -keyout by-{name}.key -out request.pem",
            f"x509 -req -in request.pem -CA {name}.pem -CAkey {name}.key -CAcreateserial -days 2 -extfile names "
            f"-out by-{name}.pem",
        ):
            subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)


def test_a_peer_without_a_certificate_of_the_authority_gets_nowhere(tmp_path: Path) -> None:
    certificates(tmp_path)

    def tls(by: str) -> tuple[str, ...]:
        return (
            "--tls-ca", str(tmp_path / "ca.pem"), "--tls-cert", str(tmp_path / f"by-{by}.pem"),
            "--tls-key", str(tmp_path / f"by-{by}.key"),
        )  # fmt: skip

    with Served(tmp_path, "deterministic alpha=0.1", 2, *tls("ca")) as one:
        for site, by in enumerate(("ca", "other")):
            one.feed(site, "--http", f":{free_port()}", *tls(by))
        one.server.printed("site 0: connected")
        wait_for(lambda: "reconnects" in (tmp_path / "site1.log").read_text(), "a site that is refused")
        assert "site 1: connected" not in (tmp_path / "server.log").read_text()
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        with suppress(OSError), socket.create_connection(("127.0.0.1", one.http)) as plain:
            peer = context.wrap_socket(plain, server_hostname="localhost")  # it shows no certificate
            peer.sendall(b"GET /estimate HTTP/1.1\r\nHost: x\r\n\r\n")
            assert peer.recv(100) == b""
        assert say(one.port, pack(HELLO, VERSION, "", 1, "name", *[0] * 8, ())) in (b"", b"\x15\x03\x01\x00\x02\x02F")
