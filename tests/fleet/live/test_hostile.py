"""Peers that speak nonsense, or have no business here: they are refused, and cost nobody else anything."""

from __future__ import annotations

import socket
import ssl
import subprocess
from contextlib import closing, suppress
from pathlib import Path

from deployment import Served, ask, free_port, wait_for

from disttrack.fleet.live.frames import HELLO, VERSION, pack


def say(port: int, what: bytes) -> bytes:
    """Say something to a port; return the answer."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as peer:
        with suppress(OSError):
            peer.sendall(what)
            peer.shutdown(socket.SHUT_WR)
            return peer.recv(2**16)
        return b""


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
