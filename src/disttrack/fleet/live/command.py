"""``disttrack live``: a scenario with real processes, beside its simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

import click

from disttrack.fleet.units import RATE, TIME
from disttrack.simulator.cli import completion
from disttrack.simulator.cli.compare import print_compared
from disttrack.simulator.cli.options import FOLDER, RECORD_FILE, SET
from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.experiments.results.compared import compare_results
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.experiments.runs.own_folder import claim
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import Scenario, load
from disttrack.simulator.game.play import hosted
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.point import Part
from disttrack.simulator.shown.replay.files import save
from disttrack.simulator.shown.replay.record import record_of
from disttrack.simulator.shown.terminal.run_output import print_run
from disttrack.simulator.shown.terminal.tables import Column, Table, print_table, print_text

if TYPE_CHECKING:
    from disttrack.fleet.live.timed import Host

NAMES: Final = "predicted", "measured"
LATE: Final = "held", "error/alpha"
"""Measures in which a simulated network takes delays into account, and real time does not: they are not compared."""


@click.command()
@click.argument("file", metavar="FILE", shell_complete=completion.scenario_files)
@click.option("--out", type=FOLDER, help="Folder for both results; results/NAME-live if left out.")
@SET
@click.option("--trials", type=int, help="Games at each point.")
@click.option("--rate", type=RATE, help="Items per second, 1e4/s. [default: each waits for the messages of the last]")
@click.option("--delay", type=TIME, default="0ms", help="Time that each message waits before it is received.")
@click.option("--record", type=RECORD_FILE, help="Write the first game into this file, for disttrack replay.")
def live(
    file: str, out: Path | None, overrides: tuple[str, ...], trials: int | None, rate: float | None, delay: float,
    record: Path | None,
) -> int:  # fmt: skip
    """Play a scenario with a process for the server and one for each site, and compare it with its simulation.

    The simulation uses the measured delays. Both results are folders like any other, DIR/predicted
    and DIR/measured: plot, compare and report take them. All games are played, each time.
    """
    given = [*overrides, *([] if trials is None else [f"trials={trials}"])]
    scenario = load(file, given)
    _check(scenario, rate, delay)
    folder = out or Path("results") / f"{scenario.name}-live"
    for name in NAMES:
        claim(folder / name)
    try:
        return _live(file, given, scenario, folder, rate, delay, record)
    except KeyboardInterrupt as error:
        raise RunError("disttrack live: stopped; the same command plays all games again") from error


def _live(
    file: str, given: list[str], scenario: Scenario, folder: Path, rate: float | None, delay: float,
    record: Path | None,
) -> int:  # fmt: skip
    """Play and compare; return the exit status."""
    from disttrack.fleet.live.timed import Host

    host = Host(rate, delay)
    with hosted(host):
        if record is not None:
            point = scenario.points[0]
            task = point.task.make()
            save(record_of(task.game(point, seed=scenario.plan_of(point).seed, record=True), point), record)
            host.played.clear()
        measured = run(scenario, out=folder / NAMES[1], workers=1, fresh=True, controls=False)
    print_run(scenario, measured, "all", figures=True, full=True)
    up, down = _ways(host)
    network = [] if rate is None else [f"network={{latency: {up * rate:.0f}, latency_down: {down * rate:.0f}}}"]
    predicted = run(load(file, [*given, *network]), out=folder / NAMES[0], workers=1, fresh=True, controls=False)
    compared = compare_results([predicted, measured], NAMES)
    if rate is not None:
        compared = replace(compared, rows=tuple(row for row in compared.rows if row.measure not in LATE))
    click.echo()
    print_compared(compared)
    print_table(_wire(scenario, host, f"; messages took {1e3 * up:.1f} ms up, {1e3 * down:.1f} ms down" if up else ""))
    print_text(f"results: {folder / NAMES[0]}, {folder / NAMES[1]}")
    return int(bool(measured.errors) or (rate is None and not measured.ok))  # in real time no verdict, so no claim


def _check(scenario: Scenario, rate: float | None, delay: float) -> None:
    """Raise ScenarioError unless this scenario can be played by processes."""
    for point in scenario.points:
        task = point.task.make()
        if not isinstance(task, Count):
            raise ScenarioError(f"{scenario.name}: live plays the tasks count, threshold and quota; got {task.kind}")
        if rate is not None and task.kind != Count.kind:
            raise ScenarioError(f"{scenario.name}: --rate takes the task {Count.kind}; got {task.kind}")
        if point.network is not None:
            raise ScenarioError(f"{scenario.name}: network must be left out: delays are those of real messages")
    if rate is None and delay:
        raise ScenarioError("--delay needs --rate: without it, each item waits for the messages of the one before")


def _name(side: Part, sides: Sequence[Part]) -> str:
    """Return the name of a protocol, with the parameters in which it differs from others of that name."""
    others = [one.given() for one in sides if one.label == side.label]
    differing = [
        f"{name}={value}" for name, value in side.given().items() if any(one.get(name) != value for one in others)
    ]
    return " ".join([side.label, *differing])


def _ways(host: Host) -> list[float]:
    """Return the mean seconds of a message to the server and to a site, over all games; 0 if there was none."""
    from disttrack.fleet.live.timed import Timed

    timed = [engine.ways for engine in host.played if isinstance(engine, Timed)]
    means = [[seconds for seconds in way if seconds is not None] for way in zip(*timed, strict=True)]
    return [fmean(seconds) if seconds else 0.0 for seconds in means] or [0.0, 0.0]


def _wire(scenario: Scenario, host: Host, times: str) -> Table:
    """Return the table of messages and bytes by protocol."""
    rows: list[list[str]] = []
    sides: list[Part] = []
    for side in (point.protocol for point in scenario.points):
        if side.given() not in [one.given() for one in sides if one.kind == side.kind]:
            sides.append(side)
    for side in sides:
        protocol = side.make()
        games = [game for game in host.played if game.protocol == protocol]
        messages, size = sum(game.ledger.messages for game in games), sum(game.bytes for game in games)
        means = [total / len(games) if games else None for total in (messages, size)]
        rows.append([_name(side, sides), *map(number, (*means, size / messages if messages else None))])
    columns = (Column(name, right=True) for name in ("messages", "bytes", "bytes a message"))
    return Table(f"On the wire, means of a game{times}", [Column("protocol"), *columns], rows)
