"""Checks of a whole scenario, whose faults are listed at once: keys, names, claims and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from inspect import isclass
from math import inf
from typing import Any, Literal

from disttrack.simulator.errors import MEANT, ScenarioError, ScenarioErrors, accepted, nearest
from disttrack.simulator.experiments.claims.claim import Claim, ill_typed
from disttrack.simulator.experiments.claims.expressions import columns_of
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.figures import (
    MORE_COLUMNS,
    LackingError,
    check_drawable,
    check_known,
    check_plot,
    why_without_unit,
)
from disttrack.simulator.experiments.scenario.model import keys_of
from disttrack.simulator.experiments.scenario.settings import Row, plain
from disttrack.simulator.experiments.scenario.sides import entries_of
from disttrack.simulator.experiments.scenario.skipped import (
    Beforehand,
    Skipped,
    why_elsewhere,
    why_not_here,
    why_skipped,
    why_undrawn,
)
from disttrack.simulator.experiments.scenario.sweep import Combination
from disttrack.simulator.game.columns import ADVERSARY, POINT, PROTOCOL, TASK
from disttrack.simulator.game.network import Network, network_of
from disttrack.simulator.game.network.unmet import FAULTS, unmet
from disttrack.simulator.game.tasks.answers import shown_in_tables
from disttrack.simulator.game.tasks.base import Task, called
from disttrack.simulator.kinds.point import Part, Point, blamed, canonical, part
from disttrack.simulator.kinds.registry import ROLES, advice_on, game_of, kinds, parameters

Places = Sequence[tuple[Any, Combination]]
"""The sweep and the combination of each point."""


class Faults:
    """The faults of a scenario, listed at once, and what it leaves without games."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.errors: dict[str, ScenarioError] = {}
        self.kept: dict[str, list[int]] = {}
        """The numbers in the file of the claims and plots that are left when wrong ones are taken out."""

    def add(self, path: Sequence[str | int], message: str) -> None:
        """Take a fault of the value at a path; one that many points have counts once."""
        error = self.document.error(path, message)
        self.errors.setdefault(str(error), error)

    def skipped(self, what: Literal["claim", "plot"], number: int, name: str, why: str) -> Skipped:
        """Return a claim or a plot that is skipped."""
        return Skipped(what, number, name, why, self.document.place(self.place(f"{what}s", number))[0])

    def place(self, key: str, number: int) -> tuple[str, int]:
        """Return the place in the file of a claim or a plot."""
        return key, self.kept.get(key, range(number + 1))[number]

    def end(self) -> None:
        """Raise what was taken, if anything was."""
        if len(self.errors) > 1:
            raise ScenarioErrors(list(self.errors.values()))
        for error in self.errors.values():
            raise error


def check_keys(game: Task, faults: Faults) -> None:
    """Refuse keys that the task does not have; where its protocol plays another task, only that is said."""
    document, keys = faults.document, keys_of(game.sizes)
    names = {"title": "question", **called(game.sizes)}
    unknown = [key for key in document.data if key not in (*keys, *game.defaults)]
    protocols = document.data.get(PROTOCOL)
    if TASK not in document.data and (why := _plays_elsewhere(protocols, game.kind, unknown)):
        raise document.error((PROTOCOL,), why)
    if not unknown:
        return
    others = {} if TASK in document.data else keys_of_others(frozenset({*keys, *game.defaults, *names}))
    for key in unknown:
        if inner := _inside(key, document, game):
            faults.add((key,), f"belongs in {inner}")
            continue
        advice = f"{MEANT}{names[key]!r}?" if key in names else nearest(key, [*keys, *game.defaults, *others])
        if near := next((one for one in others if key == one or f"{one!r}" in advice), ""):
            advice = f"{advice if key != near else ''}; {near} goes with {others[near]}"
        faults.add((key,), f"unknown key{advice} ({accepted([*keys, *game.defaults])})")


def _inside(key: str, document: Document, game: Task) -> str:
    """Return where a key belongs that stands at the top and is one of a network, or of a side here; else nothing."""
    if key in [one.name for one in fields(Network)]:
        return f"network: {{{key}: …}}"
    for role in ROLES:
        listed = entries_of(document.data.get(role))
        for entry in listed if isinstance(listed, list) else [listed]:
            with suppress(ScenarioError, KeyError, TypeError):
                one = part(role, entry, document.folder, game.bases[role])
                if key in parameters(one.maker()) or (role, key) == (ADVERSARY, "sees"):
                    return f"{role}: {{kind: {one.kind}, {key}: …}}"
    return ""


@cache
def keys_of_others(known: frozenset[str]) -> dict[str, str]:
    """Return the keys that other tasks have, each with the line that asks for a task that has it."""
    tasks = [(name, kind.load()()) for name, kind in kinds(TASK).items()]
    return {
        key: f"`task: {name}`"
        for name, task in reversed(tasks)
        for key in (*keys_of(task.sizes), *task.defaults)
        if key not in known
    }


def _plays_elsewhere(protocols: object, task: str, unknown: Sequence[str]) -> str:
    """Return why a protocol does not play a task, and which one does; empty if all may play it.

    One that plays without a verdict is refused only where the file has keys that the task does not know.
    """
    for one in protocols if isinstance(protocols, list) else [protocols]:
        kind = one.get("kind") if isinstance(one, Mapping) else one
        known = kinds(PROTOCOL).get(kind) if isinstance(kind, str) else None
        if known is None or (own := game_of(maker := known.load())) in ("", task):
            continue
        if unknown or kinds(TASK)[own].load().own_engines:
            return f"{kind} does not play here: {advice_on(maker)}"
    return ""


