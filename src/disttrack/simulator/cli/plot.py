"""``disttrack plot`` and ``disttrack report``: the figures of a result, and a page about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import WITH, look_options
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.shown.terminal.drawn import draw_figures, write_page
from disttrack.simulator.shown.terminal.tables import print_text


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=completion.folders)
@WITH
@click.option("--plot", "asked", multiple=True, metavar="KIND", help="Draw this figure: cost:x=alpha.")
@look_options
def plot(folder: str, own: dict[str, object], asked: Sequence[str], style: str, **look: str) -> int:
    """Draw the figures of a result, or others, as PNG and SVG, into DIR/figures."""
    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.experiments.runs.own_folder import alone_with

    drawn: list[Path] = []
    results = Results(folder, own)
    with alone_with(results):
        fault = draw_figures(results, [entry_of(text) for text in asked] or None, style=style, look=look, drawn=drawn)
    for path in sorted(drawn):
        click.echo(str(path))
    if not drawn and not fault:
        print_text(f"{folder}: no game meets its plots; draw others by --plot", err=True)
    return 2 * bool(fault)


@click.command()
@click.argument("folder", metavar="DIR", shell_complete=completion.folders)
@WITH
@click.option("--brief", is_flag=True, help="DIR/brief.html, one printed page.")
def report(folder: str, own: dict[str, object], brief: bool) -> int:
    """Write DIR/report.html: claims, figures and tables in one page that needs no other file.

    Its figures are drawn first, from the tables. Files that would be written again as they are, are left alone.
    """
    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.experiments.runs.own_folder import alone_with

    results = Results(folder, own)
    with alone_with(results):
        page, fault = write_page(results, brief=brief)
    click.echo(str(page))
    return int(bool(fault))
