"""Accuracy of the times stated by ``disttrack check``: one row per shipped scenario, with stated over actual time.

``python -m benchmarks.estimates [--budget SECONDS] [--pairs] [NAME …]`` plays games of each pair of sides, the
costliest point first, and takes the others to be as far from their estimates as those. Both times are of the
processor, for one worker and without the controls. A game is played twice, and the second one counts: the first may
compile functions. A loop of additions, timed beside each scenario, says how slow the machine is at that moment; actual
times are divided by it. The rates in the tasks are set so that the ratios are near 1.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

import click
import pandas as pd

from disttrack.simulator.experiments.runs.estimate import seconds_of
from disttrack.simulator.experiments.runs.jobs import plan
from disttrack.simulator.experiments.runs.worker import attempt
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.game.tasks.base import Record
from disttrack.simulator.kinds.point import Point

USUAL: Final = 0.095
"""Seconds of the processor for the loop, on the machine to which the rates are fitted."""
LONG: Final = 2.0
"""Seconds after which a game is not played again."""


@dataclass
class Pair:
    """The points of a protocol and an adversary, the costliest first, each with its number of games.

    Attributes
    ----------
    stated
        Seconds of all their games by the estimate.
    played, expected
        Actual seconds of the games that were played, and the estimate's of the same games.
    repeated
        Share of the stated time that is for games to be played: without coins, a point has one.
    """

    points: list[tuple[Point, int, float]] = field(default_factory=list)
    stated: float = 0.0
    played: float = 0.0
    expected: float = 0.0
    repeated: float = 1.0


def pairs_of(scenario: Scenario) -> dict[tuple[str, str], Pair]:
    """Return the pairs of sides of a scenario, with their points."""
    pairs: defaultdict[tuple[str, str], Pair] = defaultdict(Pair)
    for point, trials in scenario.played:
        pair = pairs[point.protocol.label, point.adversary.label]
        seconds = seconds_of(scenario.task.demand(point))
        pair.points.append((point, trials, seconds))
        pair.stated += seconds * trials
    for pair in pairs.values():
        pair.points.sort(key=lambda one: -one[2] * one[1])
    return dict(pairs)


def turns(pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Point, int, float]]:
    """Yield the costliest point of each pair, then the middle one, then the rest."""
    orders = []
    for pair in sorted(pairs, key=lambda pair: -pair.stated):
        places = dict.fromkeys([0, len(pair.points) // 2, *range(len(pair.points))])
        orders.append([(pair, *pair.points[place]) for place in places])
    for row in zip_longest(*orders):
        yield from (one for one in row if one is not None)


def timed(scenario: Scenario, point: Point) -> tuple[float, bool]:
    """Play games of a point; return the seconds of a later one, and whether chance has a part in them."""
    jobs = plan([(point, 2, scenario.plan_of(point).seed)], scenario.task)
    seconds, coins = 0.0, True
    for job in jobs:
        begun = time.process_time()
        record = attempt(job).record
        seconds = time.process_time() - begun
        coins = not isinstance(record, Record) or record.coins
        if seconds > LONG:
            break
    return seconds, coins


def slowness() -> float:
    """Return how many times the usual seconds the loop takes now."""
    begun = time.process_time()
    code = "x = 0\nfor i in range(1_000_000): x += i\n"  # its names are global, as in the loop that USUAL is of
    exec(code, {})
    return (time.process_time() - begun) / USUAL


def measure(scenario: Scenario, budget: float) -> dict[tuple[str, str], Pair]:
    """Play games of a scenario for some seconds of the processor, at least one; return its pairs."""
    pairs = pairs_of(scenario)
    until = time.process_time() + budget
    for pair, point, trials, stated in turns(list(pairs.values())):
        seconds, coins = timed(scenario, point)
        pair.played += seconds
        pair.expected += stated
        pair.repeated = 1.0 if coins else 1 / trials
        if time.process_time() > until:
            break
    return pairs


@click.command()
@click.argument("names", nargs=-1)
@click.option("--budget", type=float, default=6.0, show_default=True, help="Seconds of the processor per scenario.")
@click.option("--pairs", "each", is_flag=True, help="A row per pair of sides too.")
def main(names: Sequence[str], budget: float, each: bool) -> None:
    """Print the ratios, and the number within a factor of 3 and of 10."""
    ratios = []
    for name in names or sorted(shipped_scenarios()):
        before = slowness()
        pairs = measure(load(name), budget)
        slow = (before + slowness()) / 2
        known = [pair for pair in pairs.values() if pair.expected]
        covered, stated = (sum(pair.stated for pair in some) for some in (known, pairs.values()))
        each_once = sum(pair.stated * pair.repeated * pair.played / pair.expected for pair in known)
        mean = sum(pair.stated * pair.played / pair.expected for pair in known) / covered
        taken = (each_once + (stated - covered) * mean) / slow  # of the others chance is taken to have a part
        ratios.append(stated / taken)
        click.echo(
            f"{name:22} {ratios[-1]:8.2f}  stated {stated:8.1f} s, taken {taken:8.1f} s; machine {slow:.2f} times "
            f"slower; {len(known)} of {len(pairs)} pairs, {covered / stated:.0%} of the stated time"
        )
        for (protocol, adversary), pair in pairs.items() if each else ():
            if pair.expected:
                ratio = pair.expected / pair.played * slow / pair.repeated
                click.echo(
                    f"    {protocol:28} {adversary:28} {ratio:8.2f}  stated {pair.stated:8.2f} s; played "
                    f"{pair.played / slow:.4f} s, expected {pair.expected:.4f}"
                )
    series = pd.Series(ratios)
    within = {factor: series.between(1 / factor, factor).sum() for factor in (3, 10)}
    click.echo(f"{within[3]} of {len(series)} within a factor of 3, {within[10]} of 10; median {series.median():.2f}")


if __name__ == "__main__":
    main()
