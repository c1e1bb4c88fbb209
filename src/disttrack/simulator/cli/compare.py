"""``disttrack compare``: several results side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import FOLDER, JSON, SCREEN, WITH, look_options
from disttrack.simulator.errors import ScenarioError, refusing
from disttrack.simulator.experiments.results.files import check_output
from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.shown.terminal.tables import Column, Table, print_json, print_table, print_text

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.compared import Compared
    from disttrack.simulator.experiments.results.folder import Results

DRAWN: Final = b'id="figure_1"'
"""What the SVG of each figure has."""


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR…", shell_complete=completion.folders)
@click.option("--match", metavar="NAMES", help="What matched points share.  [default: all but changes]")
@click.option("--plot", "plots", multiple=True, metavar="KIND", help="Draw a figure: cost:x=sites.")
@click.option("--out", type=FOLDER, default=".", help="Folder for the figures.")
@look_options
@WITH
@JSON
def compare(
    folders: Sequence[str], match: str | None, plots: Sequence[str], own: dict[str, object], out: Path, as_json: bool,
    **look: str,
) -> int:  # fmt: skip
    """State what a change did: the ratio of the medians at each point that results share.

    The first result is the one before the change; each of the others is compared with it. One result is compared with
    its tables before the last edit that changed games. Points are matched by all
    parameters but those that differ, and points that changed are first; equal ones are counted. Exit status 2 if a
    result has no point in common with the first, or a figure could not be drawn.
    """
    from disttrack.simulator.experiments.results.compared import compare_results
    from disttrack.simulator.experiments.results.folder import Results
    from disttrack.simulator.experiments.runs.own_folder import PREVIOUS

    if not plots and (unused := [f"--{name}" for name, value in look.items() if value not in ("", SCREEN)]):
        raise ScenarioError(f"{unused[0]}: is of figures, and no --plot is given")
    if len(folders) < 2:
        before = Path(folders[0], PREVIOUS)
        if not before.is_dir():
            Results(folders[0], own)  # a folder without results has a remedy of its own
            raise ScenarioError(f"disttrack compare: {folders[0]} has no {PREVIOUS}/; name a second result")
        folders = [str(before), *folders]
    results = [Results(folder, own) for folder in folders]
    for result in results if plots else ():
        if result.dir.resolve() in (out.resolve(), *out.resolve().parents):
            raise ScenarioError(f"disttrack compare: {result.dir} is a result; name a folder, --out DIR")
    for path in sorted(out.glob("compare-*.[pst][nvx][gt]")) if plots else ():
        beside = path.with_suffix(".svg")
        check_output(beside if beside.exists() else path, DRAWN)
    key = [name.strip().replace("_", " ") for name in match.split(",")] if match else []
    compared = compare_results(results, _names([result.dir for result in results]), key)
    for warning in compared.warnings:
        print_text(f"warning: {warning}", err=True)
    figures = [path for text in plots for path in _figures(text, results, out, look)]
    if as_json:
        print_json({**_document(compared), "figures": figures})
    else:
        print_compared(compared)
    for figure in () if as_json else figures:
        print_text(f"figure: {figure}")
    for name in compared.apart:
        print_text(f"{name} has no point that matches one of {compared.names[0]}", err=True)
    return 2 * bool(compared.apart)


def _figures(text: str, results: Sequence[Results], folder: Path, look: Mapping[str, str]) -> Sequence[Path]:
    """Draw a figure of all results, and return its files."""
    from disttrack.simulator.shown.plots import compare as draw

    with refusing(f"--plot {text}", ValueError):
        return draw(results, entry_of(text), folder, **look).files


def _document(compared: Compared) -> dict[str, object]:
    """Return the comparison for programs: a row for each measure at each point that the first result shares."""
    return {
        "results": compared.names,
        "shared": {one.header: one.given for one in compared.shared},
        "rows": [asdict(row) for row in compared.rows],
        "unmatched": compared.unmatched,
        "warnings": compared.warnings,
    }


def print_compared(compared: Compared) -> None:
    """Print how each measure differs, a table of the points where it does, and what has no match."""
    from disttrack.simulator.experiments.results.compared import DIFFERENCES
    from disttrack.simulator.experiments.results.formats import interval, ratio

    print_text(" | ".join(compared.names))
    if compared.subtitle:
        print_text(compared.subtitle)
    click.echo()
    first = compared.names[0]
    measures = [*compared.measures()]
    changed = "points whose interval, to three decimals, excludes 1, or by Fisher's exact test; empty: too few games"
    says = {
        "ratio": f"to {first}",
        "changed": changed,
        "other sides": "points of another protocol or adversary, not counted",
    }
    columns = [Column("measure"), Column("of")]
    columns += [Column(name, right=True, says=says.get(name, "")) for name in DIFFERENCES]
    if measures:
        print_table(Table("", columns, [[measure, other, *cells] for measure, other, _, cells in measures]))
    for measure, other, rows, _ in measures:
        moved = [row for row in rows if row.one.value != row.two.value]
        rank = 3 * any(row.ratio is not None for row in moved)
        columns = [Column(name, right=name not in SIDES, rank=int(name not in SIDES)) for name in compared.headers]
        columns += [Column(first, right=True, rank=rank), Column(other, right=True, rank=rank)]
        columns += [Column("ratio", right=True), Column("95 % interval", right=True, rank=2)]
        cells = [
            [
                *(row.cells[name] for name in compared.headers),
                *(row.one.words, row.two.words, ratio(row.ratio), interval(row.low, row.high, ratio)),
            ]
            for row in moved
        ]
        if moved:
            print_table(Table(f"{measure} of {other}", columns, cells))
    for line in compared.unmatched:
        print_text(line)


def _names(folders: list[Path]) -> list[str]:
    """Return short names: the last part of each path, the whole path where two are the same."""
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]
