"""What a reader of results should know of the files and classes that a user brought."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from traceback import format_exception
from typing import Any, Final

from disttrack.adversaries.recorded import pace_of
from disttrack.simulator.game.engine_choice import FORMER
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.tasks.adversary import recorded
from disttrack.simulator.game.tasks.tracking import Count, prepare
from disttrack.simulator.kinds.lines import cause_of
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.source import Dropped, TooLong, guarded, is_reference, limited

PATIENCE: Final = 10.0
"""Seconds for the short games by which a class is tried, without another limit."""


def remarks(
    points: Iterable[Point], *, lost: Container[int] = (), limit: float | None = None, elsewhere: bool = False
) -> list[str]:
    """Return lines on what a reader of results should know of the points, and of the user's files and classes.

    Parameters
    ----------
    lost
        Numbers of points all of whose games ended in an error: their classes are not tried again.
    limit
        Seconds for each pair of classes to be tried; `PATIENCE` if left out.
    elsewhere
        Whether the short games are played in a new process too, which takes half a second.
    """
    points = list(points)
    tried = [point for point in points if point.number not in lost]
    of_tasks = filter(None, (point.task.make().remark(point) for point in points))
    of_classes = _on_classes(tried, limit or PATIENCE, elsewhere=elsewhere)
    engines = (f"engine: {one.engine} is no more; auto plays the game" for one in points if one.engine in FORMER)
    return list(dict.fromkeys([*engines, *_on_names(points), *of_tasks, *_on_streams(points), *of_classes]))


def _on_names(points: Iterable[Point]) -> Iterator[str]:
    """Yield a line for each class whose own name is that of a shipped kind, and which is not called by it."""
    for part in (part for point in points for part in (point.protocol, point.adversary)):
        name = vars(part.maker()).get("kind")
        if is_reference(part.kind) and name and part.label != name:
            yield f"{part.label}: {name!r} is a shipped kind; this class is {part.label!r}"


def _on_classes(points: Sequence[Point], limit: float, *, elsewhere: bool) -> Iterator[str]:
    """Yield lines on classes whose games cannot be played again; of each pair one short game is compared."""
    alike = []
    pairs = {(point.protocol.kind, point.adversary.kind): point for point in reversed(points) if point.own}
    tracking = [point for point in pairs.values() if isinstance(point.task.make(), Count)]
    if not tracking:
        return
    from disttrack.simulator.game.repeat import unrepeatable  # with all that plays a game

    for point in tracking:
        try:
            with guarded(Dropped()), limited("to play a short game twice", limit):
                line = unrepeatable(prepare(point))
        except TooLong as error:
            *_, said = cause_of("".join(format_exception(error))).partition("TooLong: ")
            line = f"{point.protocol.kind} against {point.adversary.kind}: {said}"
        if line:
            yield line
        else:
            alike.append(prepare(point))
    if elsewhere:
        yield from _on_processes(alike, limit)


def _on_processes(given: Sequence[Mapping[str, Any]], limit: float) -> Iterator[str]:
    """Yield a line on classes whose short games are others in a new process; nothing where that cannot be seen."""
    from disttrack.simulator.game.repeat import Asked, differs_elsewhere, why_only_here
    from disttrack.simulator.game.short_games import LONG

    sizes = ((one["sites"], min(LONG, one["items"]), one["start"]) for one in given)
    games = [Asked(one["protocol"], one["adversary"], *size) for one, size in zip(given, sizes, strict=True)]
    games = [game for game in games if not any(why_only_here(side) for side in game[:2] if own_code(side))]
    game = None
    with suppress(Exception, TooLong), guarded(Dropped()), limited("to play short games twice", limit):
        game = differs_elsewhere(games) if games else None
    if game:
        sides = f"{game.protocol.kind} against {game.adversary.kind}"
        yield f"{sides}: another process plays another game of the same seed (disttrack conformance)"


def _on_streams(points: Sequence[Point]) -> list[str]:
    """Return lines on recorded streams: rows that are not played, games that are longer, times that do not count."""
    played = [(stream, point) for point in points if (stream := recorded(point))]
    streams = {str(stream.as_mapping()): stream for stream, _ in played}
    lines = [remark for stream in streams.values() if (remark := stream.remark)]
    for stream, point in played:
        trace = stream.dataset or stream.file
        pace, own_time = pace_of(stream), getattr(stream, "step", None) is not None
        if stream.time is not None and not own_time and (meaning := point.task.maker().in_steps):
            lines.append(f"{trace}: {stream.time!r} only sorts rows; each takes a step: {meaning}")
        if pace > 1:
            lines.append(f"{trace}: up to {pace:,} items in a step: {pace:,} steps, also in windows")
        if point.items is not None and point.items > stream.items:
            lines.append(f"{trace}: games of {point.items:,} items end after {stream.items:,}")
        if point.items is not None and point.items < stream.items:
            lines.append(f"{trace}: games use the first {point.items:,} of {stream.items:,} items")
        if point.sites is not None and stream.deal is None and point.sites > len(stream.names):
            lines.append(f"{trace}: {len(stream.names):,} of {point.sites:,} sites get items")
    return lines
