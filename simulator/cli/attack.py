"""``disttrack attack``: search for the worst policy against a protocol, and save it as a scenario."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import click

from simulator.cli import complete
from simulator.cli.point_flags import point_of
from simulator.cli.tables import Form, form_options, print_json


@click.command(epilog="A kind may have parameters: --protocol 'randomized confidence=4'.")
@click.option(
    "--protocol",
    required=True,
    metavar="KIND",
    help="Kind and parameters of the protocol to break.",
    shell_complete=complete.kinds_of("protocol"),
)
@click.option("--sites", type=int, default=64, show_default=True, help="Number of sites.")
@click.option("--items", default="100000", show_default=True, metavar="N", help="Number of items of a game.")
@click.option("--start", default="0", show_default=True, metavar="N", help="Items counted before the game.")
@click.option("--alpha", type=float, default=0.1, show_default=True, help="Accuracy of a protocol that takes one.")
@click.option("--budget", type=int, default=2000, show_default=True, help="Games to play.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the search.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("attack.yaml"),
    show_default=True,
    help="The scenario to write.",
)
@form_options
def attack(budget: int, seed: int, out: Path, form: Form, **flags: Any) -> int:
    """Search for the worst policy against a protocol, and save it as a scenario."""
    from simulator.errors import ScenarioError
    from simulator.results.files import write_text
    from simulator.search.policy_search import LEAST, scenario_of
    from simulator.search.policy_search import attack as search

    point = point_of({**flags, "adversary": "policy", "engine": None, "latency": None})
    if budget < LEAST:
        raise ScenarioError(f"--budget: must be at least {LEAST} games; got {budget}")
    if seed < 0:
        raise ScenarioError(f"--seed: must be at least 0; got {seed}")
    size: dict[str, Any] = {"sites": point.sites, "items": point.items, "start": point.start}
    stream = io.StringIO() if form == "quiet" else sys.stderr
    with click.progressbar(length=budget, label="games", file=stream) as bar:
        found = search(point.protocol.make(), **size, budget=budget, seed=seed, on_game=lambda _: bar.update(1))
    entry = {"kind": point.protocol.kind, **point.protocol.arguments}
    write_text(out, scenario_of(found, entry, **size, seed=seed))
    if form == "json":
        told = {"policy": found.policy.parameters(), "largest_error": found.strength, "failed": found.broken}
        print_json({**told, "games": found.games, "further_games": found.last, "scenario": str(out)})
    elif form == "table":
        _tell(found, point.protocol.make().accuracy, out)
    return 0


def _tell(found: Any, promised: float | None, out: Path) -> None:
    """Print what the search has found, and where it is kept."""
    numbers = " ".join(f"{name}={value:g}" for name, value in found.policy.parameters().items())
    click.echo(f"worst policy:  {numbers}")
    click.echo(
        f"largest error: {found.strength:.3g} on average over {found.last} further games"
        + (f" (promised: {promised:g})" if promised else "")
        + f"; failed in {100 * found.broken:.0f} % of them"
    )
    click.echo(f"games played:  {found.games:,}")
    click.echo(f"scenario:      {out}")
