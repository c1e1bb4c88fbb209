"""Many windows of small quotas in one game, for a random search by compiled functions.

A game of `small_fleets` takes milliseconds. Here one of its settings is played against a load drawn at random for
thousands of windows, each of which is a chance to exceed the guarantee; no site comes or goes, and no load reacts.
`python tests/fleet/many_windows.py 20000 asked` plays settings of a family (`small_fleets.FAMILIES`) until each kind
and shape has that many windows, and prints how many reach the guarantee.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from small_fleets import FAMILIES, Outcome, of_family

from disttrack.adversaries import Adversary
from disttrack.adversaries.listed_schedules import Runs
from disttrack.fleet.compiled import is_compiled
from disttrack.fleet.task import ways
from disttrack.simulator import play

STEPS = 30_000


@dataclass
class Noise(Adversary):
    """Requests to sites drawn at random, in runs of a length and with rests that a number decides."""

    number: int
    kind: ClassVar[str] = "noise"
    plays: ClassVar[tuple[str, ...]] = ("quota",)
    oblivious: ClassVar[bool] = True
    rests: ClassVar[bool] = True

    def plan(self, view: Any) -> Runs:
        rng, drawn = random.Random(self.number), np.random.default_rng(self.number)
        sites = drawn.integers(0, view.sites, STEPS)
        sites[drawn.random(STEPS) < rng.choice([0, 0, 0.05, 0.3])] = -1
        again = drawn.random(STEPS) < rng.choice([0, 0, 0.5, 0.9])
        first = np.maximum.accumulate(np.where(again, 0, np.arange(STEPS)))
        return Runs(sites[first], np.ones(STEPS, np.int64))


def many(number: int, family: str, some: Any = ()) -> dict[str, Any] | None:
    """Return a game of a family with very many windows; None if no compiled functions play it."""
    given = of_family(family, number, some)
    rule, rng = given["protocol"], random.Random(number)
    given |= {"adversary": Noise(number), "items": STEPS - STEPS % rule.window}
    if rng.random() < 0.5 and not rule.depth and not rule.limits:  # small limits are reached by chance
        given["protocol"] = replace(rule, limit=rule.price * rng.choice([1, 2]))
    return given if is_compiled("compiled", given["protocol"], given["sites"], given["network"]) else None


def outcomes(given: dict[str, Any]) -> Iterator[tuple[Outcome, int, int]]:
    """Play a game; yield for each limit its outcome, the windows in which it was reached, and how many there are."""
    game, fleet = play(**given, engine="compiled"), {"k": given["sites"], **ways(given["network"])}
    rows = game.looks.rows
    for rule in given["protocol"].singles:
        worst = rule.worst(**fleet)
        lower = {"one request": worst - rule.dearest}
        if replace(rule, limit=rule.limit + 1).worst(**fleet) <= worst:  # all that may come
            lower = {}
        if rule.shape == "window":
            admitted = np.diff(rows[rows[:, 0] % rule.window == 0, 3], prepend=0)
            yield Outcome(rule, int(admitted.max()), worst, lower), int((admitted == worst).sum()), len(admitted)
        else:
            most = rule.limit + game.book.sums.beyond
            yield Outcome(rule, most, worst, lower), int(most == worst), game.steps // rule.window


def main(least: int, family: str) -> None:
    """Play settings in turn until each kind and shape has the number of windows, and print a row of each."""
    seen: dict[Any, list[Any]] = {}
    number, places = 0, FAMILIES[family]
    while number < 40 * len(places) or min(row[0] for row in seen.values()) < least:
        given = many(number, family)
        number += 1
        if given is None:
            continue
        for one, full, windows in outcomes(given):
            assert one.worst is None or one.most <= one.worst, (one, given)
            row = seen.setdefault((one.rule.kind, one.rule.shape), [0, 0, 0, 0.0])
            row[0], row[1] = row[0] + windows, row[1] + full
            if one.ratio is not None:
                row[2], row[3] = row[2] + full, max(row[3], float(one.ratio))
    for (kind, shape), (windows, full, beyond, ratio) in sorted(seen.items()):
        print(f"{family} {kind} {shape}: {windows} windows, {full} reach it, {beyond} beyond T;", ratio, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
