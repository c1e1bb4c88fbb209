"""``disttrack plot`` and ``disttrack report``: the figures of a result, and a page about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import complete

if TYPE_CHECKING:
    from simulator.results.folder import Results


STYLE = click.option(
    "--style",
    type=click.Choice(["screen", "paper"]),
    default="screen",
    show_default=True,
    help="paper: no titles, one and two columns wide, 8 points, fonts in the file, PDF too.",
)
"""What figures are drawn for."""


WITH = click.option(
    "--with",
    "own",
    multiple=True,
    metavar="FILE.py:CLASS",
    help="A class of yours that the result was made with: none is loaded because a result names it.",
)
"""Classes of the user's."""


def named(own: tuple[str, ...]) -> dict[str, Any]:
    """Return the classes that `--with` names."""
    from simulator.points.registry import find
    from simulator.points.source import source_of

    here = Path.cwd()
    return {kind: find("plot", kind, source_of(kind, here), here) for kind in own}  # found alike in all families


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=complete.folders)
@WITH
@STYLE
def plot(folder: str, own: tuple[str, ...], style: str) -> None:
    """Draw the figures that the scenario of a result asks for, as PNG and SVG, into DIR/figures."""
    from simulator.errors import ScenarioError
    from simulator.results.folder import NoResults, Results

    results = Results(folder, named(own))
    from simulator.plots import draw

    try:
        drawn = draw(results, style=style)
    except NoResults:
        raise
    except ValueError as error:
        raise ScenarioError(f"{folder}: {error}") from error
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
    from simulator.errors import ScenarioError
    from simulator.results.folder import NoResults, Results

    results = Results(folder, named(own))
    from simulator.report.report import write_report

    fault = draw_figures(results, missing=True)
    try:
        click.echo(str(write_report(results, fault)))
    except NoResults:
        raise
    except ValueError as error:
        raise ScenarioError(f"{folder}: {error}") from error


def draw_figures(results: Results, *, missing: bool = False, style: str = "screen") -> str:
    """Draw the figures of a result; return why some could not be drawn, which is told in a line as well."""
    from simulator.errors import one_line, shortened
    from simulator.plots import draw
    from simulator.results.folder import NoResults

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
