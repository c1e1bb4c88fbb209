"""What a scenario is refused for beside single values: keys its task has not, claims and figures without a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from disttrack.simulator.claims.claim import Claim, ill_typed
from disttrack.simulator.claims.columns import TRIALS, Holds
from disttrack.simulator.claims.grammar import columns_of
from disttrack.simulator.errors import accepted, nearest
from disttrack.simulator.points.point import Part, Point, canonical
from disttrack.simulator.points.swept import axes
from disttrack.simulator.scenario.document import Document
from disttrack.simulator.scenario.figures import check_plot
from disttrack.simulator.scenario.model import Head, keys_of
from disttrack.simulator.tasks.base import Task
from disttrack.simulator.tasks.sizes import COLUMNS, called

MOST_COMPARED: Final = 20_000
"""Points that are looked through for equal ones."""


def check_keys(document: Document, head: Head, game: Task) -> None:
    """Refuse keys that the task has not, and the names that it does not go by."""
    keys = keys_of(game.sizes)
    for size in game.sizes:
        if keys.count(size.key) > 1 or (size.key in TRIALS and size.key != size.column):
            raise document.error(
                ("task",), f"{head.task} calls a size {size.key!r}, which is taken: choose another key"
            )
    for key in document.data:
        if key not in keys:
            raise document.error((key,), _unknown(key, keys, head.task, game))
    for number, group in enumerate(head.zip):
        for path in group:
            key = path.partition(".")[0]
            if key not in keys and key in COLUMNS:
                raise document.error(("zip", number), f"{key}: {_unknown(key, keys, head.task, game)}")
    for size in game.sizes:
        if size.needed and size.key not in document.data:
            raise document.error((), f"{size.key} is missing: {size.says[0].lower()}{size.says[1:].rstrip('.')}")


def _unknown(key: str, keys: Sequence[str], name: str, game: Task) -> str:
    """Return what is wrong with a key that a scenario of this task does not have."""
    names = called(game.sizes)
    if key in names:
        return f"task {name} calls this {names[key]!r} ({accepted(keys)})"
    if key in COLUMNS:
        return f"task {name} has no such size ({accepted(keys)})"
    return f"unknown key{nearest(key, keys)} ({accepted(keys)})"


def check_claims(claims: Sequence[Claim], known: Mapping[str, Holds], document: Document) -> None:
    """Refuse claims over columns that the results will not have, and of types that do not go together.

    Parameters
    ----------
    known
        The columns, and what each holds.
    """
    for number, claim in enumerate(claims):
        for key, text in (("where", claim.where), ("measure", claim.measure), ("margin", claim.margin)):
            for name in sorted(columns_of(text) if text else ()):
                _known_column(name, known, document, ("claims", number, key))
        for name in claim.columns:
            _known_column(name, known, document, ("claims", number, "each"))
        fault = ill_typed(claim, known)
        if fault is not None:
            key, said = fault
            raise document.error(("claims", number, key), said)


def _known_column(name: str, known: Mapping[str, Holds], document: Document, place: tuple[str | int, ...]) -> None:
    if name not in known and not name.startswith(("words_", "messages_")):
        raise document.error(
            place,
            f"there is no column {name!r}{nearest(name, known)} "
            f"({accepted(known)}, words_KIND and messages_KIND of a kind of message)",
        )


def check_labels(points: Sequence[Point], document: Document) -> None:
    """Refuse different classes of one name: tables and claims would take the games of one for those of the other."""
    named: dict[tuple[str, str], Part] = {}
    for point in points:
        for part in (point.protocol, point.adversary):
            first = named.setdefault((part.role, part.label), part)
            if first.kind != part.kind and first.maker() is not part.maker():
                raise document.error(
                    (part.role,),
                    f"{first.kind} and {part.kind} are both called {part.label!r} in tables: give one of the classes "
                    'another `kind = "…"`',
                )


def listed_twice(points: Sequence[Point]) -> list[str]:
    """Return in a line that points are the same; nothing if all differ, or there are too many to look through."""
    if len(points) > MOST_COMPARED:
        return []
    first: dict[str, Point] = {}
    again: list[tuple[Point, Point]] = []
    for point in points:
        before = first.setdefault(canonical(point.identity()), point)
        if before is not point:
            again.append((before, point))
    if not again:
        return []
    before, point = again[0]
    which = f"point {point.number} is point {before.number}, {point.describe()}"
    more = f"{len(again)} points are listed before; the first: {which}" if len(again) > 1 else which
    return [f"listed twice: {more} (the same games, counted once)"]


def kept_plots(head: Head, points: Sequence[Point], game: Task, document: Document) -> list[Any]:
    """Return the figures; one along an axis that `--set` has fixed is left out."""
    kept: list[Any] = []
    for number, request in enumerate(head.plots):
        try:
            check_plot(request, folder=document.folder)
            try:
                check_plot(request, axes(points, game.columns), called=called(game.sizes), folder=document.folder)
            except ValueError:
                if not document.overridden:
                    raise
                continue
        except ValueError as error:
            raise document.error(("plots", number), str(error)) from error
        kept.append(request)
    return kept
