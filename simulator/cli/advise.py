"""``disttrack advise``: the trackers for a situation, or the protocols for a quota, ranked by words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from disttrack.simulator.cli.options import ALPHA, FILE, ITEMS, SEED, SITES
from disttrack.simulator.cli.quota_units import RATE, SHARE, TIME
from disttrack.simulator.cli.tables import Column, Table, print_facts, print_table
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.results.formats import number, percent

TRACKERS = ("items", "alpha", "delta", "against")
QUOTAS = ("load", "window", "overshoot", "latency", "out")
"""Options of one question, which have no meaning in the other."""


@click.command(
    epilog="200 gateways: --sites 200 --items 1e8 --alpha 0.05 --against outputs. "
    "12 replicas with one limit: --quota 1000/s --sites 12 --overshoot 2% --latency 20ms"
)
@SITES
@ITEMS
@ALPHA
@click.option("--delta", default=0.05, help="Probability with which the error may ever exceed alpha.")
@click.option("--against", default="outputs", metavar="POWER", help="What senders may see: nothing, outputs or state.")
@SEED
@click.option("--quota", type=RATE, help="Rank the protocols of a quota instead: 1000/s.")
@click.option("--load", type=RATE, help="Requests that come at most; three times the quota if left out.")
@click.option("--window", type=TIME, default="1s", help="Window of the quota.")
@click.option("--overshoot", type=SHARE, default="1%", help="Share of the limit that may be overshot.")
@click.option("--latency", type=TIME, default="0s", help="Time of a message, one way.")
@click.option("--out", type=FILE, help="Write the scenario that verifies the quota into this file.")
@click.pass_context
def advise(context: click.Context, /, quota: float | None, **given: Any) -> None:
    """Rank the trackers that keep a promise by the words of whole games or, where these are long, by their bounds.

    With --quota, the protocols that keep an overshoot: a step of their games brings a request, and lasts 1 / load.
    """
    others = QUOTAS if quota is None else TRACKERS
    for name in others:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            needs = "needs --quota" if quota is None else "does not go with --quota"
            raise ScenarioError(f"--{name} {needs} (disttrack advise --help)")
    options = {name: value for name, value in given.items() if name not in others}
    _advise_tracker(**options) if quota is None else _advise_quota(quota, **options)


def _advise_quota(
    quota: float, sites: int, seed: int, load: float | None, window: float, overshoot: float, latency: float,
    out: Path | None,
) -> None:  # fmt: skip
    from disttrack.simulator.search import quota_advice as search

    service = search.service_of(sites, quota, window, load, overshoot, latency)
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
        Column("words/s", right=True, says="the most of three loads; or the cost bound"),
        Column("overshoot", right=True, says="the largest of these games"),
        Column("promised", right=True, says="the largest that is guaranteed"),
        Column("utilisation", right=True, says="the least of these games: below 98 % a protocol is ranked last"),
        Column("by"),
    ]
    print_table(Table("Protocols that keep the overshoot", columns, rows))
    steps = f"{service.window:,} steps are {window:g} s, {service.limit:,} requests are admitted in them"
    print_facts({"cheapest": best.label, "a game": f"{steps}, messages take {service.latency:,}"})
    scenario = search.scenario_of(best, service)
    if out is None:
        click.echo(f"\nThe scenario that verifies it, which --out FILE writes:\n\n{scenario}", nl=False)
        return
    try:
        out.write_text(scenario, encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"--out: {error}") from error
    print_facts({"verify": f"disttrack run {out}"})


def _advise_tracker(sites: int, items: str, alpha: float, delta: float, against: str, seed: int) -> None:
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
