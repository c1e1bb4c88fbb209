"""``disttrack play``: one game from flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli.options import JSON, RECORD_FILE, debugging, game_options, point_of, set_by, side_option
from disttrack.simulator.errors import ScenarioError, refusing
from disttrack.simulator.experiments.results.formats import cell, duration, number, sides_of
from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.game.columns import MAX_LAG_ERROR, MAX_REL_ERROR, NETWORK, SIZE_COLUMNS, VERDICT
from disttrack.simulator.shown.game_facts import facts_of, size_of
from disttrack.simulator.shown.terminal.progress import waiting
from disttrack.simulator.shown.terminal.tables import Column, Table, print_facts, print_json, print_table, print_text

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game
    from disttrack.simulator.game.tasks.base import Record, Task
    from disttrack.simulator.kinds.point import Point

ROWS: Final = 12
"""Checkpoints of the timeline that are shown."""
SMALL: Final = 2_000
"""Number of items and of sites up to which the processes of `step` play what `leap` would play, message by message."""
PICTURE: Final = "small: sites are SimPy processes"


@click.command(
    epilog="Parameters: --protocol 'robust delta=0.01', --adversary 'attack.py:Mine patience=2'. "
    "Other keys: --set start=1000, --set 'network={latency: 5, loss: 0.1, link: reliable}'."
)
@game_options
@side_option("adversary", help="The adversary.  [default: round-robin, if it can]")
@click.option("--task", metavar="KIND", help="The game.  [default: the protocol's]")
@click.option("--record", type=RECORD_FILE, help="Write the game, for disttrack replay.")
@JSON
def play(record: Path | None, seed: int, as_json: bool, **flags: Any) -> int:
    """Play one game: its verdict, its cost, and how it went."""
    from disttrack.simulator.experiments.runs.estimate import without_compiler
    from disttrack.simulator.game.play import play as play_game
    from disttrack.simulator.game.tasks.tracking import Count, prepare

    point = point_of(**flags)
    task = point.task.make()
    if line := without_compiler(task.demand(point)):
        print_text(line, err=True)
    if type(task) is not Count:
        return _play_task(task, point, seed, record, as_json)
    with refusing("disttrack play", ValueError):
        given = prepare(point)
        small = given["engine"] == "auto" and max(given["items"], given["sites"]) <= SMALL
        small = small and "engine" not in set_by(flags["overrides"])
        given |= {"engine": "step"} if small else {}
        with waiting("play"):
            game = play_game(**given, seed=seed, record=record is not None, on_error="record")
        if small:
            game.engine_reason = PICTURE
    if record is not None:
        from disttrack.simulator.shown.replay.diagram import HEADS, diagram
        from disttrack.simulator.shown.replay.files import save
        from disttrack.simulator.shown.replay.record import record_of

        recorded = record_of(game, point)
        save(recorded, record)
    checkpoints, labels = _checkpoints(game.lists()[0]), {role: getattr(point, role).label for role in SIDES}
    if as_json:
        row = {**labels, "seed": game.seed, **_of_network(game.facts, point), "error": game.error}
        print_json({**row, "engine_reason": game.engine_reason, "timeline": checkpoints})
    else:
        of_game = {} if game.error else {"game": f"{sides_of(game, [*labels.values()])}, {size_of(game)}"}
        print_facts(of_game | facts_of(game))
        if checkpoints and not game.error:
            click.echo()
            print_table(_timeline(checkpoints))
        if record is not None:
            if rows := diagram(recorded):
                click.echo()
                print_table(Table("The first messages", [Column(head, head != "messages") for head in HEADS], rows))
            print_text(f"record: {record}")
    return _status(game, point)


def _status(game: Game | Record, point: Point) -> int:
    """Print remarks on a recorded stream and on faults, and the error that ended a game; return the exit status.

    An error is one line, with --debug its traceback.
    """
    from disttrack.simulator.game.network.unmet import UNMET
    from disttrack.simulator.game.tasks.remarks import remarks

    for line in [*remarks([point]), *getattr(game, UNMET, "").splitlines()]:
        print_text(line, err=True)
    if game.error:
        click.echo(game.error.rstrip() if debugging() else game.cause, err=True)
    return int(bool(game.error))


def _play_task(task: Task, point: Point, seed: int, record: Path | None, as_json: bool) -> int:
    """Play a game of another task than `count`: what it measures, by the names of its columns."""
    if record is not None:
        raise ScenarioError(f"--record: games of task {task.kind} are not recorded (accepted: count)")
    with waiting("play"):
        game = task.play(point, seed)
    checkpoints = _checkpoints(game.series)
    if as_json:
        row = _of_network(game.row, point)
        print_json({"task": task.kind, "seed": seed, **row, "error": game.error, "timeline": checkpoints})
    else:
        print_facts(_measured(task, point, game, seed))
        if checkpoints and not game.error:
            click.echo()
            print_table(_course(task, checkpoints))
    return _status(game, point)


def _of_network(row: Mapping[str, Any], point: Point) -> dict[str, Any]:
    """Return the columns of a game without those of a network that it has not, or by which it is not judged."""
    judged = row.get(MAX_REL_ERROR) is not None
    left_out = NETWORK if point.network is None else () if judged else (MAX_LAG_ERROR,)
    return {name: value for name, value in row.items() if name not in left_out}


def _measured(task: Task, point: Point, game: Record, seed: int) -> dict[str, str]:
    """Return the facts of a game of any task; of one that an error ended only the verdict."""
    verdict = {VERDICT: str(game.row[VERDICT])}
    if game.error:
        return verdict
    sizes = [f"{value:,} {size.key}" for size in task.sizes if (value := getattr(point, size.column))]
    sides = [getattr(point, role).label for role in SIDES if role not in task.idle]
    facts = {"game": ", ".join([" against ".join(sides), *sizes, f"seed {seed}"]), **verdict}
    said = {VERDICT, "ok", "engine", "seconds", *SIDES, *SIZE_COLUMNS}
    for name, value in _of_network(game.row, point).items():
        if name not in said and (value or name in task.columns):
            label = task.label(name) or name.replace("_", " ")
            facts[label] = "none" if value is None else number(value) if isinstance(value, int | float) else str(value)
    if "engine" in game.row:
        facts["engine"] = f"{game.row['engine']} ({game.engine_reason}), {duration(game.row['seconds'])}"
    return facts


def _checkpoints(series: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    """Return the rows of the timeline, without pandas: to import it takes longer than most games."""
    return [dict(zip(series, row, strict=True)) for row in zip(*series.values(), strict=True)]


def _timeline(checkpoints: Sequence[Mapping[str, object]]) -> Table:
    """Return the output and the cost at some of the checkpoints."""
    rows = [
        [number(row["items"]), number(output) or "none", f"{error:+.4f}" * (error == error), number(row["words"])]
        for row in _some(checkpoints)
        for output, error in [(float(row["output"]), row["rel_error"])]
    ]
    return Table("Timeline", [Column(header, right=True) for header in ("items", "output", "error", "words")], rows)


def _course(task: Task, checkpoints: Sequence[Mapping[str, object]]) -> Table:
    """Return some of the checkpoints of any task, with all their columns."""
    columns = [Column(task.label(name) or name.replace("_", " "), right=True) for name in checkpoints[0]]
    return Table("Timeline", columns, [[cell(value) for value in row.values()] for row in _some(checkpoints)])


def _some(checkpoints: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return at most `ROWS` of the checkpoints, the first and the last among them."""
    return [checkpoints[at] for at in sorted({round(row * (len(checkpoints) - 1) / (ROWS - 1)) for row in range(ROWS)})]
