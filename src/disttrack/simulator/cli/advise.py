"""``disttrack advise``: trackers ranked by words, private answers by their error.

Installed packages answer more questions: an entry point ``disttrack.advice`` is a click command with an option of the
entry point's name. Its options are then options of `advise`, and the command is called if that one is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from disttrack.simulator.cli.options import ALPHA, ITEMS, SEED, SITES
from disttrack.simulator.cli.plug_ins import plugged
from disttrack.simulator.cli.tables import Column, Table, print_facts, print_table
from disttrack.simulator.cli.verify import OUT, print_command, verify
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.results.formats import number

OPTIONS: Final = {
    "": ("sites", "items", "alpha", "delta", "against", "domain", "out"),
    "queries": ("queries", "domain", "steps", "epsilon", "delta", "size", "every", "lifetime", "out"),
}
"""Options of each question; those of another one have no meaning in it. All have a seed."""
MORE: Final[Mapping[str, click.Command]] = plugged("disttrack.advice")
"""The questions that other packages answer."""


@click.command(
    epilog="200 gateways: --sites 200 --items 1e8 --alpha 0.05 --against outputs. "
    "Private counts of 64 values: --queries points --domain 64 --steps 20000 --epsilon 1 --delta 1e-6"
)
@SITES
@ITEMS
@ALPHA
@click.option(
    "--delta",
    type=float,
    help="Probability with which the error may ever exceed alpha, 0.05 if left out; with --queries that of privacy, 0.",
)
@click.option("--against", default="outputs", metavar="POWER", help="What senders may see: nothing, outputs or state.")
@SEED
@click.option("--queries", metavar="FAMILY", help="Rank private mechanisms for data that changes: points, intervals.")
@click.option("--domain", type=int, help="Values of an item: rank the trackers that count each; with --queries, 1.")
@click.option("--steps", default=20_000, help="Steps of the stream of insertions and deletions.")
@click.option("--epsilon", default=1.0, help="Privacy of all answers together.")
@click.option("--size", default=1000, help="Items in the games.")
@click.option("--every", default=1, help="Steps from one answer to the next, where a mechanism takes that.")
@click.option("--lifetime", type=int, help="Steps for which an item counts, where a mechanism takes that.")
@OUT
@click.pass_context
def advise(context: click.Context, /, **given: Any) -> None:
    """Rank the trackers that keep a promise by the words of whole games or, where these are long, by their bounds.

    With --domain, the trackers that know the count of every item, and not only of all. With --queries, the private
    mechanisms for insertions and deletions, by the error that they state.
    """
    options_of = OPTIONS | {name: [str(one.name) for one in command.params] for name, command in MORE.items()}
    question = next((name for name in options_of if name and given[name] is not None), "")
    takes = (*options_of[question], "seed")
    for name in given:
        if name not in takes and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            other = next(one for one, options in options_of.items() if one and name in options) if not question else ""
            needs = f"does not go with --{question}" if question else f"needs --{other}"
            raise ScenarioError(f"--{name} {needs} (disttrack advise --help)")
    options = {name: given[name] for name in takes}
    if question in MORE:
        context.invoke(MORE[question], **options)
        return
    answer: dict[str, Callable[..., None]] = {"": _advise_tracker, "queries": _advise_data}
    answer[question](**options)


for _name, _command in MORE.items():
    _known = {one.name for one in advise.params}
    advise.params += [one for one in _command.params if one.name not in _known]
    advise.help = f"{advise.help}\n\nWith --{_name}: {_command.help}"
    advise.epilog = f"{advise.epilog}. {_command.epilog}" if _command.epilog else advise.epilog


def _advise_data(seed: int, out: Path | None, delta: float | None, domain: int | None, **wanted: Any) -> None:
    from disttrack.simulator.search import data_advice as search

    situation = search.Wanted(delta=delta or 0.0, domain=1 if domain is None else domain, **wanted)
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
        Column("stated", right=True, says="what its largest error exceeds in 5 % of the games at most"),
        Column("largest", right=True, says="the largest error of its game"),
        Column("late", right=True, says="the largest error in the last tenth of the game"),
    ]
    print_table(Table("Private answers about data that changes", columns, rows))
    useful = (
        "smaller: of use" if best.game.late_error < zero else "no smaller: more items are needed, or a larger epsilon"
    )
    print_facts(
        {
            "least stated": best.label,
            "a game": f"{situation.played:,} steps; {situation.size:,} items come, then as many come as go",
            "answers of 0": f"err by {number(zero)} in the last tenth; its late error is {useful}",
        }
    )
    if situation.lifetime is not None:
        print_facts({"lifetime": "items that stay longer are missing from answers, in these games too"})
    verify(search.scenario_of(best, situation), out)


def _advise_tracker(
    sites: int, items: str, alpha: float, delta: float | None, against: str, seed: int, domain: int | None,
    out: Path | None,
) -> None:  # fmt: skip
    from disttrack.simulator.scenario.document import value_of
    from disttrack.simulator.scenario.load import load
    from disttrack.simulator.search import advice as search

    if out is not None and domain is None:
        others = " or ".join(f"--{name}" for name in (*MORE, "queries"))
        raise ScenarioError(f"--out needs --domain, {others} (disttrack advise --help)")
    delta = 0.05 if delta is None else delta
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
    situation = search.Situation(point.sites, point.items, alpha, delta, against, domain)
    advice = search.advise(situation, seed)
    best = advice.best
    rows = [
        [
            one.label,
            number(round(one.words)),
            number(float(f"{one.words / best.words:.3g}")),
            number(one.error) if one.games else "",
            ("games" if one.whole else "shorter games") if one.games else "bound",
        ]
        for one in advice.ranked
    ]
    columns = [
        Column("tracker"),
        Column("words", right=True, says="of a whole game, the larger of two; or by the cost bound"),
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
    if domain is not None:
        print_facts(facts)
        verify(search.scenario_of(best, situation), out)
        return
    adversary = "round-robin" if situation.against == "nothing" else "freeze"
    sizes = f"--sites {situation.sites} --items {situation.items} --alpha {situation.alpha!r}".split()
    print_facts(facts)
    print_command("play", "--protocol", best.label, "--adversary", adversary, *sizes)
