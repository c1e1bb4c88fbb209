"""``disttrack attack``: search for the worst policy against a protocol, or faults of a network, and save it."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli.options import SCENARIO_FILE, WRITTEN, game_options, point_of, side_option
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.shown.terminal.tables import print_facts

if TYPE_CHECKING:
    from disttrack.attack.search.policy_search import SearchResult
    from disttrack.simulator.kinds.point import Point


@click.command(
    epilog="A kind may have parameters: --protocol 'randomized confidence=4'. Faults of --network: lost, late, "
    "overtaken, twice, cut, down, forgets, server-down, server-forgets; 5*20 is five of at most 20 steps each."
)
@game_options
@click.option("--budget", type=click.IntRange(min=100), default=2000, help="Games to play.")
@click.option("--memory", type=click.IntRange(0, 10), help="Search machines with this many bits instead.")
@click.option("--oblivious", is_flag=True, help="Search a fixed sequence of sites instead, in tiny games.")
@click.option("--network", metavar="FAULTS", help="Search faults of the network instead: 'lost=2 late=5*20 down=1*50'.")
@side_option("adversary", help="Feeds the sites while faults are searched; round-robin if left out.")
@click.option("--out", type=SCENARIO_FILE, default="attack.yaml", help="The scenario to write.")
def attack(
    *,
    budget: int,
    memory: int | None,
    oblivious: bool,
    network: str | None,
    adversary: str | None,
    seed: int,
    out: Path,
    **flags: Any,
) -> None:
    """Search for the worst policy against a protocol, or the worst faults, and save it as a scenario."""
    from disttrack.attack.search import fault_search
    from disttrack.attack.search import policy_search as search
    from disttrack.attack.search.machine_search import attack_with_memory
    from disttrack.simulator.experiments.results.files import write_text
    from disttrack.simulator.kinds.point import PointError

    if network is None and adversary is not None:
        raise ScenarioError("--adversary: a policy is searched in its place; it feeds the sites with --network")
    if (network is not None) + (memory is not None) + oblivious > 1:
        raise ScenarioError("--network, --memory, --oblivious: one search has one of them")
    point = point_of(adversary="policy" if network is None else adversary, **flags)
    protocol = point.protocol.make()
    if network is None and point.network is not None:
        raise ScenarioError("--set network: policies are searched without a network; faults of one with --network")
    games = click.progressbar(length=budget, label="games", file=sys.stderr, hidden=not sys.stderr.isatty())
    with _in_a_line(point), games as bar:
        how: Any = {"budget": budget, "seed": seed, "on_game": lambda games: bar.update(games - bar.pos)}
        if network is not None:
            try:
                worst: SearchResult[Any] = fault_search.attack_network(point, network, **how)
            except (ValueError, PointError) as error:
                raise ScenarioError(f"--network: {error}") from error
        else:
            size: Any = {"sites": point.sites, "items": point.items, "start": point.start}
            if memory is not None:
                worst = attack_with_memory(protocol, memory=memory, **size, **how)
            else:
                worst = search.attack(protocol, oblivious=oblivious, **size, **how)
    if network is not None:
        text = fault_search.scenario_of(worst, point, seed)
        facts = {"faults found": worst.policy or "none"}
        shown = point.task.kind == "count" and worst.broken
        replay = {"shortest": f"disttrack replay {out} --shortest moves"} if shown else {}
    else:
        found, file, replay = worst.policy.as_mapping(), "", {}
        if memory is None and (table := found.pop("table", None)):  # that of a machine is a word
            file = out.with_suffix(".json").name
            write_text(out.with_suffix(".json"), json.dumps(table, indent=0, sort_keys=True))
            found = {"file": out.with_suffix(".json"), "moves": len(table)}
        entry = {"kind": point.protocol.kind, **point.protocol.arguments}
        text = search.scenario_of(worst, entry, seed=seed, size=size, file=file)
        name = f"{worst.policy.kind if memory is None else 'machine'} found"
        facts = {name: " ".join(f"{name}={value}" for name, value in found.items())}
    write_text(out, f"{WRITTEN} attack.\n#\n{text}")
    measure = point.task.make().beside or "largest error"
    print_facts({**facts, **_measured(worst, measure, protocol.accuracy), "scenario": str(out), **replay})


@contextmanager
def _in_a_line(point: Point) -> Iterator[None]:
    """Raise what a class of the user's raises in a game of a search as a RunError of one line."""
    from disttrack.simulator.kinds.lines import cause_of

    try:
        yield
    except (ScenarioError, RunError):
        raise
    except Exception as error:
        if not point.own:
            raise
        told = error.__cause__ or error  # scipy's search wraps some
        cause = cause_of("".join(traceback.format_exception(type(told), told, told.__traceback__)))
        raise RunError(f"{point.protocol.kind}: {cause}") from error


def _measured(worst: SearchResult[Any], measure: str, alpha: float | None) -> dict[str, str]:
    """Return what the last games of a search showed."""
    from disttrack.simulator.experiments.claims.statistics import clopper_pearson

    low, high = clopper_pearson(round(worst.broken * worst.last), worst.last)
    failed = f"{100 * worst.broken:.1f} % of them ({100 * low:.1f} to {100 * high:.1f} %, with probability 95 %)"
    if alpha is None and measure == "largest error":
        failed = "none can: no accuracy is promised"
    promise = f" (promised: {alpha:g})" if alpha else ""
    return {
        measure: f"{worst.strength:.3g} on average over {worst.last} further games{promise}",
        "failed": failed,
        "games played": f"{worst.games:,}",
    }
