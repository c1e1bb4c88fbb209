"""``disttrack serve`` and ``disttrack feed``: their options, which are shown without the extra that they need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from disttrack.fleet.units import DURATION
from disttrack.simulator.cli.options import FILE, SITES, side_option
from disttrack.simulator.errors import ScenarioError

SOURCE: Final = click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True)
KEPT: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


def deployed(command: Callable[..., object]) -> Callable[..., Any]:
    """Return a command that has the function of its name in `live.deploy` run, with the options for token and TLS."""

    def called(
        *, token_file: Path | None, tls_cert: Path | None, tls_key: Path | None, tls_ca: Path | None, **rest: object
    ) -> Any:
        token = "" if token_file is None else token_file.read_text("utf-8").strip()
        if token_file is not None and not token:
            raise ScenarioError(f"--token-file: {token_file} is empty")
        if (tls_cert is None) != (tls_key is None):
            raise ScenarioError("--tls-cert and --tls-key must be given together")
        from disttrack.fleet.live import deploy
        from disttrack.fleet.live.link import Security

        security = Security(token, tls_cert, tls_key, tls_ca)
        return getattr(deploy, command.__name__)(security=security, **rest)

    called.__doc__ = command.__doc__
    called.__name__ = command.__name__
    for option in (
        click.option("--tls-ca", type=KEPT, help="Certificate authority of the peers."),
        click.option("--tls-key", type=KEPT, help="Key of the certificate."),
        click.option("--tls-cert", type=KEPT, help="Certificate for TLS."),
        click.option("--token-file", type=KEPT, help="File with the token that all processes share."),
    ):
        called = option(called)
    return called


@click.command()
@side_option("protocol", required=True)
@SITES
@click.option("--start", type=click.IntRange(min=0), default=0, help="Items counted before, known to all.")
@click.option("--listen", "listen_at", default="127.0.0.1:7400", metavar="HOST:PORT", help="Address for sites.")
@click.option("--http", default="127.0.0.1:7480", metavar="HOST:PORT", help="Address of /estimate, /healthz, /metrics.")
@click.option("--step", type=DURATION, default="1ms", help="Duration of a step of a quota, 1ms.")
@click.option("--journal", type=FILE, help="File from which the server restarts.")
@deployed
def serve() -> None:
    """Run the server of a protocol. Sites connect to it (disttrack feed); GET /estimate returns the estimate."""


@click.command()
@click.option("--site", "which", required=True, metavar="N", help="The site's number, from 0; 0-15 for several.")
@click.option("--server", default="127.0.0.1:7400", metavar="HOST:PORT", help="Address of the server.")
@click.option("--items", type=SOURCE, help="File of items, one a line, or .gz, .zip; - for standard input.")
@click.option("--http", metavar="HOST:PORT", help="Address of POST /items and POST /admit.")
@click.option("--journal", type=FILE, help="File from which the site restarts; {} is its number.")
@click.option("--again", is_flag=True, help="Take all lines of --items, also those that the journal has.")
@deployed
def feed() -> None:
    """Run a site, or several: items come from a file, from standard input or over HTTP.

    With a journal, a file goes on after the lines that were taken before.
    """
