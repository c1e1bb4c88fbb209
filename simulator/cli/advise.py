"""``disttrack advise``: the trackers for a situation, ranked by words."""

from __future__ import annotations

import click

from disttrack.simulator.cli.options import ALPHA, ITEMS, SEED, SITES
from disttrack.simulator.cli.tables import Column, Table, print_facts, print_table
from disttrack.simulator.results.formats import number


@click.command(epilog="200 gateways: --sites 200 --items 1e8 --alpha 0.05 --against outputs")
@SITES
@ITEMS
@ALPHA
@click.option("--delta", default=0.05, help="Probability with which the error may ever exceed alpha.")
@click.option("--against", default="outputs", metavar="POWER", help="What senders may see: nothing, outputs or state.")
@SEED
def advise(sites: int, items: str, alpha: float, delta: float, against: str, seed: int) -> None:
    """Rank the trackers that keep a promise by the words of whole games or, where these are long, by their bounds."""
    from disttrack.simulator.scenario.document import value_of
    from disttrack.simulator.scenario.load import load
    from disttrack.simulator.search import advice as search

    # checked as any scenario is
    protocol = {"kind": "martingale", "alpha": alpha, "delta": delta}
    data = {
        "name": "advise",
        "protocol": protocol,
        "adversary": "round-robin",
        "sites": sites,
        "items": value_of(items),
    }
    point = load(data, ()).points[0]
    assert point.sites is not None
    assert point.items is not None
    situation = search.Situation(point.sites, point.items, alpha, delta, against)
    advice = search.advise(situation, seed)
    best = advice.best
    rows = [
        [
            one.label,
            number(round(one.words)),
            number(float(f"{one.words / best.words:.3g}")),
            number(one.error) if one.games else "",
            "games" if one.games else "bound",
        ]
        for one in advice.ranked
    ]
    columns = [
        Column("tracker"),
        Column("words", right=True, says="of a whole game, the larger of two; or the cost bound"),
        Column("ratio", right=True, says="words over those of the cheapest"),
        Column("error", right=True, says="the largest in these games, in units of alpha"),
        Column("by"),
    ]
    print_table(Table("Trackers that keep the promise", columns, rows))
    facts = {"cheapest": best.label}
    if len(advice.ranked) > 1:
        second = advice.ranked[1]
        facts["runner-up"] = f"{second.label}, {second.words / best.words:.2f} times the words"
    for side, change in (("fewer", advice.below), ("more", advice.above)):
        facts[f"{side} sites"] = f"from about {change[0]:,} on {change[1].label}" if change else f"{best.label} still"
    adversary = "round-robin" if situation.against == "nothing" else "freeze"
    sizes = f"--sites {situation.sites} --items {situation.items} --alpha {situation.alpha:g}"
    facts["verify"] = f"disttrack play --protocol '{best.label}' --adversary {adversary} {sizes}"
    print_facts(facts)
