"""``disttrack advise quota``: protocols of a quota ranked by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from disttrack.fleet.units import DURATION, RATE, SHARE, TIME, Quantity, limit_in, rounded, shown
from disttrack.simulator.cli.options import FILE, OUT, SEED, SITES, verify
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.formats import number, percent
from disttrack.simulator.kinds.names import count
from disttrack.simulator.shown.terminal.progress import waiting
from disttrack.simulator.shown.terminal.tables import Column, Table, print_facts, print_table

if TYPE_CHECKING:
    from disttrack.fleet.advice import Service, Suited

ROUNDED: Final = 1.05
"""A message whose whole steps take this many times its latency is said to be rounded."""
USED: Final = "the least of these games, in whose first windows shares by load are even: below 98 % ranked last"
SMALLER: Final = "limit of games with a smaller window; words grow as those of the protocol do, 10 to 20 % off"


@click.command(
    "quota",
    short_help="Protocols that share a limit, by their words.",
    epilog="12 replicas with one limit: --quota 1000/s --sites 12 --overshoot 2% --latency 20ms",
)
@click.option("--quota", type=RATE, required=True, help="The limit that all sites share: 1000/s.")
@SITES
@click.option("--load", type=RATE, help="Peak load; three times the quota if left out.")
@click.option("--window", type=DURATION, help="Window of the quota; a minute of 60/min, and so on, if left out.")
@click.option("--overshoot", type=SHARE, default="1%", help="Share of the limit that may be overshot.")
@click.option("--latency", type=TIME, default="0s", help="Time of a message, one way.")
@click.option("--any", "any_window", is_flag=True, help="Keep the limit in any window, not only in each.")
@click.option("--costs", type=FILE, help="True costs of requests, one a line: find what to reserve for one.")
@click.option("--log", metavar="FILE", help="Rank protocols on a log: FILE, or FILE,time=COLUMN,columns=[…],… .")
@click.option("--nodes", metavar="N,N", help="With --log, numbers of nodes to which its rows are dealt: 2,4,8.")
@click.option("--also", type=RATE, multiple=True, help="With --log, a further limit that is kept too: 250/day.")
@click.option("--duration", type=TIME, default="1s", help="With --costs, the longest time of a request.")
@SEED
@OUT
def advise_quota(
    quota: Quantity, sites: int, seed: int, load: float | None, window: float | None, overshoot: float, latency: float,
    any_window: bool, costs: Path | None, log: str | None, nodes: str | None, also: tuple[Quantity, ...],
    duration: float, out: Path | None,
) -> None:  # fmt: skip
    """Rank the protocols that keep a shared limit, but for an overshoot, by their words.

    With --costs, costs are known late: the table ranks what a request may reserve, and the quota is in their unit. With
    --log, protocols are played on this very log, in its own time.
    """
    from disttrack.fleet import advice as search

    window = float(quota.window) if window is None else window
    given = click.get_current_context().get_parameter_source
    if log is None:
        needed = {"nodes": ("log", log), "also": ("log", log), "duration": ("costs", costs)}
        for name, (other, value) in needed.items():
            if value is None and given(name) is ParameterSource.COMMANDLINE:
                raise ScenarioError(f"--{name}: must be left out without --{other}")
    else:
        for name, instead in {"sites": "--nodes has their numbers", "duration": "it is for --costs"}.items():
            if given(name) is ParameterSource.COMMANDLINE:
                raise ScenarioError(f"--{name}: must be left out with --log; {instead}")
        if load is not None or costs is not None:
            raise ScenarioError("--log: must be left out with --load and --costs; cost=COLUMN of a trace has its costs")
        _advise_log(log, nodes, (quota, window, overshoot, latency, any_window), also, seed, out)
        return
    if costs is not None:
        if any_window:
            raise ScenarioError("--costs: must be left out with --any")
        wanted = {"sites": sites, "quota": quota, "window": window, "load": load, "overshoot": overshoot}
        _advise_reserve(costs, duration, {**wanted, "latency": latency}, seed, out)
        return
    service = search.service_of(sites, quota, window, load, overshoot, latency, any_window)
    with waiting("advise"):
        ranked = search.advise(service, seed)
    best = ranked[0]
    asked = _asked(service, quota, window, load, latency)
    rows = [
        [
            one.label,
            number(float(f"{one.words / window:.3g}")),
            f"{one.overshoot:.2%}" if one.played else "",
            f"{one.promised:.2%}",
            percent(one.utilisation) if one.played else "",
            _by(one, service),
        ]
        for one in ranked
    ]
    columns = [
        Column("protocol"),
        Column("words/s", right=True, says=f"the most of games with {search.NAMED}; otherwise the cost bound"),
        Column("overshoot", right=True, says="the largest of these games"),
        Column("promised", right=True, says="the largest that is guaranteed"),
        Column("utilisation", right=True, says=USED),
        Column("by", says=_keys(ranked, service)),
    ]
    left_out = [
        f"left out, {why} ({len(kinds)}): {', '.join(kinds)}" for why, kinds in search.left_out(service, ranked).items()
    ]
    print_table(Table("Protocols that keep the overshoot", columns, rows, asked, left_out))
    limit = f"{service.limit:,}{rounded(*limit_in(quota, window))}"
    steps = f"{count(service.window, 'step')} are {number(window)} s, with a limit of {limit} in them"
    cheapest = f"{best.label}, of those that admit {percent(search.LEAST)}"
    facts = {"cheapest": cheapest, "a game": f"{steps}{_latency(service, window, latency)}"}
    # in messages, whose steps are rounded up
    if latency and (waits := best.waiting / service.latency * latency) >= latency:
        facts["waiting"] = f"{shown(waits)} from a request to its admission, on average"
    print_facts(facts)
    verify(_scale(service, window) + search.scenario_of(best, service), out)


def _advise_log(
    log: str, nodes: str | None, wanted: tuple[float, float, float, float, bool], also: Sequence[Quantity], seed: int,
    out: Path | None,
) -> None:  # fmt: skip
    """Print the protocols that keep the overshoot on a log, and what each does to it."""
    from disttrack.fleet import log_advice as on
    from disttrack.fleet.advice import MOST_SITES

    sizes = [int(size) for size in (nodes or "").split(",") if size.strip().isdecimal() and int(size)]
    if nodes is not None and (len(sizes) != len(nodes.split(",")) or max(sizes) > MOST_SITES):
        raise ScenarioError(
            f"--nodes: must be whole numbers from 1 to {MOST_SITES:,}, with commas between; got {nodes!r:.60}"
        )
    rate, window, overshoot, latency, any_window = wanted
    exact = Fraction(window).limit_denominator(10**9)
    with waiting("advise"):
        trace = on.trace_of(log, exact)
        services = {
            size: on.service_on(trace, size, rate, exact, overshoot, latency, any_window, also)
            for size in on.fleets(trace, sizes)
        }
        ranked = on.ranked([one for service in services.values() for one in on.on_log(trace, service, seed)])
    if not ranked:
        slow = f"; {on.remark(trace)}" if on.remark(trace) else ""
        raise ScenarioError(f"no protocol keeps this overshoot: allow more, or a longer window{slow}")
    rows = [
        [
            number(one.nodes),
            one.suited.label,
            on.each_second(one.suited.words, trace),
            "" if isnan(one.suited.overshoot) else f"{one.suited.overshoot:.2%}",
            f"{one.suited.promised:.2%}",
            "" if isnan(one.suited.utilisation) else percent(one.suited.utilisation),
            f"{one.refused:.1%}",
            f"{one.refused_at[0]:.1%} to {one.refused_at[1]:.1%}",
            number(float(f"{one.least_share:.2f}")),
        ]
        for one in ranked
    ]
    used = "admitted over the cost that came, of both at most the limit of each window"
    used = "admitted over what one counter would admit that hears of each request at once" if any_window else used
    columns = [
        Column("nodes", right=True),
        Column("protocol"),
        Column("words/s", right=True, says="words in both directions, over the length of the log"),
        Column("overshoot", right=True, says="the largest cost admitted beyond the limit, over the limit"),
        Column("promised", right=True, says="the largest that is guaranteed"),
        Column("utilisation", right=True, says=f"{used}; by it in whole percents, then by words"),
        Column("refused", right=True, says="cost not admitted by the end of the log, over the cost asked for"),
        Column("by node", right=True, says="the same of a node, the least and the largest"),
        Column("least share", right=True, says="the least admitted by a node, over its fair share of the first limit"),
    ]
    service = services[ranked[0].nodes]
    asked = (
        f"{count(trace.items, 'request')} · quota {number(rate)}/s · window {shown(window)}{', any' * any_window}"
        f"{''.join(_further(one) for one in also)} · overshoot "
        f"up to {percent(overshoot)} · latency {shown(latency) if latency else 'none'}"
    )
    left_out = [on.remark(trace)] if on.remark(trace) else []
    print_table(Table(f"Protocols on {Path(str(trace.file)).name}", columns, rows, asked, left_out))
    facts = {
        "the log": on.span(trace),
        "a step": f"{shown(window / service.window)}, with up to {count(trace.pace, 'request')}"
        + _latency(service, window, latency),
        "a window": f"{count(service.window, 'step')}, with a limit of {service.limit:,}"
        + rounded(*limit_in(rate, exact)),
    }
    print_facts(facts)
    verify(on.scenario_of(ranked[0], trace, service), out)


def _further(rate: Quantity) -> str:
    """Return a further limit and its window, as in the line of what was asked."""
    limit, allowed = limit_in(rate, rate.window)
    return f" · {number(limit)}{rounded(limit, allowed)} in {shown(float(rate.window))}"


def _asked(service: Service, quota: float, window: float, load: float | None, latency: float) -> str:
    """Return the question that an answer is for, with what was assumed."""
    parts = [
        count(service.sites, "site"),
        f"quota {number(quota)}/s",
        f"window {shown(window)}" + ", any" * service.any,
        f"load {number(float(f'{service.window / window:.4g}'))}/s"
        + " (assumed: three times the quota, --load)" * (load is None),
        f"overshoot up to {percent(service.overshoot)}",
        f"latency {shown(latency) if latency else 'none'}",
    ]
    return " · ".join(parts)


def _by(one: Suited, service: Service) -> str:
    """Return what the numbers of a row are of, and of a bound why no games were played."""
    if not one.played:
        return f"bound ({one.why})"
    return "games" if one.played == service.limit else f"games at {one.played:,}"


def _keys(ranked: Sequence[Suited], service: Service) -> str:
    """Return the meaning of the cells by which rows were made, of those that are shown."""
    keys = {
        "games: of this limit": any(one.played == service.limit for one in ranked),
        f"games at: {SMALLER}": any(0 < one.played < service.limit for one in ranked),
        "bound: not played, for the reason beside it": any(not one.played for one in ranked),
    }
    return "; ".join(key for key, is_shown in keys.items() if is_shown)


def _scale(service: Service, window: float) -> str:
    """Return the comment of a scenario on the length of its steps."""
    return f"# A step is a request of the peak load, {shown(window / service.window)}.\n"


def _latency(service: Service, window: float, latency: float) -> str:
    """Return what a message takes in the steps of a game, which are whole."""
    steps: int = service.latency
    step = window / service.window
    rounded = f" ({shown(latency)}, rounded up)" if steps * step > ROUNDED * latency else ""
    return f", a message takes {count(steps, 'step')} of {shown(step)}{rounded}" if steps else ""


def _advise_reserve(path: Path, duration: float, wanted: Mapping[str, Any], seed: int, out: Path | None) -> None:
    """Print what to reserve, and what each quantile of the costs gives."""
    from disttrack.fleet import advice as search
    from disttrack.fleet import reserves

    costs = reserves.read_costs(path)
    mean = float(costs.mean())
    service = search.service_of(**wanted, mean=mean)
    load = service.window / wanted["window"]
    spent = reserves.Spending(service, costs, max(1, ceil(duration * load)))
    with waiting("advise"):
        found = reserves.reserves(spent, seed)
    quantile, chosen = reserves.best(found, service.overshoot)
    rows = [
        [
            one.protocol.kind,
            f"{place:.1%}",
            number(one.protocol.reserve),
            percent(one.utilisation),
            f"{one.overshoot:.2%}",
            f"{one.promised:.2%}",
            "best" if one is chosen else "",
        ]
        for place, one in found
    ]
    columns = [
        Column("protocol"),
        Column("quantile", right=True, says="of the costs"),
        Column("reserve", right=True, says="what a request takes until its cost is known"),
        Column("utilisation", right=True, says=f"the least of games with {search.NAMED}; the scenario adds greedy"),
        Column("overspend", right=True, says="over the limit, the largest of these games"),
        Column(
            "proven",
            right=True,
            says="exceeded once in 10^6 windows, if costs do not depend on admissions; a run states what always holds",
        ),
        Column(""),
    ]
    asked = _asked(service, *(wanted[name] for name in ("quota", "window", "load", "latency")))
    print_table(Table("What to reserve", columns, rows, asked))
    limit = f"{service.limit:,}{rounded(*limit_in(wanted['quota'], wanted['window']))}"
    steps = f"{count(service.window, 'step')} are {number(wanted['window'])} s, with a limit of {limit} in them"
    steps = f"{steps}, costs are known after {spent.settle:,}"
    facts = {"reserve": f"{chosen.protocol.reserve:,} with {chosen.protocol.kind}"}
    allowed = [one for _, one in found if one.promised < 1]  # as --overshoot takes it
    if chosen.utilisation < search.LEAST and (better := [one for one in allowed if one.utilisation >= search.LEAST]):
        least = min(better, key=lambda one: one.promised)
        allow = ceil(1e4 * least.promised) / 100
        facts["wasteful"] = (
            f"only {percent(chosen.utilisation)} of the limit is used; {percent(least.utilisation)} with --overshoot "
            f"{allow:.2f}%; or cap the costs, or give a longer --window or a shorter --duration"
        )
    print_facts({**facts, "a game": f"{steps}{_latency(service, wanted['window'], wanted['latency'])}"})
    verify(_scale(service, wanted["window"]) + reserves.scenario_of(quantile, chosen, found, spent), out)
