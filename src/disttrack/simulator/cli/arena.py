"""``disttrack arena``: a tracker against all attackers, or an attacker against all trackers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import completion
from disttrack.simulator.cli.options import FOLDER, GAME_TIMEOUT, ITEMS, SEED, SITES, WORKERS
from disttrack.simulator.experiments.results.answers import ENDED
from disttrack.simulator.experiments.results.folder import planned_items
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.game.columns import ADVERSARY, PROTOCOL
from disttrack.simulator.game.tasks.answers import OVER_ALPHA
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.registry import ROLES
from disttrack.simulator.shown.terminal.tables import Column, Table, print_facts, print_table

if TYPE_CHECKING:
    from disttrack.simulator.workshop.arena import Arena

MOST: Final = 5
"""Names of adversaries in a row; more are counted."""


@click.command()
@click.argument("entrant", metavar="FILE.py:CLASS", shell_complete=completion.kinds_of(*ROLES))
@SITES
@ITEMS(default="10000")
@click.option("--trials", type=click.IntRange(min=1), default=3, help="Games of each pair.")
@SEED
@click.option("--out", type=FOLDER, show_default="results/arena-NAME", help="Folder for the results.")
@WORKERS
@GAME_TIMEOUT(default=5.0)
@click.option(
    "--search", type=click.IntRange(min=0), default=0, metavar="GAMES", help="Games of a search for attackers."
)
def arena(entrant: str, items: str, out: Path | None, **how: Any) -> int:
    """Play a tracker of yours against all attackers, or an attacker against all trackers.

    FILE.py:CLASS may be a registered name, and have parameters: robust:alpha=0.1.
    """
    from disttrack.simulator.kinds.entries import value_of
    from disttrack.simulator.shown.terminal.drawn import write_page
    from disttrack.simulator.shown.terminal.progress import bar
    from disttrack.simulator.workshop.arena import arena as play

    with bar("arena", quiet=False) as on_progress:
        outcome = play(entrant, items=value_of(items), out=out, on_progress=on_progress, **how)
    print_table(_matrix(outcome))
    if outcome.role == PROTOCOL:
        print_table(_costs(outcome))
    results = outcome.results
    page, _ = write_page(results)
    said = zip(("errors", "of others"), outcome.errors, strict=True)  # games of others are in no row of the table
    errors = {name: f"{len(lines):,}, first: {lines[0]}" for name, lines in said if lines}
    print_facts({**errors, "results": str(results.dir), "report": str(page)})
    if outcome.replay:
        click.echo(f"worst game:    {outcome.replay}")  # not wrapped: it is copied
    return int(bool(results.errors))


def _matrix(outcome: Arena) -> Table:
    """Return a row per opponent, those that matter most first."""
    other, side = (ADVERSARY, "attackers") if outcome.role == PROTOCOL else (PROTOCOL, "trackers")
    columns = [
        Column(other),
        Column("held", right=True, says="of games with a verdict"),
        Column(OVER_ALPHA.header, right=True, says=OVER_ALPHA.says),
        Column("words", right=True, says="median"),
        Column("errors", right=True),
        Column("ended early", right=True, says=ENDED.says),
    ]
    pairs: Iterable[Any] = outcome.own.itertuples()
    rows = [
        [
            getattr(row, other),
            f"{row.held} of {row.held + row.failed}",
            _plain(row.over_alpha),
            _plain(row.words),
            *(f"{some} of {row.games}" * bool(some) for some in (row.errors, row.ended_early)),
        ]
        for row in pairs
    ]
    games = outcome.results.trials
    items = int(planned_items(games).iloc[0])
    sizes = f"{count(games.sites.iloc[0], 'site')}, {count(items, 'item')}"
    sizes = f"{sizes}, games per pair: {outcome.matrix.games.iloc[0]}"
    return Table(f"{outcome.name} against all {side}", columns, rows, sizes)


def _costs(outcome: Arena) -> Table:
    """Return a row per tracker: its cost, and who breaks it."""
    columns = [
        Column("tracker"),
        Column("words", right=True, says="largest median of an adversary"),
        Column(OVER_ALPHA.header, right=True),
        Column("broken by", says="in at least half of the games"),
    ]
    trackers: Iterable[Any] = outcome.costs.itertuples()
    rows = [
        [
            row.protocol + " *" * (row.protocol == outcome.name),
            _plain(row.words),
            _plain(row.over_alpha),
            _listed(row.broken_by),
        ]
        for row in trackers
    ]
    return Table("Trackers of the same alpha", columns, rows)


def _listed(names: Sequence[str]) -> str:
    """Return names in a row, many of them shortened."""
    return ", ".join([*names[:MOST], *([f"{len(names) - MOST} more"] if len(names) > MOST else [])])


def _plain(value: float) -> str:
    """Return a number; nothing if no game has it."""
    return "" if value != value else number(round(value) if value >= 1000 else float(f"{value:.3g}"))
