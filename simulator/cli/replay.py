"""``disttrack replay``: a game as a page, or some of its steps as a drawing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from disttrack.simulator.cli.tables import FILE, SET

if TYPE_CHECKING:
    from disttrack.simulator.replay.record import GameRecord


@click.command(
    epilog="Two games stand side by side on one clock: disttrack replay A B, or one scenario with two --point."
)
@click.argument("games", nargs=-1, required=True, metavar="GAME [GAME]")
@click.option("--point", "points", type=int, multiple=True, help="Of a scenario, the point; 0 if left out.")
@click.option("--trial", "trials", type=int, multiple=True, help="Of a scenario, the trial; 0 if left out.")
@SET
@click.option("--out", type=FILE, help="The page to write; replay.html if left out.")
@click.option("--svg", type=FILE, help="Draw steps into this file in place of a page.")
@click.option("--steps", metavar="A:B", help="Steps that --svg draws; all if left out.")
def replay(
    games: tuple[str, ...],
    points: tuple[int, ...],
    trials: tuple[int, ...],
    overrides: tuple[str, ...],
    out: Path | None,
    svg: Path | None,
    steps: str | None,
) -> None:
    """Replay a game: who spoke when, what the adversary saw and did, and where the estimate fails.

    GAME is a file of disttrack play --record FILE, or a scenario, of which one game is played again from its seed.
    """
    from disttrack.simulator.errors import ScenarioError

    if max(len(games), len(points), len(trials)) > 2:
        raise ScenarioError("disttrack replay: at most two games stand side by side")
    if steps is not None and svg is None:
        raise ScenarioError("--steps: only with --svg FILE; a page has all steps")
    if svg is not None and out is not None:
        raise ScenarioError("--out: not with --svg, which says where its drawing goes")
    span = _span(steps)
    records = _records(games, points, trials, overrides)
    from disttrack.simulator.results.files import write_text

    if svg is not None:
        from disttrack.simulator.replay.drawing import drawing

        write_text(svg, drawing(records, *span))
        click.echo(f"drawing: {svg}")
        return
    from disttrack.simulator.replay.page import page

    out = out or Path("replay.html")
    write_text(out, page(records))
    click.echo(f"page: {out}")


def _records(
    games: Sequence[str], points: Sequence[int], trials: Sequence[int], overrides: Sequence[str]
) -> list[GameRecord]:
    """Return the games that are asked for: one scenario with two points or trials stands for two."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.replay.files import load as load_record
    from disttrack.simulator.replay.record import replayed
    from disttrack.simulator.scenario.load import load as load_scenario

    recorded = [Path(game).is_file() and Path(game).suffix not in (".yaml", ".yml") for game in games]
    if all(recorded) and (points or trials or overrides):
        raise ScenarioError("--point, --trial and --set: only for games of scenarios; a recorded game is as it is")
    number = len(games) if recorded[0] else max(len(games), len(points), len(trials))
    records = []
    for place in range(number):
        # with one point (or trial) for two scenarios it is that of both
        game, point, trial = (given[min(place, len(given) - 1)] for given in (games, points or (0,), trials or (0,)))
        if recorded[min(place, len(games) - 1)]:
            records.append(load_record(Path(str(game))))
        else:
            records.append(replayed(load_scenario(str(game), list(overrides)), int(point), int(trial)))
    return records


def _span(steps: str | None) -> tuple[int, int | None]:
    """Return the first and last step to be drawn, None for the end."""
    from disttrack.simulator.errors import ScenarioError

    if steps is None:
        return 0, None
    ends = re.fullmatch(r"([\d_]*):([\d_]*)", steps)
    if not ends or not any(ends.groups()):
        raise ScenarioError(f"--steps {steps}: must be A:B, two step numbers, such as 500:700")
    first, last = int(ends[1] or 0), int(ends[2]) if ends[2] else None
    if last is not None and last < first:
        raise ScenarioError(f"--steps {steps}: ends before it begins")
    return first, last
