"""``disttrack compare``: several results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from simulator.cli.plot import STYLE
from simulator.cli.tables import print_table
from simulator.results.formats import cell, number

if TYPE_CHECKING:
    import pandas as pd

    from simulator.results.folder import Results

SETTING: Final = ("protocol", "adversary", "sites", "items", "alpha")
"""What a row is; other swept parameters are added to it."""


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR DIR…")
@click.option(
    "--plot",
    "plots",
    multiple=True,
    metavar="KIND[:X]",
    help="Draw a figure of all of them, for example cost:sites.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the figures and the page; figures if left out.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page of the comparison; compare.html in the folder of --out, or else of the first result, if left out.",
)
@STYLE
def compare(folders: tuple[str, ...], plots: tuple[str, ...], out: Path | None, html: Path | None, style: str) -> None:
    """Put results side by side: words, and how many games held, in each of them; and write a page about it.

    The page has a row for each measure at each point that the results share, with the ratio of the medians and its
    interval, overlaid figures, and in what else the results differ.
    """
    from simulator.claims.columns import TRIALS
    from simulator.errors import ScenarioError
    from simulator.results.folder import Results

    results = [Results(folder) for folder in folders]
    names = _names([result.dir for result in results])
    swept = [name for result in results for name in result.trials.columns if name not in TRIALS]
    keys = [*SETTING, *dict.fromkeys(swept)]
    tables = [_medians(result.trials, keys) for result in results]
    rows: list[list[str]] = []
    for key in dict.fromkeys(key for table in tables for key in table):
        cells = [cell(part) for part in key]
        for table in tables:
            cells += table.get(key, ("", ""))
        rows.append(cells)
    headers = list(keys)
    for name in names:
        headers += [f"words: {name}", f"held: {name}"]
    print_table("", headers, rows, right=headers[2:])
    if plots:
        from simulator.plots import compare as draw

        for text in plots:
            try:
                drawn = draw(results, _request(text), out, style)
            except ValueError as error:
                raise ScenarioError(f"--plot {text}: {error}") from error
            click.echo("figure: " + ", ".join(str(path) for path in drawn))
    if len(results) > 1:
        _write_page(html or (out or results[0].dir) / "compare.html", results, names, plots, out)


def _write_page(path: Path, results: list[Results], names: list[str], plots: tuple[str, ...], out: Path | None) -> None:
    """Write the page; its warnings are told in lines as well."""
    from simulator.plots.figures import compared_figure
    from simulator.report.compare import write_comparison
    from simulator.report.figures import Picture
    from simulator.results.compared import compare_results

    compared = compare_results(results, names)
    for warning in compared.warnings:
        click.echo(f"warning: {warning}", err=True)
    pictures = []
    for text in plots:
        stem, caption, figure = compared_figure(results, _request(text))
        file = Path(out or "figures") / f"{stem}.svg"
        pictures += [Picture(stem, file, caption, figure)] if file.is_file() else []  # of a paper's style there is none
    click.echo(f"page: {write_comparison(path, results, compared, pictures)}")


def _medians(trials: pd.DataFrame, keys: list[str]) -> dict[tuple[Any, ...], tuple[str, str]]:
    """Return, for each setting, median words and how many games held."""
    found = {}
    for key, games in trials.reindex(columns=[*keys, "words", "ok"]).groupby(keys, sort=False, dropna=False):
        plain = tuple(value.item() if hasattr(value, "item") else value for value in key)
        plain = tuple(None if value != value else value for value in plain)
        found[plain] = (number(float(games["words"].median())), f"{int(games['ok'].sum())} of {len(games)}")
    return found


def _names(folders: list[Path]) -> list[str]:
    """Return short names: the last part of each path, the whole path where two are the same."""
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]


def _request(text: str) -> dict[str, str]:
    """Return the plot that KIND[:X] asks for; a kind by reference has a colon of its own.

    Examples
    --------
    >>> _request("cost:sites"), _request("mine.py:Mine:sites")
    ({'kind': 'cost', 'x': 'sites'}, {'kind': 'mine.py:Mine', 'x': 'sites'})
    >>> _request("matrix"), _request("mine.py:Mine")
    ({'kind': 'matrix'}, {'kind': 'mine.py:Mine'})
    """
    kind, *rest = text.split(":")
    if rest and (kind.endswith(".py") or rest[0][:1].isupper()):
        kind = f"{kind}:{rest.pop(0)}"
    return {"kind": kind, **({"x": rest[0]} if rest and rest[0] else {})}
