"""``disttrack plot`` and ``disttrack report``: the figures of a result, and a page about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.point_flags import maker_of

if TYPE_CHECKING:
    from disttrack.simulator.results.folder import Results

STYLE = click.option(
    "--style",
    type=click.Choice(["screen", "paper"]),
    default="screen",
    show_default=True,
    help="paper: no titles, one and two columns wide, 8 points, fonts in the file, PDF too.",
)
WITH = click.option(
    "--with",
    "own",
    multiple=True,
    metavar="FILE.py:CLASS",
    help="A class of yours that the result was made with: none is loaded because a result names it.",
)
"""Options of commands that draw."""


def named(own: tuple[str, ...]) -> dict[str, Any]:
    """Return the classes that `--with` names."""
    return {kind: maker_of("plot", kind) for kind in own}  # a reference leads to the same class in all families


@contextmanager
def _refused(folder: str) -> Iterator[None]:
    """Turn what is wrong with a result into one line with its folder."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.results.folder import NoResults

    try:
        yield
    except NoResults:
        raise
    except ValueError as error:
        raise ScenarioError(f"{folder}: {error}") from error


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=complete.folders)
@WITH
@STYLE
def plot(folder: str, own: tuple[str, ...], style: str) -> None:
    """Draw the figures that the scenario of a result asks for, as PNG and SVG, into DIR/figures."""
    from disttrack.simulator.results.folder import Results

    results = Results(folder, named(own))
    from disttrack.simulator.plots import draw

    with _refused(folder):
        drawn = draw(results, style=style)
    if not drawn:
        click.echo(f"{folder}: its scenario asks for no figures (plots: …)")
    for path in drawn:
        click.echo(str(path))


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=complete.folders)
@WITH
def report(folder: str, own: tuple[str, ...]) -> None:
    """Write DIR/report.html: claims, figures and tables in one page that needs no other file.

    Figures that are missing, or older than the tables, are drawn first.
    """
    from disttrack.simulator.results.folder import Results

    results = Results(folder, named(own))
    from disttrack.simulator.report.report import write_report

    fault = draw_figures(results, missing=True)
    with _refused(folder):
        click.echo(str(write_report(results, fault)))


def draw_figures(results: Results, *, missing: bool = False, style: str = "screen") -> str:
    """Draw the figures of a result; print and return why some could not be drawn."""
    from disttrack.simulator.errors import one_line, shortened
    from disttrack.simulator.plots import draw
    from disttrack.simulator.results.folder import NoResults

    try:
        draw(results, missing=missing)
        if style != "screen":
            draw(results, style=style)
    except NoResults:  # nor is there anything to write a page of
        raise
    except ValueError as error:
        click.echo(one_line(shortened(f"figures: {error}")), err=True)
        return str(error)
    return ""
