"""``disttrack results``: the results below a folder."""

from __future__ import annotations

from pathlib import Path

import click

from disttrack.simulator.cli.options import JSON
from disttrack.simulator.shown.terminal.tables import Column, Table, print_json, print_table, print_text


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default="results")
@click.option("--where", default="", metavar="CONDITION", help="Rows: held < claims and scenario == 'scale'.")
@JSON
def results(folder: Path, where: str, as_json: bool) -> None:
    """List the results below a folder, and the keys in which they differ."""
    from disttrack.simulator.experiments.results.listing import COLUMNS, results_below

    rows, damaged = results_below(folder, where)
    for line in damaged:
        print_text(line, err=True)
    if as_json:
        print_json({"results": rows})
        return
    counts = ("games", "errors", "claims", "held")
    columns = [
        Column(name, right=name in counts, rank={"errors": 3, "scenario": 2, "begun": 1}.get(name, 0))
        for name in COLUMNS
    ]
    cells = [["" if name == "errors" and not row[name] else str(row[name]) for name in COLUMNS] for row in rows]
    if cells:
        print_table(Table("", columns, cells))
