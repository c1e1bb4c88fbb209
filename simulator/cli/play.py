"""``disttrack play``: one game from flags."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import complete
from simulator.cli.layout import Column, hanging
from simulator.cli.point_flags import scenario_of
from simulator.cli.tables import Form, form_options, print_json, print_table, terminal_width
from simulator.cli.targets import PICTURES, check_target
from simulator.results.formats import duration, number, percent

if TYPE_CHECKING:
    from simulator.game.outcome import Game

ROWS = 12
"""Checkpoints of the timeline that are shown."""


@click.command(
    epilog="A kind may have parameters: --protocol 'robust delta=0.01', --adversary 'attack.py:Mine patience=2'."
)
@click.option(
    "--protocol",
    required=True,
    metavar="KIND",
    help="Kind and parameters of the protocol.",
    shell_complete=complete.kinds_of("protocol"),
)
@click.option(
    "--adversary",
    default="round-robin",
    show_default=True,
    metavar="KIND",
    help="The same of the adversary.",
    shell_complete=complete.kinds_of("adversary"),
)
@click.option("--sites", type=int, help="Number of sites; a trace says its own.")
@click.option("--items", metavar="N", help="Number of items (1e6 is a million); a trace says its own.")
@click.option("--alpha", type=float, default=0.1, show_default=True, help="Accuracy of a protocol that takes one.")
@click.option("--start", default="0", show_default=True, metavar="N", help="Items counted before the game.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the game: column seed of trials.csv.")
@click.option("--engine", default="auto", show_default=True, help="auto, step, leap or bulk.")
@click.option("--latency", metavar="STEPS", help="Delay of messages: a number of steps, or exponential:MEAN.")
@click.option("--network", metavar="MAPPING", help="As in a scenario file: '{latency: 5, loss: 0.1, link: reliable}'.")
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="Draw the timeline into this file.")
@click.option(
    "--transcript",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every message into this CSV file.",
)
@click.option(
    "--record",
    "recorded",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the whole game into this file, for disttrack replay.",
)
@click.option("--yes", is_flag=True, help="Play it, however long it takes.")
@form_options
def play(
    figure: Path | None, transcript: Path | None, recorded: Path | None, seed: int, yes: bool, form: Form, **flags: Any
) -> int:
    """Play one game: its verdict, its cost, and how it went."""
    from simulator.errors import ScenarioError
    from simulator.game.play import play as play_game
    from simulator.results.files import write_with
    from simulator.runs.estimate import hours
    from simulator.tasks.tracking import prepare

    for flag, path, kinds in (
        ("--figure", figure, PICTURES),
        ("--transcript", transcript, ()),
        ("--record", recorded, ()),
    ):
        check_target(flag, path, kinds)
    scenario = scenario_of(flags)
    point = scenario.points[0]
    if not yes and (needed := hours(scenario, workers=1)) > 1:
        raise ScenarioError(f"disttrack play: would take about {needed:,.1f} hours; take fewer items, or --yes")
    try:
        arguments = prepare(point)
        if seed < 0:
            raise ScenarioError(f"--seed: must be at least 0; got {seed}")
        kept = transcript is not None or recorded is not None
        game = play_game(**arguments, seed=seed, record=kept, on_error="record")
    except ValueError as error:
        raise ScenarioError(f"disttrack play: {error}") from error
    if recorded is not None:
        from simulator.replay.files import save
        from simulator.replay.record import record_of

        save(record_of(game, point), recorded)
    names = point.protocol.label, point.adversary.label
    if form == "json":
        print_json(_document(game, *names))
    elif form == "table":
        _tell(game, *names)
    elif game.verdict == "failed":
        click.echo(f"{' against '.join(names)}: {_verdict(game)}")
    if transcript is not None:
        write_with(transcript, lambda place: game.transcript.to_csv(place, index=False))
    if figure is not None:
        game.plot(figure)
    for what, path in (("transcript", transcript), ("record", recorded), ("figure", figure)):
        if path is not None and form == "table":
            click.echo(f"{what}: {path}")
    if game.error:
        click.echo(game.error.rstrip(), err=True)
        return 1
    return 0


def _document(game: Game, protocol: str, adversary: str) -> dict[str, Any]:
    """Return the game for programs: its row of trials.csv, and its timeline."""
    row = {"protocol": protocol, "adversary": adversary, "seed": game.seed, **game.row(), "error": game.error}
    return {**row, "engine_reason": game.engine_reason, "timeline": game.series.to_dict("records")}


def _verdict(game: Game) -> str:
    failing = f" ({percent(game.failing_fraction)} of the steps fail, the first at item {number(game.first_failure)})"
    return game.verdict + (failing if game.first_failure is not None else "")


def _of_network(game: Game) -> list[list[str]]:
    """Return what a network has made of a game; nothing if there was none, or none that did anything."""
    if not (game.max_lag or game.lost or game.restarts or game.words_link):
        return []
    lag = f"{number(game.max_lag_error)} at most; something was on its way for {game.max_lag:,} steps"
    rows = [["lag-aware", lag]]
    if game.words_link:
        rows.append(["links", f"{game.words_link:,} words more, {number(game.link_factor)} times the words in all"])
    if game.lost or game.restarts:
        rows.append(["faults", f"{game.lost:,} messages lost, {game.restarts:,} times somebody was down"])
    return rows


def _tell(game: Game, protocol: str, adversary: str) -> None:
    """Print the summary and the timeline."""
    promised = f", promised {game.alpha:g}" if game.alpha else ""
    rows = [
        [
            "game",
            f"{protocol} against {adversary}, {game.sites:,} sites, {game.items:,} items, seed {game.seed}",
        ],
        ["verdict", _verdict(game)],
        ["largest error", f"{number(game.max_rel_error)}{promised}"],
        *_of_network(game),
        ["words", f"{game.words:,} ({game.words_up:,} up, {game.words_down:,} down)"],
        ["messages", f"{game.messages:,} ({game.broadcasts:,} broadcasts), {game.bits:,} bits"],
        ["output", f"changed {game.output_changes:,} times, {game.rounds:,} rounds"],
        ["engine", f"{game.engine} ({game.engine_reason}), {duration(game.seconds)}"],
    ]
    for name, value in rows:
        click.echo("\n".join(hanging(f"{name + ':':<15}", value, terminal_width())))
    series = game.series
    if len(series):
        picked = sorted({round(place * (len(series) - 1) / (ROWS - 1)) for place in range(ROWS)})
        shown = series.iloc[picked]
        click.echo()
        print_table(
            "Timeline",
            [Column(header, right=True) for header in ("items", "output", "error", "words")],
            [
                [
                    number(row["items"]),
                    number(float(row["output"])),
                    f"{row['rel_error']:+.4f}",
                    number(row["words"]),
                ]
                for _, row in shown.iterrows()
            ],
        )
