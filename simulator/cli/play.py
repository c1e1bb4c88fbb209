"""``disttrack play``: one game from flags."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli import complete
from disttrack.simulator.cli.layout import Column, Table
from disttrack.simulator.cli.point_flags import scenario_of
from disttrack.simulator.cli.tables import FILE, Form, form_options, print_facts, print_json, print_table
from disttrack.simulator.results.formats import duration, number, percent

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game

ROWS: Final = 12
"""Checkpoints of the timeline that are shown."""
PICTURES: Final = (".png", ".svg", ".pdf", ".jpg", ".webp", ".eps")
"""Endings of files that figures can be drawn into."""


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
@click.option("--figure", type=FILE, help="Draw the timeline into this file.")
@click.option("--transcript", type=FILE, help="Write every message into this CSV file.")
@click.option("--record", type=FILE, help="Write the whole game into this file, for disttrack replay.")
@click.option("--yes", is_flag=True, help="Play it, however long it takes.")
@form_options
def play(
    figure: Path | None, transcript: Path | None, record: Path | None, seed: int, yes: bool, form: Form, **flags: Any
) -> int:
    """Play one game: its verdict, its cost, and how it went."""
    from disttrack.simulator.errors import ScenarioError
    from disttrack.simulator.game.play import play as play_game
    from disttrack.simulator.results.files import write_with
    from disttrack.simulator.runs.estimate import estimate
    from disttrack.simulator.tasks.tracking import prepare

    written = {"transcript": transcript, "record": record, "figure": figure}
    for flag, path in written.items():
        _check_target(f"--{flag}", path)
    scenario = scenario_of(flags)
    point = scenario.points[0]
    if not yes and (needed := estimate(scenario, workers=1).seconds / 3600) > 1:
        raise ScenarioError(f"disttrack play: would take roughly {needed:,.1f} hours; take fewer items, or --yes")
    if seed < 0:
        raise ScenarioError(f"--seed: must be at least 0; got {seed}")
    try:
        game = play_game(**prepare(point), seed=seed, record=bool(transcript or record), on_error="record")
    except ValueError as error:
        raise ScenarioError(f"disttrack play: {error}") from error
    if record is not None:
        from disttrack.simulator.replay.files import save
        from disttrack.simulator.replay.record import record_of

        save(record_of(game, point), record)
    sides = point.protocol.label, point.adversary.label
    if form == "json":
        row = {"protocol": sides[0], "adversary": sides[1], "seed": game.seed, **game.row(), "error": game.error}
        print_json({**row, "engine_reason": game.engine_reason, "timeline": game.series.to_dict("records")})
    elif form == "table":
        print_facts(_facts(game, " against ".join(sides)), pad=15)
        _print_timeline(game)
    elif game.verdict == "failed":
        click.echo(f"{' against '.join(sides)}: {_verdict(game)}")
    if transcript is not None:
        write_with(transcript, lambda place: game.transcript.to_csv(place, index=False))
    if figure is not None:
        game.plot(figure)
    for name, path in written.items() if form == "table" else ():
        if path is not None:
            click.echo(f"{name}: {path}")
    if game.error:
        click.echo(game.error.rstrip(), err=True)
    return int(bool(game.error))


def _check_target(flag: str, path: Path | None) -> None:
    """Refuse a file that cannot be written, before the game."""
    from disttrack.simulator.errors import ScenarioError

    if path is None:
        return
    if flag == "--figure" and path.suffix.lower() not in PICTURES and not path.exists():  # a device has no ending
        raise ScenarioError(f"{flag} {path}: must end with {', '.join(PICTURES)}")
    if not path.parent.is_dir():
        raise ScenarioError(f"{flag} {path}: there is no folder {path.parent}")


def _verdict(game: Game) -> str:
    failing = f" ({percent(game.failing_fraction)} of the steps fail, the first at item {number(game.first_failure)})"
    return game.verdict + (failing if game.first_failure is not None else "")


def _facts(game: Game, sides: str) -> dict[str, str]:
    """Return the summary, with the effects of the network if it had any."""
    promised = f", promised {game.alpha:g}" if game.alpha else ""
    facts = {
        "game": f"{sides}, {game.sites:,} sites, {game.items:,} items, seed {game.seed}",
        "verdict": _verdict(game),
        "largest error": f"{number(game.max_rel_error)}{promised}",
    }
    faults = game.lost or game.restarts
    if game.max_lag or faults or game.words_link:
        error = number(game.max_lag_error)
        facts["lag-aware"] = f"{error} at most; something was on its way for {game.max_lag:,} steps"
    if game.words_link:
        facts["links"] = f"{game.words_link:,} words more, {number(game.link_factor)} times the words in all"
    if faults:
        facts["faults"] = f"{game.lost:,} messages lost, {game.restarts:,} times somebody was down"
    return facts | {
        "words": f"{game.words:,} ({game.words_up:,} up, {game.words_down:,} down)",
        "messages": f"{game.messages:,} ({game.broadcasts:,} broadcasts), {game.bits:,} bits",
        "output": f"changed {game.output_changes:,} times, {game.rounds:,} rounds",
        "engine": f"{game.engine} ({game.engine_reason}), {duration(game.seconds)}",
    }


def _print_timeline(game: Game) -> None:
    series = game.series
    if not len(series):
        return
    picked = sorted({round(place * (len(series) - 1) / (ROWS - 1)) for place in range(ROWS)})
    rows = [
        [number(row["items"]), number(float(row["output"])), f"{row['rel_error']:+.4f}", number(row["words"])]
        for _, row in series.iloc[picked].iterrows()
    ]
    columns = [Column(header, right=True, key=True) for header in ("items", "output", "error", "words")]
    click.echo()
    print_table(Table("Timeline", columns, rows))
