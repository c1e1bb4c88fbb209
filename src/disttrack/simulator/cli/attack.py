"""``disttrack attack``: search for the worst policy against a protocol, and save it as a scenario."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from disttrack.simulator.cli.options import SCENARIO_FILE, WRITTEN, game_options, point_of
from disttrack.simulator.cli.tables import print_facts


@click.command(epilog="A kind may have parameters: --protocol 'randomized confidence=4'.")
@game_options
@click.option("--budget", type=click.IntRange(min=100), default=2000, help="Games to play.")
@click.option("--memory", type=click.IntRange(0, 10), help="Search machines with this many bits instead.")
@click.option("--out", type=SCENARIO_FILE, default="attack.yaml", help="The scenario to write.")
def attack(budget: int, memory: int | None, seed: int, out: Path, **flags: Any) -> None:
    """Search for the worst policy against a protocol, and save it as a scenario."""
    from disttrack.simulator.claims.statistics import clopper_pearson
    from disttrack.simulator.results.files import write_text
    from disttrack.simulator.search import policy_search as search
    from disttrack.simulator.search.machine_search import attack_with_memory

    point = point_of(adversary="policy", **flags)
    size: dict[str, Any] = {"sites": point.sites, "items": point.items, "start": point.start}
    protocol = point.protocol.make()
    with click.progressbar(length=budget, label="games", file=sys.stderr) as bar:
        attack = search.attack if memory is None else partial(attack_with_memory, memory=memory)
        worst = attack(protocol, **size, budget=budget, seed=seed, on_game=lambda games: bar.update(games - bar.pos))
    entry, found, file = {"kind": point.protocol.kind, **point.protocol.arguments}, worst.policy.as_mapping(), ""
    if table := found.pop("table", None):
        file = out.with_suffix(".json").name
        write_text(out.with_suffix(".json"), json.dumps(table, indent=0, sort_keys=True))
        found = {"file": out.with_suffix(".json"), "moves": len(table)}
    write_text(out, f"{WRITTEN} attack.\n#\n{search.scenario_of(worst, entry, **size, seed=seed, file=file)}")
    low, high = clopper_pearson(round(worst.broken * worst.last), worst.last)
    promise = f" (promised: {protocol.accuracy:g})" if protocol.accuracy else ""
    error = f"{worst.strength:.3g} on average over {worst.last} further games{promise}"
    facts = {
        f"worst {worst.policy.kind if memory is None else 'machine'}": " ".join(
            f"{name}={value}" for name, value in found.items()
        ),
        "largest error": error,
        "failed": f"{100 * worst.broken:.1f} % of them ({100 * low:.1f} to {100 * high:.1f} %, with probability 95 %)",
        "games played": f"{worst.games:,}",
        "scenario": str(out),
    }
    print_facts(facts)
