"""``disttrack plot`` and ``disttrack report``: the figures of a result, and a page about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.point_flags import maker_of
from disttrack.simulator.errors import ScenarioError, one_line, shortened

if TYPE_CHECKING:
    from disttrack.simulator.results.folder import Results

WITH: Final = click.option(
    "--with",
    "own",
    multiple=True,
    metavar="FILE.py:CLASS",
    help="A class of yours that the result was made with: none is loaded because a result names it.",
)
"""Option of commands that draw."""


def named(own: tuple[str, ...]) -> dict[str, Any]:
    """Return the classes that `--with` names."""
    return {kind: maker_of("plot", kind) for kind in own}  # a reference leads to the same class in all families


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=complete.folders)
@WITH
@click.option(
    "--style",
    type=click.Choice(["screen", "paper"]),
    default="screen",
    show_default=True,
    help="paper: no titles, one and two columns wide, 8 points, fonts in the file, PDF too.",
)
def plot(folder: str, own: tuple[str, ...], style: str) -> int:
    """Draw the figures that the scenario of a result asks for, as PNG and SVG, into DIR/figures."""
    from disttrack.simulator.results.folder import Results

    results = Results(folder, named(own))
    fault = draw_figures(results, style=style)
    for path in sorted((results.dir / "figures").rglob("*.*")):
        click.echo(str(path))
    return 2 * bool(fault)


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=complete.folders)
@WITH
def report(folder: str, own: tuple[str, ...]) -> None:
    """Write DIR/report.html: claims, figures and tables in one page that needs no other file.

    Figures that are missing, or older than the tables, are drawn first.
    """
    from disttrack.simulator.report.report import write_report
    from disttrack.simulator.results.folder import Results

    results = Results(folder, named(own))
    click.echo(str(write_report(results, draw_figures(results, missing=True))))


def draw_figures(results: Results, *, missing: bool = False, style: str = "screen") -> str:
    """Draw the figures of a result; print and return why some could not be drawn."""
    from disttrack.simulator.plots import draw

    try:
        draw(results, missing=missing, style=style)
    except ValueError as error:
        if isinstance(error, ScenarioError):  # there are no results
            raise
        click.echo(one_line(shortened(f"figures: {error}")), err=True)
        return str(error)
    return ""
