"""``disttrack advise data``: private mechanisms for data that changes, ranked by the error that they state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disttrack.simulator.cli.options import OUT, SEED, verify
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.terminal.progress import waiting
from disttrack.simulator.shown.terminal.tables import Column, Table, print_facts, print_table


@click.command(
    "data",
    short_help="Private mechanisms for data that changes, by their error.",
    epilog="20,000 steps on 64 values: --queries points --domain 64 --steps 20000 --epsilon 1 --delta 1e-6",
)
@click.option("--queries", metavar="FAMILY", required=True, help="What is asked of the data: points, intervals.")
@click.option("--domain", default=1, help="Values of an item.")
@click.option("--steps", default=20_000, help="Steps of the stream of insertions and deletions.")
@click.option("--epsilon", default=1.0, help="Privacy of all answers together.")
@click.option("--delta", type=float, default=0.0, help="Probability with which privacy may fail.")
@click.option("--size", default=1000, help="Items in the games.")
@click.option("--every", default=1, help="Steps between two answers, for mechanisms with this parameter.")
@click.option("--lifetime", type=int, help="Steps for which an item counts, for mechanisms with this parameter.")
@SEED
@OUT
def advise_data(seed: int, out: Path | None, **wanted: Any) -> None:
    """Rank the private mechanisms for data that changes by the error that they state."""
    from disttrack.privacy import advice as search

    situation = search.Wanted(**wanted)
    with waiting("advise"):
        ranked = search.advise(situation, seed)
    best, zero = ranked[0], ranked[0].game.late_zero
    rows = [
        [
            one.label,
            *(number(float(f"{each:.3g}")) for each in (one.game.bound, one.game.max_abs_error, one.game.late_error)),
        ]
        for one in ranked
    ]
    columns = [
        Column("mechanism"),
        Column("stated", right=True, says="bound that its largest error exceeds in at most 5 % of the games"),
        Column("largest", right=True, says="the largest error of its game"),
        Column("late", right=True, says="the largest error in the last tenth of the game"),
    ]
    print_table(Table("Private answers about data that changes", columns, rows))
    useful = (
        "smaller: of use" if best.game.late_error < zero else "not smaller: it takes more items, or a larger epsilon"
    )
    print_facts(
        {
            "least stated": best.label,
            "a game": f"{count(situation.played, 'step')}; {situation.size:,} items come, then as many go as come",
            "answers of 0": f"err by {number(zero)} in the last tenth; its late error is {useful}",
        }
    )
    if situation.lifetime is not None:
        print_facts({"lifetime": "items that stay longer are missing from answers, in these games too"})
    verify(search.scenario_of(best, situation), out)
