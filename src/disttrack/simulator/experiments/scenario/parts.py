"""The parts of a scenario: sweeps of one question, each with a seed, a number of trials, sizes and sides of its own.

A key of the top level is the default of all parts. A scenario without `parts` has one, without a name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from disttrack.simulator.experiments.scenario.checks import Faults
from disttrack.simulator.experiments.scenario.model import Head, Plan, faults_of, keys_of, keys_of_part, unknown_key
from disttrack.simulator.experiments.scenario.sides import groups_of, spread_defaults
from disttrack.simulator.experiments.scenario.sweep import Combination, Place, check_moving, combinations
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.point import PointError

_UNTAKEN: Final = "no protocol takes it, or each has its own: remove it, or theirs"


@dataclass(frozen=True)
class Sweep:
    """One part, or a whole scenario that has none.

    Attributes
    ----------
    name
        Its name; empty for a whole scenario.
    plan
        Its seed, trials and groups of lists.
    values
        Its swept keys, defaults of the top level among them.
    above
        Those of its keys that it has from the top level.
    """

    name: str
    plan: Plan
    values: dict[str, object]
    above: Collection[str] = ()

    def place(self, path: Place) -> Place:
        """Return the place in the file of a path of the part."""
        return ("parts", self.name, *path) if self.name and not {*path[:1]} & {*self.above} else path

    def combinations(self, game: Task, faults: Faults) -> list[Combination]:
        """Return the combinations of its lists; what is wrong with them is a fault."""
        try:
            groups = groups_of(self.plan.zip, self.values, game)
            made = combinations(self.values, groups)
            if not faults.document.overridden:  # one value may have been set over a list
                check_moving(self.values, groups)
            return made
        except PointError as error:
            faults.add(self.place(error.path), error.message)
            return []


def sweeps_of(head: Head, game: Task, faults: Faults) -> list[Sweep]:
    """Return the parts of a scenario, or the whole one; what is wrong with their keys is a fault."""
    document, keys = faults.document, {*keys_of(game.sizes), *game.defaults} - {*Head.model_fields}
    top = {key: value for key, value in document.data.items() if key in keys}
    if not head.parts:
        whole = Sweep("", Plan(seed=head.seed, trials=head.trials, zip=head.zip), top)
        for key in spread_defaults(whole.values, whole.place, document, game):
            faults.add((key,), _UNTAKEN)
        kept = {key: value for key, value in document.data.items() if key not in top}
        document.data = {key: (kept | whole.values)[key] for key in document.data if key in {*kept, *whole.values}}
        return [whole]
    sweeps, untaken = [], []
    for name, own in head.parts.items():
        _check_keys(name, own, game, faults)
        above = {*top, *Plan.model_fields} - {*own}
        values = deepcopy({**top, **{key: value for key, value in own.items() if key in keys}})
        sweep = Sweep(name, _plan(name, own, head, faults), values, above)
        untaken.append([sweep.place((key,)) for key in spread_defaults(values, sweep.place, document, game)])
        sweeps.append(sweep)
    for place in dict.fromkeys(place for places in untaken for place in places):
        everywhere = all(place in places for places in untaken) and ("parts",) not in document.overridden
        if len(place) > 1 or everywhere:
            faults.add(place, _UNTAKEN)
    return sweeps


def _check_keys(name: str, own: Mapping[str, object], game: Task, faults: Faults) -> None:
    """Refuse the keys of a part that no part of this task has."""
    known = (*keys_of_part(game.sizes), *game.defaults)
    for key in own:
        if key not in known:
            faults.add(("parts", name, key), unknown_key(key, known))


def _plan(name: str, own: Mapping[str, object], head: Head, faults: Faults) -> Plan:
    """Return the plan of a part, with what the scenario says where the part is silent."""
    given = {key: own.get(key, getattr(head, key)) for key in Plan.model_fields}
    try:
        return Plan.model_validate(given)
    except ValidationError as error:
        for path, message in faults_of(error, given, Plan):
            faults.add(("parts", name, *path), message)
    return head
