"""``disttrack plot`` and ``disttrack report``: the figures of a result, and a page about it."""

from __future__ import annotations

import click


@click.command()
@click.argument("folder", metavar="DIR")
def plot(folder: str) -> None:
    """Draw the figures that the scenario of a result asks for, as PNG and SVG, into DIR/figures."""
    from simulator.errors import ScenarioError
    from simulator.results.write import Results

    results = Results(folder)
    from simulator.plots import draw

    try:
        drawn = draw(results.dir)
    except ValueError as error:
        raise ScenarioError(f"{folder}: {error}") from error
    if not drawn:
        click.echo(f"{folder}: its scenario asks for no figures (plots: …)")
    for path in drawn:
        click.echo(str(path))


@click.command()
@click.argument("folder", metavar="DIR")
def report(folder: str) -> None:
    """Write DIR/report.html: claims, figures and tables in one page that needs no other file."""
    from simulator.errors import ScenarioError
    from simulator.report.report import write_report
    from simulator.results.write import Results

    results = Results(folder)
    try:
        click.echo(str(write_report(results.dir)))
    except ValueError as error:
        raise ScenarioError(f"{folder}: {error}") from error
