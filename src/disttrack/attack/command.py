"""``disttrack attack``: search for the worst policy against a protocol, or faults of a network, and save it."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli.options import (
    SCENARIO_FILE,
    WRITTEN,
    faults_options,
    game_options,
    point_of,
    read_faults,
    side_option,
    suffering,
)
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.shown.terminal.progress import waiting
from disttrack.simulator.shown.terminal.tables import print_facts

if TYPE_CHECKING:
    from disttrack.attack.search.policy_search import SearchResult
    from disttrack.simulator.kinds.point import Point


@click.command(
    epilog="A kind may have parameters: --protocol 'randomized confidence=4'. Faults of --network: lost, late, "
    "overtaken, twice, cut, down, forgets, server-down, server-forgets; 5*20 is five of at most 20 steps each. "
    "A list for --faults is written as it is printed: 'message 3 from 2 lost; site 1 down 30-40', or, of a deployment, "
    "'3.5 s: kill server for 1 s with 0'."
)
@partial(game_options, needed=False)
@click.option("--budget", type=click.IntRange(min=100), help="Games to play; 2000 if left out, 20 with --faults.")
@click.option("--memory", type=click.IntRange(0, 10), help="Search machines with this many bits instead.")
@click.option("--oblivious", is_flag=True, help="Search a fixed sequence of sites instead, in tiny games.")
@click.option("--network", metavar="FAULTS", help="Search faults of the network instead: 'lost=2 late=5*20 down=1*50'.")
@faults_options
@side_option("adversary", help="Feeds the sites while faults are searched; round-robin if left out.")
@click.option("--out", type=SCENARIO_FILE, default="attack.yaml", help="The scenario to write.")
def attack(
    *,
    protocol: str | None,
    budget: int | None,
    memory: int | None,
    oblivious: bool,
    network: str | None,
    faults: Path | None,
    step: float,
    adversary: str | None,
    seed: int,
    out: Path,
    **flags: Any,
) -> None:
    """Search for the worst policy against a protocol, or the worst faults, and save it as a scenario.

    A list of faults, of such a search or of a deployment, is played as it is.
    """
    from disttrack.attack.search import fault_search
    from disttrack.attack.search import policy_search as search
    from disttrack.attack.search.policy_search import attack_with_memory
    from disttrack.simulator.experiments.results.files import write_text
    from disttrack.simulator.kinds.point import PointError

    if (network is not None) + (memory is not None) + (faults is not None) + oblivious > 1:
        raise ScenarioError("--network, --memory, --oblivious, --faults: one search has one of them")
    if faults is not None:
        _play(faults, step, budget, out, protocol=protocol, adversary=adversary, seed=seed, **flags)
        return
    if protocol is None:
        raise ScenarioError("--protocol: is missing; only a list of faults may name it in its first line")
    if network is None and adversary is not None:
        raise ScenarioError("--adversary: a policy is searched in its place; it feeds the sites with --network")
    point = point_of(protocol, "policy" if network is None else adversary, **flags)
    budget = budget or 2000
    made = point.protocol.make()
    if network is None and point.network is not None:
        raise ScenarioError("--set network: policies are searched without a network; faults of one with --network")
    with _in_a_line(point), _bar(budget) as on_game:
        how: Any = {"budget": budget, "seed": seed, "on_game": on_game}
        if network is not None:
            try:
                worst: SearchResult[Any] = fault_search.attack_network(point, network, **how)
            except (ValueError, PointError) as error:
                raise ScenarioError(f"--network: {error}") from error
        else:
            size: Any = {"sites": point.sites, "items": point.items, "start": point.start}
            if memory is not None:
                worst = attack_with_memory(made, memory=memory, **size, **how)
            else:
                worst = search.attack(made, oblivious=oblivious, **size, **how)
    if network is not None:
        text = fault_search.scenario_of(worst, point, seed)
        facts = {"faults found": worst.policy or "none"}
        shown = point.task.kind == "count" and worst.broken
        replay = {"shortest": f"disttrack replay {out} --shortest moves"} if shown else {}
    else:
        found, file, replay = worst.policy.as_mapping(), "", {}
        if memory is None and (table := found.pop("table", None)) is not None:  # that of a machine is a word
            found = {"moves": len(table)}  # none where one item is sent
            if table:
                file = out.with_suffix(".json").name
                write_text(out.with_suffix(".json"), json.dumps(table, indent=0, sort_keys=True))
                found = {"file": out.with_suffix(".json"), **found}
        entry = {"kind": point.protocol.kind, **point.protocol.arguments}
        text = search.scenario_of(worst, entry, seed=seed, size=size, file=file)
        name = f"{worst.policy.kind if memory is None else 'machine'} found"
        facts = {name: " ".join(f"{name}={value}" for name, value in found.items())}
    write_text(out, f"{WRITTEN} attack.\n#\n{text}")
    measure = point.task.make().beside or "largest error"
    print_facts({**facts, **_measured(worst, measure, made.accuracy), "scenario": str(out), **replay})


def _play(path: Path, step: float, budget: int | None, out: Path, *, seed: int, **flags: Any) -> None:
    """Play a list of faults, print whether the promise is broken, and save the scenario."""
    from disttrack.attack.search.fault_search import GAMES, play_faults, scenario_of_list
    from disttrack.simulator.experiments.results.files import write_text

    faults = read_faults(path)
    flags["protocol"] = flags["protocol"] or faults.protocol
    if not flags["protocol"]:
        raise ScenarioError(f"--protocol: is missing, and the first line of {path} names none")
    done = suffering(point_of(**flags), faults, path, step)
    with _in_a_line(done.point), _bar(budget or GAMES) as on_game:
        played = play_faults(done.point, games=budget or GAMES, seed=seed, on_game=on_game)
    after = done.afterwards if faults.deployed else None
    with waiting("without faults"):
        settled = None if after is None else play_faults(after, games=budget or GAMES, seed=seed)
    write_text(out, f"{WRITTEN} attack.\n#\n{scenario_of_list(done.point, seed)}")
    network = {key: value for key, value in (done.point.network or {}).items() if key != "faults"}
    given = " ".join(f"{name}={value}" for name, value in done.point.protocol.arguments.items())
    facts = {
        "protocol": f"{done.point.protocol.label} {given}",
        "faults": done.faults or "none",
        "network": json.dumps(network),
        "promise": played.promise,
        played.measure: played.values,
        **({f"from step {done.calm:,} on": f"{settled.promise}; {settled.values}"} if settled else {}),
        "scenario": str(out),
        "to see a game": f"disttrack replay {out}",
    }
    if played.unmet:
        facts["never met"] = "; ".join(played.unmet.splitlines())
    print_facts(facts)


@contextmanager
def _bar(games: int) -> Iterator[Callable[[int], None]]:
    """Show how many games have been played; it yields what is called after each."""
    with click.progressbar(length=games, label="games", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield lambda played: bar.update(played - bar.pos)


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
    promise = "" if alpha is None else f" (promised: {alpha:g})"
    return {
        measure: f"{worst.strength:.3g} on average over {worst.last} further games{promise}",
        "failed": failed,
        **({"undecided": f"{100 * worst.undecided:.1f} % of them"} if worst.undecided else {}),
        "games played": f"{worst.games:,}",
    }
