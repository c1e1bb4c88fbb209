"""``disttrack replay``: a game as a page, or some of its steps as a drawing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from disttrack.simulator.cli.options import PAGE_FILE, SET, faults_options, read_faults, suffering
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.columns import POINT, TRIAL, TRIALS_CSV
from disttrack.simulator.kinds.entries import text_of
from disttrack.simulator.kinds.registry import ROLES
from disttrack.simulator.shown.terminal.tables import print_text

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario
    from disttrack.simulator.shown.replay.record import About, GameRecord


@click.command()
@click.argument("games", nargs=-1, required=True, metavar="GAME [GAME]")
@click.option(
    "--point", "points", type=int, multiple=True, help="Point of a scenario.  [default: 0; with --shortest the worst]"
)
@click.option("--trial", "trials", type=int, multiple=True, help="Trial of a scenario; as --point.")
@SET
@faults_options
@click.option("--out", type=PAGE_FILE, default="replay.html", help="The page, or a drawing as .svg.")
@click.option(
    "--shortest",
    type=click.Choice(["adversary", "moves"]),
    is_flag=False,
    flag_value="adversary",
    help="Shortest failing game found in 10 s.",
)
@click.option("--steps", type=int, nargs=2, metavar="FIRST LAST", help="Steps of a drawing.  [default: all]")
def replay(
    games: Sequence[str], out: Path, steps: tuple[int, int] | None, faults: Path | None, step: float, **which: Any
) -> None:
    """Replay a game: who spoke when, what the adversary saw and did, and where the estimate fails.

    Two games, or two --point of a scenario, are beside each other.

    GAME is a file of disttrack play --record FILE, or a scenario, of which one game is played again from its seed;
    with --faults, under a list of faults of disttrack attack --network or of a deployment.
    """
    from disttrack.simulator.experiments.results.files import write_text
    from disttrack.simulator.shown.replay.drawing import drawing
    from disttrack.simulator.shown.replay.page import page

    which["faults"] = None if faults is None else (faults, step)
    drawn = out.suffix == ".svg"
    if out.suffix not in ("", ".svg", ".html", ".htm"):
        raise ScenarioError(f"--out {out}: must end in .html or .svg")
    if steps is not None and not (drawn and 0 <= steps[0] <= steps[1]):
        raise ScenarioError(f"--steps {steps[0]} {steps[1]}: must be in order, with --out FILE.svg")
    if len(games) * max(1, len(which["points"])) * max(1, len(which["trials"])) > 2:
        raise ScenarioError("disttrack replay: takes at most two games")
    records = list(_records(games, **which))
    longest = max(record.about.steps for record in records)
    if steps is not None and steps[0] > longest:
        raise ScenarioError(f"--steps {steps[0]} {steps[1]}: the game has steps 1 to {longest:,}")
    for record in records:
        if record.about.shortest:
            for line in record.about.shortest.splitlines():
                print_text(line)
            print_text(f"disttrack play {flags_of(record.about)}", "to play it again: ", "  ")
    write_text(out, drawing(records, *(steps or ())) if drawn else page(records))
    click.echo(f"{'drawing' if drawn else 'page'}: {out}")


def _records(
    games: Sequence[str],
    points: Sequence[int],
    trials: Sequence[int],
    overrides: Sequence[str],
    shortest: Any,
    faults: tuple[Path, float] | None,
) -> Iterator[GameRecord]:
    """Yield the games: recorded ones, and of each scenario every given trial of every given point."""
    from disttrack.simulator.experiments.scenario.load import load as load_scenario
    from disttrack.simulator.shown.replay.files import load as load_record
    from disttrack.simulator.shown.replay.record import made_shorter, replayed

    for game in games:
        if Path(game).is_file() and Path(game).suffix not in (".yaml", ".yml"):
            if points or trials or overrides or faults:
                raise ScenarioError(f"{game}: a recorded game takes no --point, --trial, --set or --faults")
            record = load_record(Path(game))
            yield made_shorter(record.about, shortest) if shortest else record
        else:
            scenario = load_scenario(game, overrides)
            whiches = product(points or (None,), trials or (None,))
            searched = shortest and not (points and faults)  # a list of faults makes other games of the run's
            chosen = [_worst(scenario, *one) if searched else (one[0] or 0, one[1] or 0) for one in whiches]
            if faults is not None:
                scenario = _suffering(scenario, [point for point, _ in chosen], *faults)
            for point, trial in chosen:
                yield replayed(scenario, point, trial, shortest or "")


def _worst(scenario: Scenario, point: int | None, trial: int | None) -> tuple[int, int]:
    """Return point and trial, as far as they are given, of the failed game with the largest error, in units of alpha.

    It is one of a scenario's last run; of a point without a run it is trial 0.
    """
    if point is not None and trial is not None:
        return point, trial
    from disttrack.simulator.experiments.results.stored import read_table, table_file
    from disttrack.simulator.experiments.runs.jobs import game_seed
    from disttrack.simulator.experiments.runs.own_folder import place_of
    from disttrack.simulator.game.tasks.answers import over_alpha

    path = place_of(scenario) / TRIALS_CSV
    if not table_file(path).is_file():
        if point is not None or len(scenario.points) == 1:
            return point or 0, trial or 0
        raise ScenarioError(f"{scenario.name}: no run in {path.parent}; --shortest needs it, or --point")
    games = read_table(path)
    plans = {place: scenario.plan_of(point) for place, point in enumerate(scenario.points)}
    present = [
        place in plans and trial < plans[place].trials and seed == game_seed(plans[place].seed, trial)
        for place, trial, seed in zip(games[POINT], games[TRIAL], games["seed"], strict=True)
    ]
    failed, given = games[present].query("verdict == 'failed'"), ""
    for column, number in ((POINT, point), (TRIAL, trial)):
        if number is not None:
            failed, given = failed[failed[column] == number], f" of {column} {number}"
    if failed.empty:
        raise ScenarioError(f"{scenario.name}: no game{given} in {path.parent} failed")
    worst = failed.iloc[over_alpha(failed).fillna(0.0).argmax()]
    point, trial = int(worst[POINT]), int(worst[TRIAL])
    click.echo(f"worst game in {path.parent}: point {point}, trial {trial}")
    return point, trial


def _suffering(scenario: Scenario, points: Sequence[int], path: Path, step: float) -> Scenario:
    """Return a scenario of which some points have the faults of the list in a file."""
    faults = read_faults(path)
    changed = [
        suffering(point, faults, path, step).point if number in points else point
        for number, point in enumerate(scenario.points)
    ]
    return replace(scenario, points=tuple(changed))


def flags_of(about: About) -> str:
    """Return the flags with which ``disttrack play`` plays a game of a scenario again."""
    flags = []
    for role in ROLES:
        flags.append(f"--{role} {quote(text_of(about.entry(role)))}")
    flags += [f"--{name} {getattr(about, name)}" for name in ("sites", "items", "seed")]
    network = json.dumps(about.network) if about.network else ""
    settings = {"engine": about.engine, "start": about.start, "network": network}
    flags += [f"--set {quote(f'{key}={value}')}" for key, value in settings.items() if value]
    return " ".join(flags)
