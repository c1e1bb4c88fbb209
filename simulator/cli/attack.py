"""``disttrack attack``: search for the worst policy against a protocol, and save it as a scenario."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.point_flags import scenario_of
from disttrack.simulator.cli.tables import FILE, Form, form_options, print_facts, print_json


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
@click.option("--out", type=FILE, default="attack.yaml", show_default=True, help="The scenario to write.")
@form_options
def attack(budget: int, seed: int, out: Path, form: Form, **flags: Any) -> int:
    """Search for the worst policy against a protocol, and save it as a scenario."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.results.files import write_text
    from disttrack.simulator.search import policy_search as search

    (point,) = scenario_of({**flags, "adversary": "policy"}).points
    for flag, value, least in (("--budget", budget, search.LEAST), ("--seed", seed, 0)):
        if value < least:
            raise ScenarioError(f"{flag}: must be at least {least}; got {value}")
    size: dict[str, Any] = {"sites": point.sites, "items": point.items, "start": point.start}
    protocol = point.protocol.make()
    with click.progressbar(length=budget, label="games", file=io.StringIO() if form == "quiet" else sys.stderr) as bar:
        worst = search.attack(protocol, **size, budget=budget, seed=seed, on_game=lambda _: bar.update(1))
    entry = {"kind": point.protocol.kind, **point.protocol.arguments}
    write_text(out, search.scenario_of(worst, entry, **size, seed=seed))
    policy = worst.policy.parameters()
    if form == "json":
        games = {"games": worst.games, "further_games": worst.last}
        errors = {"largest_error": worst.strength, "failed": worst.broken}
        print_json({"policy": policy, **errors, **games, "scenario": str(out)})
    elif form == "table":
        promise = f" (promised: {protocol.accuracy:g})" if protocol.accuracy else ""
        error = f"{worst.strength:.3g} on average over {worst.last} further games{promise}"
        facts = {
            "worst policy": " ".join(f"{name}={value:g}" for name, value in policy.items()),
            "largest error": f"{error}; failed in {100 * worst.broken:.0f} % of them",
            "games played": f"{worst.games:,}",
            "scenario": str(out),
        }
        print_facts(facts, pad=15)
    return 0
