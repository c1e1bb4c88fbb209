"""``disttrack advise``: trackers ranked by words, private answers by their error.

Installed packages answer more questions: an entry point ``disttrack.advice`` is a click command of this group.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from disttrack.simulator.cli.options import ALPHA, DEFAULT_ADVERSARY, ITEMS, OUT, SEED, SITES, print_command, verify
from disttrack.simulator.errors import accepted, nearest
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.kinds import names
from disttrack.simulator.kinds.installed import plugged
from disttrack.simulator.shown.terminal.tables import Column, Table, print_facts, print_table

if TYPE_CHECKING:
    from disttrack.simulator.workshop.advice import Advice, Situation


class Questions(click.Group):
    """The questions, each a command; options alone ask the one that requires one of them, or `count`."""

    @cached_property
    def others(self) -> dict[str, click.Command]:
        """The questions that other packages answer."""
        return plugged("disttrack.advice")

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.others]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name) or self.others.get(cmd_name)
        if command is None and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            ctx.fail(f"no such question {cmd_name!r}{nearest(cmd_name, known)} ({accepted(known)})")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        if not named and (args or not ctx.resilient_parsing):
            args = [self._asked(ctx, {word.partition("=")[0] for word in args}), *args]
        return super().parse_args(ctx, args)

    def _asked(self, ctx: click.Context, options: set[str]) -> str:
        """Return the name of the command that these options are for."""
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command and any(one.required and options.intersection(one.opts) for one in command.params):
                return name
        return "count"


@click.group(cls=Questions)
def advise() -> None:
    """Rank trackers, quotas or private mechanisms by cost or error; short games verify the first.

    Without a question it is count: disttrack advise --sites 200 --items 1e8 --alpha 0.05.
    """


def _ranking(advice: Advice, situation: Situation) -> Table:
    """Return the trackers that keep a promise, the cheapest first, under what they are ranked for."""
    rows = [
        [
            one.label,
            f"{'' if one.games else '≤ '}{number(round(one.words))}",
            f"{'' if one.games else '≤ '}{number(float(f'{one.words / advice.best.words:.3g}'))}",
            number(one.error) if one.games and one.whole else "",
            ("games" if one.whole else "shorter games") if one.games else "bound",
        ]
        for one in advice.ranked
    ]
    columns = [
        Column("tracker"),
        Column("words", right=True, says="of the dearest game; ≤: a bound on the average"),
        Column("ratio", right=True, says="over the cheapest"),
        Column("error", right=True, says="largest in whole games, in alpha"),
        Column("by"),
    ]
    sizes = f"{names.count(situation.sites, 'site')} · {names.count(situation.items, 'item')}"
    asked = f"{sizes} · α {situation.alpha:g} · delta {situation.delta:g}"
    return Table("Trackers that keep the promise", columns, rows, f"{asked} · senders see {situation.against}")


@advise.command()
@SITES
@ITEMS(default="100000")
@ALPHA(default=0.1)
@click.option("--delta", type=float, default=0.05, help="Probability of an error above alpha.")
@click.option("--against", default="outputs", metavar="POWER", help="What senders see.")
@click.option("--domain", type=int, help="Distinct items, to count each.")
@SEED
@OUT
def count(
    sites: int, items: str, alpha: float, delta: float, against: str, seed: int, domain: int | None, out: Path | None
) -> None:
    """Rank the trackers that keep a promise by their words.

    They are those of whole games or, where these are long, of shorter ones or bounds.
    """
    from disttrack.simulator.experiments.scenario.load import load
    from disttrack.simulator.kinds.entries import value_of
    from disttrack.simulator.shown.terminal.progress import bar
    from disttrack.simulator.workshop import advice as search

    # checked as any scenario is
    sides = {"protocol": {"kind": "martingale", "alpha": alpha, "delta": delta}, "adversary": DEFAULT_ADVERSARY}
    point = load({"name": "advise", **sides, "sites": sites, "items": value_of(items)}, ()).points[0]
    assert point.sites is not None
    assert point.items is not None
    situation = search.Situation(point.sites, point.items, alpha, delta, against, domain)
    with bar("advise") as on_progress:
        advice = search.advise(situation, seed, on_progress)
    best = advice.best
    print_table(_ranking(advice, situation))
    changes = {"fewer": advice.below, "more": advice.above}
    print_facts({f"{side} sites": f"from about {at[0]:,} on {at[1].label}" for side, at in changes.items() if at})
    if domain is not None or out is not None:
        verify(search.scenario_of(best, situation), out)
        return
    adversary = DEFAULT_ADVERSARY if situation.against == "nothing" else "freeze"
    sizes = f"--sites {situation.sites} --items {situation.items}".split()
    sizes += ["--alpha", repr(situation.alpha)] if best.takes_alpha else []
    print_command("play", "--protocol", best.label, "--adversary", adversary, *sizes)
