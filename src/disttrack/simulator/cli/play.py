"""``disttrack play``: one game from flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from disttrack.simulator.cli.options import JSON, RECORD_FILE, debugging, game_options, point_of, side_option
from disttrack.simulator.cli.tables import Column, Table, print_facts, print_json, print_table, print_text
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.face import ended_early
from disttrack.simulator.results.formats import duration, number, percent

if TYPE_CHECKING:
    from disttrack.simulator.game.outcome import Game

ROWS: Final = 12
"""Checkpoints of the timeline that are shown."""


@click.command(
    epilog="A kind may have parameters: --protocol 'robust delta=0.01', --adversary 'attack.py:Mine patience=2'. "
    "Other keys of scenarios: --set start=1000, --set 'network={latency: 5, loss: 0.1, link: reliable}'."
)
@game_options
@side_option("adversary", default="round-robin")
@click.option("--record", type=RECORD_FILE, help="Write the whole game into this file, for disttrack replay.")
@JSON
def play(record: Path | None, seed: int, as_json: bool, **flags: Any) -> int:
    """Play one game: its verdict, its cost, and how it went."""
    from disttrack.simulator.game.play import play as play_game
    from disttrack.simulator.results.labels import sides_of
    from disttrack.simulator.tasks.adversary import remarks
    from disttrack.simulator.tasks.tracking import prepare

    point = point_of(**flags)
    try:
        game = play_game(**prepare(point), seed=seed, record=record is not None, on_error="record")
    except ValueError as error:
        raise ScenarioError(f"disttrack play: {error}") from error
    if record is not None:
        from disttrack.simulator.replay.files import save
        from disttrack.simulator.replay.record import record_of

        save(record_of(game, point), record)
    for line in remarks([point]):
        print_text(line, err=True)
    checkpoints = _checkpoints(game)
    if as_json:
        row = {
            "protocol": point.protocol.label,
            "adversary": point.adversary.label,
            "seed": game.seed,
            **game.facts,
            "error": game.error,
        }
        print_json({**row, "engine_reason": game.engine_reason, "timeline": checkpoints})
    else:
        print_facts(_facts(game, sides_of(game, (point.protocol.label, point.adversary.label))))
        if checkpoints:
            click.echo()
            print_table(_timeline(checkpoints))
        if record is not None:
            print_text(f"record: {record}")
    if game.error:
        click.echo(game.error.rstrip() if debugging() else game.cause, err=True)
    return int(bool(game.error))


def _facts(game: Game, sides: str) -> dict[str, str]:
    """Return the summary, with the effects of the network if it had any."""
    from disttrack.simulator.results.labels import on_network

    failing = f" ({percent(game.failing_fraction)} of the steps fail, the first at item {number(game.first_failure)})"
    unjudged = "" if game.judged or game.error else " (no step was judged)"
    facts = {
        "game": f"{sides}, {game.sites:,} sites, {game.items:,} items, seed {game.seed}",
        "verdict": game.verdict + (failing if game.first_failure is not None else unjudged),
        "largest error": number(game.max_rel_error) + (f", promised {game.alpha:g}" if game.alpha else ""),
    }
    if ended := ended_early(game.facts):
        facts["ended"] = f"{ended}; its cost is that of these items"
    if network := on_network(game):
        facts["network"] = network
    return facts | {
        "words": f"{game.words:,} ({game.words_up:,} up, {game.words_down:,} down)",
        "messages": f"{game.messages:,} ({game.broadcasts:,} broadcasts), {game.bits:,} bits",
        "output": f"changed {game.output_changes:,} times, {game.rounds:,} rounds",
        "engine": f"{game.engine} ({game.engine_reason}), {duration(game.seconds)}",
    }


def _checkpoints(game: Game) -> list[dict[str, Any]]:
    """Return the rows of the timeline, without pandas: to import it takes longer than most games."""
    series, _ = game.lists()
    return [dict(zip(series, row, strict=True)) for row in zip(*series.values(), strict=True)]


def _timeline(checkpoints: Sequence[Mapping[str, Any]]) -> Table:
    """Return the output and the cost at some of the checkpoints."""
    picked = sorted({round(place * (len(checkpoints) - 1) / (ROWS - 1)) for place in range(ROWS)})
    rows = [
        [number(row["items"]), number(float(row["output"])), f"{row['rel_error']:+.4f}", number(row["words"])]
        for row in (checkpoints[place] for place in picked)
    ]
    return Table("Timeline", [Column(header, right=True) for header in ("items", "output", "error", "words")], rows)
