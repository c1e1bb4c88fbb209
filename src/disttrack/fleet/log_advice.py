"""Quotas on a log of requests: what each would have done, for fleets of several sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, isnan, nan
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.adversaries.quantities import duration
from disttrack.adversaries.recorded import Trace
from disttrack.adversaries.rows import COST, COUNT, LABEL
from disttrack.fleet.advice import Service, Suited, candidates, checked
from disttrack.fleet.engines import of_trace
from disttrack.fleet.quotas import Quota, Split
from disttrack.fleet.task import measured
from disttrack.fleet.units import Quantity, limit_in, shown
from disttrack.mechanisms.compiler import available
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.game.play import play
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import PointError, part, unusual

STEPS: Final = 1_000
"""Steps of a window, unless the log says the length of one."""
MOST_IN_PYTHON: Final = 200_000
"""Requests of a log up to which protocols without a compiled form are played."""

MOST: Final = 10**8
"""Requests of a log up to which it is played: some minutes for each number of nodes."""


MOST_WINDOWS: Final = 10**6
"""Windows of a log up to which it is played, with or without requests."""


class OnLog(NamedTuple):
    """A protocol on a log.

    Attributes
    ----------
    nodes
        Number of sites.
    suited
        The protocol, and what the game gave; `words` are those of the whole log.
    refused
        Share of the cost asked for that is not admitted by the end of the log.
    refused_at
        The least and the largest such share of a site, of those that were asked.
    least_share
        The least cost admitted by a site over its fair share of the limit.
    """

    nodes: int
    suited: Suited
    refused: float
    refused_at: tuple[float, float]
    least_share: float


def trace_of(log: str, window: Fraction) -> Trace:
    """Return the trace of a file, or of a text as ``trace:file=…``; a step is 1/1000 window unless the text says it.

    Of a file alone, which parameters may follow as in ``a.log,broken=skip``, the column ``time`` has the times, and
    rows are dealt in turn.

    Raises
    ------
    ScenarioError
        It is no trace with times, or a window is no whole number of its steps.
    """
    alone = not log.startswith(("trace:", "trace "))
    several = alone and re.search(r",\w+=", log) and not Path(log).is_file()
    given: Any = {"kind": "trace", "file": log}
    if several or not alone:
        given = entry_of(f"trace:file={log}" if alone else log)
    if alone:
        dealt = {} if {"site", "deal"} & {*given} else {"deal": "round-robin"}
        given = ({} if "wide" in given else {"time": "time"}) | dealt | given
    step = f"{float(window * 10**6 / STEPS):.6f}".rstrip("0").rstrip(".") + "us"
    if {"unit", "speed"} & {*given}:
        given.setdefault("step", step)
    try:
        made = part("adversary", given, Path.cwd()).make()
    except PointError as error:
        raise ScenarioError(": ".join(["--log", *map(str, error.path[1:]), error.message])) from error
    if not isinstance(made, Trace) or not (made.time or made.wide):
        raise ScenarioError(f"--log: must be a file, or a trace with times, as trace:file=a.csv,time=at; got {log!r}")
    made = replace(made, step=made.step or step)
    if (window / (duration(made.step) or 1)).denominator != 1:
        raise ScenarioError(f"--log: the window of {float(window):g} s must be whole steps; got step {made.step}")
    try:
        made.stream()
    except ValueError as error:
        raise ScenarioError(f"--log: {error}") from error
    return made


def seconds_of(trace: Trace) -> Fraction:
    """Return the seconds of a step of a trace."""
    return duration(trace.step) or Fraction(1)


def each_second(amount: float, trace: Trace) -> str:
    """Return how many there are per second of a log, in three digits; empty for a log of one moment."""
    seconds = float(trace.stream().lasts * seconds_of(trace))
    return number(float(f"{amount / seconds:.3g}")) if seconds else ""


def span(trace: Trace) -> str:
    """Return from when to when the requests of a log come, and how fast."""
    stream = trace.stream()
    pace = f"{count(trace.items, 'request')} in {shown(float(stream.lasts * seconds_of(trace)))}"
    if each := each_second(trace.items, trace):
        pace += f", {each}/s"
    return f"{' to '.join(stream.span)}: {pace}" if stream.span else pace


def fleets(trace: Trace, nodes: Sequence[int]) -> Sequence[int]:
    """Return the numbers of sites that a log is played on: its own, unless its rows are dealt."""
    own = trace.sites
    if own is None and not nodes:
        raise ScenarioError("--nodes: is missing: the rows of the log are dealt to as many nodes, as in 2,4,8")
    if own is not None and nodes:
        raise ScenarioError(f"--nodes: must be left out: the log has {own:,} sites of its own, and deals no rows")
    return nodes if own is None else [own]


def service_on(
    trace: Trace, nodes: int, rate: float, window: Fraction, overshoot: float, latency: float, any: bool = False,
    also: Sequence[Quantity] = (),
) -> Service:  # fmt: skip
    """Return what is wanted of a quota, in the steps of a log; ScenarioError if that is less than one request.

    Parameters
    ----------
    also
        Further limits.
    """
    step = seconds_of(trace)
    limit, _ = limit_in(rate, window)
    late = ceil(Fraction(latency).limit_denominator(10**9) / step)
    longer = [(limit_in(one, one.window, "--also")[0], one.window) for one in also]
    for _, seconds in longer:
        if (times := seconds / window).denominator > 1 or times == 1:
            several = f"--also: must have a window of several times {shown(float(window))}"
            raise ScenarioError(f"{several}; got one of {shown(float(seconds))}")
    limits = " ".join(f"{most}/{seconds / step}" for most, seconds in longer)
    return checked(Service(nodes, limit, int(window / step), overshoot, late, any, limits))


def on_log(trace: Trace, service: Service, seed: int = 0) -> Iterator[OnLog]:
    """Yield the protocols that keep the overshoot on a log, in the steps of which the service is.

    Raises
    ------
    ScenarioError
        A request costs more than the limit, or there are more than `MOST`.
    """
    if trace.items > MOST:
        raise ScenarioError(f"--log: must have at most {MOST:,} requests; it has {trace.items:,}: take a part of it")
    pace, k, network = trace.pace, service.sites, service.network
    rows = trace.stream().rows
    if (windows := rows.steps // (pace * service.window)) > MOST_WINDOWS:
        pause, after = rows.pause
        longest = shown(float(pause * seconds_of(trace)))
        raise ScenarioError(
            f"--log: must have at most {MOST_WINDOWS:,} windows; from {' to '.join(trace.stream().span)} it has "
            f"{windows:,}: the longest pause, {longest}, is after row {after:,} in order of time; correct such rows, "
            "or give a longer --window"
        )
    try:
        dearest = of_trace(Split(service.limit, service.window), trace, k).dearest
    except ValueError as error:
        raise ScenarioError(f"--log: {error}") from error
    divided = checked(replace(service, window=service.window * pace, latency=service.latency * pace))
    asked = _asked(trace, k)
    for candidate in candidates(replace(divided, overshoot=service.overshoot / dearest)):
        every: dict[str, Any] = {} if candidate.every is None else {"every": max(1, candidate.every // pace)}
        limits: dict[str, Any] = {"limits": service.limits} if service.limits else {}
        try:
            rule: Quota = replace(candidate, window=service.window, **every, **limits)
        except ValueError as error:
            raise ScenarioError(f"--also: {error}") from error
        compiled = available() and rule.kernel_form(k, None, None) is not None  # type: ignore[arg-type]
        each = of_trace(rule, trace, k).singles
        promised = max(max(0.0, divided.promised(one) - one.limit) / one.limit for one in each)
        if promised > service.overshoot + 1e-9 or (trace.items > MOST_IN_PYTHON and not compiled):
            continue
        game = play(rule, trace, sites=k, items=trace.items, network=network, seed=seed)
        row = measured(game)
        admitted = [share.admitted for share in game.shares]
        refused = 1 - sum(admitted) / sum(asked)
        at = [1 - own / cost for own, cost in zip(admitted, asked, strict=True) if cost]
        over, used = (nan if row[name] is None else row[name] for name in ("overshoot", "utilisation"))
        suited = Suited(rule, promised, over, game.words, used, row["waiting"], played=service.limit)
        fair = 1.0 if row["least_share"] is None else row["least_share"]
        yield OnLog(k, suited, refused, (min(at), max(at)), fair)


def ranked(played: Sequence[OnLog]) -> list[OnLog]:
    """Return protocols by nodes: first what uses more of the limit, in whole percents, then by words."""
    def order(one: OnLog) -> tuple[float, ...]:
        used = one.suited.utilisation
        return one.nodes, isnan(used), 0.0 if isnan(used) else -round(used, 2), one.suited.words

    return sorted(played, key=order)


def scenario_of(best: OnLog, trace: Trace, service: Service) -> str:
    """Return the scenario that plays a protocol on the log, as YAML."""
    load = {"kind": "trace", **unusual(type(trace), trace.as_mapping())}
    rule = {"kind": best.suited.protocol.kind, **best.suited.parameters}
    lines = [
        "name: quota-on-log",
        f"question: Does {best.suited.protocol.kind} keep an overshoot of {service.overshoot:.3g} on this log?",
        *service.lines(trace.items),
        "trials: 1",
        f"protocol: {json.dumps(rule)}",
        f"adversary: {json.dumps(load)}",
        "claims:",
        "  - name: no window admits more than is allowed",
        f"    measure: max({'burst' if service.any else 'overshoot'})",
        f"    at_most: {service.any + service.overshoot:.9g}",
        "    chance: 0",
    ]
    return "\n".join(lines) + "\n"


def remark(trace: Trace) -> str:
    """Return what is left out of an answer: rows of the log, and protocols; empty if nothing is."""
    slow = f"protocols without a compiled form are played up to {MOST_IN_PYTHON:,} requests"
    return "; ".join(filter(None, (trace.remark, slow if trace.items > MOST_IN_PYTHON else "")))


def _asked(trace: Trace, k: int) -> list[int]:
    """Return the cost that each site is asked for."""
    rows = trace.stream().rows
    name = next((name for name in (COST, COUNT) if name in rows.has), None)
    asked = np.zeros(k, np.int64)
    for block in rows.blocks:
        labels = rows.column(LABEL, block.first, block.end)
        np.add.at(asked, labels % k, 1 if name is None else rows.column(name, block.first, block.end))
    return [int(cost) for cost in asked]
