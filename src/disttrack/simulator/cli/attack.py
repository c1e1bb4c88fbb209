"""``disttrack attack``: search for the worst policy against a protocol, and save it as a scenario."""

from __future__ import annotations

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
    from disttrack.simulator.results.files import write_text
    from disttrack.simulator.search import policy_search as search
    from disttrack.simulator.search.machine_search import attack_with_memory

    point = point_of(adversary="policy", **flags)
    size: dict[str, Any] = {"sites": point.sites, "items": point.items, "start": point.start}
    protocol = point.protocol.make()
    with click.progressbar(length=budget, label="games", file=sys.stderr) as bar:
        attack = search.attack if memory is None else partial(attack_with_memory, memory=memory)
        worst = attack(protocol, **size, budget=budget, seed=seed, on_game=lambda _: bar.update(1))
    entry = {"kind": point.protocol.kind, **point.protocol.arguments}
    write_text(out, f"{WRITTEN} attack.\n#\n{search.scenario_of(worst, entry, **size, seed=seed)}")
    promise = f" (promised: {protocol.accuracy:g})" if protocol.accuracy else ""
    error = f"{worst.strength:.3g} on average over {worst.last} further games{promise}"
    facts = {
        f"worst {'policy' if memory is None else 'machine'}": " ".join(
            f"{name}={value}" for name, value in worst.policy.as_mapping().items()
        ),
        "largest error": f"{error}; failed in {100 * worst.broken:.0f} % of them",
        "games played": f"{worst.games:,}",
        "scenario": str(out),
    }
    print_facts(facts)
