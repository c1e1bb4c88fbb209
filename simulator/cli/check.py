"""``disttrack check`` and ``disttrack schema``."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Set a key over the file.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Worker processes to reckon with; one per core if left out."
)
def check(files: tuple[str, ...], overrides: tuple[str, ...], workers: int | None) -> None:
    """Check scenarios and say how much work they are. Plays none of their games."""
    from simulator.results.formats import duration, in_bytes, number
    from simulator.runs.estimate import estimate, refuse_too_large
    from simulator.runs.workers import cores
    from simulator.scenario.load import load

    for file in files:
        scenario = load(file, overrides)
        hands = workers or cores()
        refuse_too_large(scenario, hands)
        work = estimate(scenario, hands)
        click.echo(f"{file}: valid")
        rows = [
            (
                "games",
                f"{scenario.games:,} ({len(scenario.points):,} points, {scenario.head.trials:,} trials each)"
                + (f", and {scenario.control_games:,} of the claims' controls" if scenario.control_games else ""),
            ),
            (
                "messages",
                f"about {number(float(round(work.messages)))} at most, by the protocols' cost bounds",
            ),
            (
                "time",
                f"about {duration(work.seconds)} with {hands} workers, from a half-second calibration here",
            ),
            (
                "memory",
                f"about {in_bytes(work.memory)}" + (f" of {in_bytes(work.free)}" if work.free else ""),
            ),
            ("results", f"about {in_bytes(work.disk)} on the disk"),
        ]
        for name, said in rows:
            click.echo(f"  {name + ':':<11}{said}")


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check them."""
    from simulator.scenario.schema import scenario_schema

    click.echo(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
