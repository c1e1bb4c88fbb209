"""``disttrack plot`` and ``disttrack report``: the figures of a result, and a page about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import WITH, entry_of
from disttrack.simulator.errors import ScenarioError, one_line, shortened

if TYPE_CHECKING:
    from disttrack.simulator.plots.requests import Request
    from disttrack.simulator.results.folder import Results


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=completion.folders)
@WITH
@click.option(
    "--plot", "asked", multiple=True, metavar="KIND", help="Draw this figure instead of the scenario's: cost:x=alpha."
)
@click.option(
    "--style", type=click.Choice(["screen", "paper"]), default="screen", help="paper: for a column of print, PDF too."
)
def plot(folder: str, own: dict[str, object], asked: Sequence[str], style: str) -> int:
    """Draw the figures that the scenario of a result asks for, or others, as PNG and SVG, into DIR/figures."""
    from disttrack.simulator.results.folder import Results
    from disttrack.simulator.runs.own_folder import alone

    drawn: list[Path] = []
    results = Results(folder, own)
    with alone(results.dir):
        fault = draw_figures(results, [entry_of(text) for text in asked] or None, style=style, drawn=drawn)
    for path in sorted(drawn):
        click.echo(str(path))
    return 2 * bool(fault)


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=completion.folders)
@WITH
def report(folder: str, own: dict[str, object]) -> None:
    """Write DIR/report.html: claims, figures and tables in one page that needs no other file.

    Its figures are drawn first, from the tables. Files that would be written again as they are, are left alone.
    """
    from disttrack.simulator.results.folder import Results
    from disttrack.simulator.runs.own_folder import alone

    results = Results(folder, own)
    with alone(results.dir):
        click.echo(str(write_page(results)))


def write_page(results: Results, show: Callable[[str], None] = lambda words: None) -> Path:
    """Write the page about a result, with its figures, and return its path; `show` is as for `draw_figures`."""
    from disttrack.simulator.plots.unchanged import PAGE, Drawing
    from disttrack.simulator.results.stored import ERRORS

    drawing = Drawing(results, None, PAGE)
    if files := drawing.files():
        return files[0]
    from disttrack.simulator.report.report import write_report

    fault = draw_figures(results, show=show)
    show("report")
    page = write_report(results, fault)
    if not fault:
        shown = [*sorted(results.dir.glob("figures/*.*")), results.dir / ERRORS]
        drawing.keep([page, *shown])
    return page


def draw_figures(
    results: Results,
    asked: Sequence[Request] | None = None,
    *,
    style: str = "screen",
    show: Callable[[str], None] = lambda words: None,
    drawn: list[Path] | None = None,
) -> str:
    """Draw the figures of a result, or those that are asked for; print and return why some could not be drawn.

    Those that would be written again as they are, are left alone.

    Parameters
    ----------
    show
        Is told which figure of how many comes next.
    drawn
        Takes the files, if all figures could be drawn; left out, the figures are described for a page.
    """
    from disttrack.simulator.plots.unchanged import Drawing

    try:
        drawing = Drawing(results, asked, style)
        files = drawing.files()
        if not files:
            from disttrack.simulator.plots import draw  # with matplotlib

            files = draw(
                results, asked, style=style, on_figure=lambda number, figures: show(f"figure {number} of {figures}")
            )
            drawing.keep(files)
        elif drawn is None:
            from disttrack.simulator.plots.requests import describe_again

            describe_again(results)
    except ScenarioError:  # there are no results
        raise
    except ValueError as error:
        click.echo(one_line(shortened(f"figures: {error}")), err=True)
        return str(error)
    if drawn is not None:
        drawn += files
    return ""
