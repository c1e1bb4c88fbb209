"""``disttrack advise quota``: protocols of a quota ranked by words."""

from __future__ import annotations

from pathlib import Path

import click

from disttrack.fleet.units import RATE, SHARE, TIME, Quantity
from disttrack.simulator.cli.options import SEED, SITES
from disttrack.simulator.cli.tables import Column, Table, print_facts, print_table
from disttrack.simulator.cli.verify import OUT, verify
from disttrack.simulator.results.formats import number, percent


@click.command(
    "quota",
    short_help="Protocols that share a limit, by their words.",
    epilog="12 replicas with one limit: --quota 1000/s --sites 12 --overshoot 2% --latency 20ms",
)
@click.option("--quota", type=RATE, required=True, help="The limit that all sites share: 1000/s.")
@SITES
@click.option("--load", type=RATE, help="Peak load; three times the quota if left out.")
@click.option("--window", type=TIME, help="Window of the quota; a minute of 60/min, and so on, if left out.")
@click.option("--overshoot", type=SHARE, default="1%", help="Share of the limit that may be overshot.")
@click.option("--latency", type=TIME, default="0s", help="Time of a message, one way.")
@click.option("--any", "any_window", is_flag=True, help="Keep the limit in any window, not only in each.")
@SEED
@OUT
def advise_quota(
    quota: Quantity, sites: int, seed: int, load: float | None, window: float | None, overshoot: float, latency: float,
    any_window: bool, out: Path | None,
) -> None:  # fmt: skip
    """Rank the protocols that keep an overshoot: a step of their games brings a request, and lasts 1 / load."""
    from disttrack.fleet import advice as search

    window = 1 / quota.unit if window is None else window
    service = search.service_of(sites, quota, window, load, overshoot, latency, any_window)
    ranked = search.advise(service, seed)
    best = ranked[0]
    rows = [
        [
            one.label,
            number(float(f"{one.words / window:.3g}")),
            f"{one.overshoot:.2%}" if one.played else "",
            f"{one.promised:.2%}",
            percent(one.utilisation) if one.played else "",
            "games" if one.played else "bound",
        ]
        for one in ranked
    ]
    columns = [
        Column("protocol"),
        Column("words/s", right=True, says="largest of three loads; otherwise the cost bound"),
        Column("overshoot", right=True, says="the largest of these games"),
        Column("promised", right=True, says="the largest that is guaranteed"),
        Column("utilisation", right=True, says="the least of these games: below 98 % a protocol is ranked last"),
        Column("by"),
    ]
    print_table(Table("Protocols that keep the overshoot", columns, rows))
    steps = f"{service.window:,} steps are {window:g} s, {service.limit:,} requests are admitted in them"
    print_facts({"cheapest": best.label, "a game": f"{steps}, messages take {service.latency:,}"})
    verify(search.scenario_of(best, service), out)