def check_labels(points: Sequence[Point], faults: Faults) -> None:
    """Refuse different classes of one name, whose games tables and claims could not tell apart."""
    named: dict[tuple[str, str], Part] = {}
    for point in points:
        for side in (point.protocol, point.adversary):
            first = named.setdefault((side.role, side.label), side)
            if first.kind != side.kind and first.maker() is not side.maker():
                functions = not (isclass(first.maker()) or isclass(side.maker()))
                remedy = "rename one" if functions else 'set `kind = "…"`'
                faults.add((side.role,), f"{first.kind} and {side.kind} have one name, {side.label!r}: {remedy}")


def check_apart(points: Sequence[Point], rows: Sequence[Row], places: Places, faults: Faults) -> None:
    """Refuse points of one part that are the same, such as those of ``sites: [4, 4]``: the first one is named.

    Parameters
    ----------
    rows
        The points in the table of settings.
    places
        The sweep and the combination of each.
    """
    first: dict[str, int] = {}
    for number, row in enumerate(rows):
        before = first.setdefault(canonical(plain({**row, POINT: None})), number)
        if before != number:
            (_, one), (sweep, other) = places[before], places[number]
            again = [place for place, at in other.taken.items() if one.taken.get(place) != at]
            listed = next((place for place in again if isinstance(place, tuple)), ())
            where = sweep.place((*listed, other.taken[listed]) if listed else ())
            faults.add(where, f"gives a point twice ({points[number].describe()})")
            return


def late_faults(point: Point, last: float | None = None) -> list[str]:
    """Return the faults of a point's network that begin after a step; if left out, the last one of its games."""
    if not point.network or not {*point.network} & FAULTS:
        return []
    last = point.task.make().last_step(point) if last is None else last
    return unmet(network_of(point.network) or Network(), last, lambda site, up: inf)


def check_faults(points: Sequence[Point], places: Places, faults: Faults) -> None:
    """Refuse faults that begin after the last step of every game with their network; `places` as for `check_apart`."""
    ends: dict[str, float] = {}
    for point in points:
        if late_faults(point, 0):
            network, end = canonical(point.network), point.task.make().last_step(point)
            ends[network] = max(end, ends.get(network, 0))
    for point, (sweep, one) in zip(points, places, strict=True):
        end = ends.pop(canonical(point.network), inf)
        for line in late_faults(point, end):
            error = blamed(ValueError(f"{line} of every game here, {end:,}"), "network", point.network)
            if not faults.document.is_edited(place := sweep.place(one.place(error.path))):
                faults.add(place, error.message)


def check_claims(claims: Sequence[Claim], games: Beforehand, faults: Faults) -> Iterator[Skipped]:
    """Refuse claims on columns that there are not, and yield those that the points leave without games."""
    document, game = faults.document, games.task
    for number, claim in enumerate(claims):
        place = faults.place("claims", number)
        edited = document.is_edited((*place, "where")) and document.is_edited((*place, "measure"))
        if why := why_skipped(claim, games, edited=edited):
            why = why_elsewhere(claim, games.known, document.left_out) or why
            yield faults.skipped("claim", number, claim.name, why)
        elif fault := ill_typed(claim, games.columns) or _of_nothing(claim, game):
            key, says = fault
            says = shown_in_tables(str(getattr(claim, key)), type(game), games.columns) or says
            faults.add((*place, key), says)


def _of_nothing(claim: Claim, game: Task) -> tuple[str, str] | None:
    """Return which key of a claim is on a column that the games of a task leave empty, and why it is wrong."""
    for key in ("where", "measure", "margin"):
        if (text := getattr(claim, key)) and (names := sorted(columns_of(text) & {*game.empty})):
            return key, f"task {game.kind} has no {', '.join(names)} ({accepted(game.columns or ('items', 'seconds'))})"
    return None


def check_plots(
    requests: Sequence[Mapping[str, object] | str], axes: Sequence[str], games: Beforehand, faults: Faults
) -> tuple[list[object], list[Skipped]]:
    """Return the figures that can be drawn, and those that the points leave without an axis or without games.

    Parameters
    ----------
    axes
        The columns known before play in which points differ.
    """
    document, game, columns = faults.document, games.task, games.columns
    plots: list[object] = []
    skipped: list[Skipped] = []
    for number, request in enumerate(requests):
        try:
            plot = check_plot(request, axes, columns=columns, called=called(game.sizes), folder=document.folder)
            check_drawable(plot, _kind_of(request), game, {**columns, **MORE_COLUMNS})
            check_known(plot, games.known, columns)
            edited = document.is_edited((*faults.place("plots", number), "where"))
            why = why_undrawn(plot.where, games.known, edited=edited)
            why = why or why_without_unit(plot, games.points, games.known)
        except LackingError as error:
            if not (why := why_not_here(error.names, columns, games)):
                says = shown_in_tables(", ".join(error.names), type(game), columns) or str(error)
                faults.add(faults.place("plots", number), says)
                continue
        except ValueError as error:
            faults.add(faults.place("plots", number), str(error))
            continue
        if why:
            where = request.get("where") if isinstance(request, Mapping) else ""
            why = why_elsewhere(str(where or ""), games.known, document.left_out) or why
            skipped.append(faults.skipped("plot", number, _kind_of(request), why))
        else:
            plots.append(request)
    return plots, skipped


def _kind_of(request: Any) -> str:
    """Return the kind of a request that has been checked."""
    return str(request if isinstance(request, str) else request["kind"])
