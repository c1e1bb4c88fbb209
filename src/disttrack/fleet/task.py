"""The task `quota`: a limit in windows of steps or a bucket; the sites of a fleet admit or reject each request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, fsum, inf, isfinite, isnan
from re import findall
from typing import Any, ClassVar, NamedTuple

import numpy as np

from disttrack.adversaries.recorded import Trace, pace_of
from disttrack.fleet.book import largest
from disttrack.fleet.compiled import QuotaCompiled, is_compiled, rule_of, sends_by_clock
from disttrack.fleet.engines import QuotaLeap, QuotaStep, of_trace
from disttrack.fleet.fleet import LOOKS, Share
from disttrack.fleet.quotas import Quota
from disttrack.simulator.game.network import Latency, Network, network_of
from disttrack.simulator.game.network.faults import Crash, Partition, Restart
from disttrack.simulator.game.network.listed import LetterFault, ListedFault
from disttrack.simulator.game.tasks.adversary import adversary_of, sizes_with
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import OF_ERROR, SITES, Demand, Record, Size, messages_within
from disttrack.simulator.game.tasks.tracking import ASKED_IN_PYTHON, Count, asked_each, record_of
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import Point, PointError

MESSAGES, REQUESTS = 60e3, 50e3
"""Messages and requests that are played per second, fitted to the games of the scenarios `quota` and `quota-any`."""
COMPILED = 3e6
"""Requests that compiled functions play per second, of a load that is not asked after each new answer."""
COMPILED_WORDS, COMPILED_TURNS = 1e9, 1e8
"""Words that they send, and sites that begin a window or slot, per second."""
SITES_LOOKED_AT, WRITTEN = 75e3, 1e5
"""Sites at which looks are taken in Python, and looks whose rows are written, per second."""
WINDOW_BYTES = 4_700
"""Memory of the looks of a window."""


class QuotaGame(Count):
    """A game in which the sites of a fleet share a limit, of the protocol's shape: in each window, in any, or a bucket.

    A game fails if more was admitted in a window, of a bucket in any interval, than the protocol guarantees; a protocol
    that guarantees nothing on this network is undecided. A step brings at most one request.

    Columns, of whole games: `overshoot`, the largest cost admitted beyond the limit, over the limit, in each window, or
    by the shape of the limit in any interval; of several limits, that of the one that is exceeded most;
    `mean_overshoot`, its mean over the windows of the clock, by every shape; `overshoot_promised`, the largest that is
    guaranteed, empty without a guarantee; `utilisation`, the cost admitted over what could have been, each at most the
    limit per window, or by other shapes what one counter would admit that hears of each request at once;
    `false_rejections`, the cost that was not admitted up to the limit, over the cost offered, with a rest of the limit
    that is below each cost; `burst`, the largest cost admitted in any steps as many as a window has, over the limit;
    `windows`, the last one maybe in part; `words_per_window` and `messages_per_window`, over the steps of the game in
    windows, at least one; `waiting`, the steps from the first try of an admitted request to its admission, on average;
    `refused`, requests rejected over requests offered, each try of a client that retries counted, those that wait for
    an answer at the end among the latter only; `least_share`, the least cost admitted by a site over its share of the
    limit by max-min fairness, which is the sum over the windows of what it would get if all that the sites were asked
    in a window were known at once, of the first limit if there are several; `jain`, Jain's index of these ratios, 1 if
    all are equal and 1 / k if one of k sites has all; `deaths`, sites that died; `rule_of_thumb`, of a protocol with
    flushes, the overshoot that engineers expect, over the limit.

    4,194,304 requests are noted, of a log without counts all. In a longer game `burst` is empty, and so are, in another
    shape than `window`, `overshoot`, `utilisation` and `false_rejections`: it is undecided, unless looks show that it
    has failed.
    """

    kind: ClassVar[str] = "quota"
    empty: ClassVar = OF_ERROR
    each_item: ClassVar[bool] = True
    output_by_messages: ClassVar[bool] = False
    own_engines: ClassVar = {"step": QuotaStep, "leap": QuotaLeap, "compiled": QuotaCompiled}
    rules: ClassVar[int] = 8
    beside: ClassVar[str] = "overshoot"
    stamps: ClassVar[int] = 4  # window, life of the site in it, number of the message, turn that it answers
    in_steps: ClassVar[str] = "the window is a number of rows; with a length, such as step: 1ms, pauses are kept"
    labels: ClassVar = {
        "output": "admitted in the window",
        "rel_error": "beyond the limit",
        "burst": "largest cost in any window of steps, in units of the limit",
        "overshoot": "largest excess over the limit, in units of it",
        "waiting": "steps to the admission",
        "refused": "share of the tries that are refused",
        "least_share": "least admitted by a site, over its fair share",
        "jain": "Jain's index of the sites' shares",
    }
    axes: ClassVar = {"every": "time between reports, in steps"}
    bases: ClassVar[Mapping[str, str]] = {**Count.bases, "protocol": "disttrack.fleet.quotas.base:Quota"}
    sizes: ClassVar[Sequence[Size]] = (SITES, Size("requests", "items", "Requests of a game.", least=1, needed=True))
    defaults: ClassVar[Sequence[str]] = ("limit", "window", "costs", "reserve", "settle", "skew", "shape", "depth")
    columns: ClassVar[Sequence[str]] = (
        *("overshoot", "mean_overshoot", "overshoot_promised", "utilisation", "false_rejections", "burst", "windows"),
        *("rule_of_thumb", "words_per_window", "messages_per_window", "waiting", "refused", "least_share", "jain"),
        "deaths",
    )
    answers: ClassVar[Sequence[Answer]] = (
        held(
            "games in which no more was admitted than the protocol itself guarantees, maybe above the limit; a "
            "guarantee of all that can come is undecided, and ok in trials.csv alone"
        ),
        Answer("overshoot", "largest cost admitted beyond what the limit allows, in units of it", "overshoot", rank=0),
        Answer("promised", "largest overshoot that is guaranteed, in units of the limit", "overshoot_promised", rank=2),
        Answer("utilisation", "cost admitted over what could have been admitted", "utilisation", rank=0),
        Answer("words/window", "words sent in both directions, per window", "words_per_window", rank=0),
        Answer(
            "false rejections",
            "cost not admitted up to the limit, a rest that is below each cost included, over the cost offered",
            "false_rejections",
        ),
        Answer("burst", "largest cost in any window of steps, in units of the limit", "burst", rank=2),
        Answer(
            "least share",
            "least cost admitted by a site, over its fair share of the limit",
            "least_share",
            how="least",
            rank=2,
        ),
    )

    @classmethod
    def promises(cls, point: Mapping[str, Any], game: Mapping[str, Any]) -> bool:
        rule, promised = point.get("protocol") or {}, game.get("overshoot_promised")
        load = point.get("adversary") or {}
        if load.get("step") or load.get("cost"):  # whose steps and costs are not in the table
            return True
        if promised is None or isnan(promised) or not {"limit", "window"} <= {*rule}:
            return True
        steps = game["items"] if rule.get("shape") == "bucket" else rule["window"]
        dearest = max(map(int, findall(r"\d+", str(rule.get("costs") or 1))))
        most = rule["limit"] + round(Fraction(promised) * rule["limit"])
        return bool(most < dearest * steps)  # a step brings one request at most

    def check(self, point: Point) -> None:
        protocol: Quota = point.protocol.make()
        load = adversary_of(point)
        if protocol.lasting and not getattr(load, "step", None):
            reason = f"must be in steps for a load without a step of its own; got {protocol.lasting}"
            raise PointError(("protocol", "limits"), reason)
        steps = -(-_steps(point) // pace_of(load))
        if protocol.window > steps and not getattr(load, "step", None):  # a log may be shorter than its limit's window
            reason = f"must be at most the steps of a game, {steps:,} by `requests`; got {protocol.window:,}"
            raise PointError(("protocol", "window"), reason)
        network = network_of(point.network)
        if network is not None and (name := _impossible_stop(network)):
            reason = (
                "must be left out: adversaries say which sites come and go, such as churn-of-sites; "
                "a list of faults may have sites that forget"
            )  # before the rules of stops, which would ask for another state
            raise PointError(("network", name), reason)
        super().check(point)

    def remark(self, point: Point) -> str:
        """Return a line on a limit that no stream can exceed; a bucket is filled for the whole game."""
        rule = _rule(point)
        if refusal := never(rule, rule.reserve or rule.dearest, point.sites or 1):
            return refusal
        steps, allowed = rule.window, Fraction(rule.limit)
        if rule.shape == "bucket":
            steps = point.items or 0
            allowed = rule.depth + Fraction(steps * rule.limit, rule.window)
        if rule.dearest * steps > allowed:
            return ""
        most = f"{rule.dearest * steps:,} in {count(steps, 'step')}"
        each = "" if rule.dearest == 1 else f" of cost {rule.dearest:,} at most"
        return (
            f"limit {rule.limit:,} in {count(rule.window, 'step')} cannot be exceeded by any protocol: requests are at "
            f"most {most}, one a step{each}"
        )

    def demand(self, point: Point) -> Demand:
        """Return the same, with the time of the requests: each is admitted or rejected, and judged."""
        adversary, requests, steps = adversary_of(point), point.items or 0, _steps(point)
        known, protocol = super().demand(replace(point, items=steps)), _rule(point)
        if pauses := isinstance(adversary, Trace) and adversary.step is not None:  # with more steps than it has rows
            bound = protocol.quick_bound(point.sites or 1, steps if sends_by_clock(protocol) else requests)
            messages, _ = messages_within(bound, requests, point)
            known = replace(known, messages=max(known.messages, messages))
        asked = 1 / ASKED_IN_PYTHON if asked_each(adversary) else 0.0
        looks = LOOKS * steps / protocol.window if pauses else 0.0
        seconds = known.messages / MESSAGES + requests / REQUESTS + looks * (point.sites or 1) / SITES_LOOKED_AT
        known_moves = adversary.oblivious or asked or rule_of(adversary)
        if known_moves and is_compiled(point.engine, protocol, point.sites or 1, network_of(point.network)):
            turns = (point.sites or 1) * steps / protocol.period
            seconds = requests / COMPILED + known.messages / COMPILED_WORDS + turns / COMPILED_TURNS
            seconds += looks / WRITTEN
        return replace(
            known,
            memory=known.memory + WINDOW_BYTES * looks / LOOKS,
            seconds=seconds + requests * asked,
            without_rests=self.last_step(point) == inf and steps == requests,
        )

    def play(self, point: Point, seed: int) -> Record:
        game = self.game(point, seed=seed, on_error="record")
        if game.error or not game.items:
            return record_of(game)
        record = record_of(game, **measured(game))
        record.series.clear()
        record.series.update(_series(game.looks, game.quota))
        return record


def _steps(point: Point) -> int:
    """Return the steps of a game, at most; of a load that says nothing of its rests, those without them."""
    adversary = adversary_of(point)
    requests = sizes_with(adversary, point.sites, point.items)[1]
    steps_of = getattr(adversary, "steps_of", None)
    return int(requests if steps_of is None else steps_of(requests, _rule(point).window))


def _rule(point: Point) -> Quota:
    """Return the protocol of a point, as its load meets it."""
    protocol: Quota = point.protocol.make()
    adversary = adversary_of(point)
    try:
        return of_trace(protocol, adversary, sizes_with(adversary, point.sites, point.items)[0])
    except ValueError as error:
        raise PointError(("protocol",), str(error)) from error


def _impossible_stop(network: Network) -> str:
    """Return the key of a stop other than that of a site, in a list, which comes back as a new one; empty if none is.

    Examples
    --------
    >>> _impossible_stop(network_of({"faults": "site 2 forgets 30-40"}))
    ''
    >>> _impossible_stop(network_of({"faults": "site 2 down 30-40"}))
    'faults'
    """
    for name, stop in (("crash", network.crash), ("server", network.server)):
        if stop is not None and not stop.never:
            return name
    stops = [one for one in network.listed if isinstance(one, Crash | Restart)]
    deaths = [one for one in stops if isinstance(one, Crash) and one.state == "lost" and one.readmit]
    return "faults" if len(deaths) < len(stops) else ""


def never(rule: Quota, price: int, k: int) -> str:
    """Return a line on requests of this price, if some of k sites can never admit them; otherwise an empty one.

    Examples
    --------
    >>> from disttrack.fleet.quotas import Split
    >>> never(Split(10, 20, costs="1 3"), 3, 4)
    'a request that takes 3 is never admitted at 2 of 4 sites, which have 2 at most: lower costs, or raise the limit'
    """
    if price <= rule.most(k - 1, k):
        return ""
    poor = [most for site in range(k) if (most := rule.most(site, k)) < price]
    return (
        f"a request that takes {price:,} is never admitted at {len(poor):,} of {count(k, 'site')}, "
        f"which have {max(poor):,} at most: lower costs{' or reserve' if rule.reserve else ''}, or raise the limit"
    )


def ways(network: Network | None) -> dict[str, float]:
    """Return the most steps of a message to the server and of one to a site, and by how much round trips differ.

    They are infinite if a message may be lost or has a tail; of round trips, those of messages that arrive count.

    Examples
    --------
    >>> ways(network_of({"latency": {"uniform": {"from": 2, "to": 5}}, "latency_down": 7}))
    {'up': 5.0, 'down': 7.0, 'varies': 3.0}
    >>> ways(network_of({"latency": 3, "latency_down": {"exponential": 1}}))["down"]
    inf
    >>> ways(network_of({"latency": 3, "loss": 0.1})), ways(network_of({"latency": 3, "faults": "site 0 cut 5-9"}))
    ({'up': inf, 'down': inf, 'varies': 0.0}, {'up': inf, 'down': inf, 'varies': 0.0})
    """
    if network is None:
        return {"up": 0.0, "down": 0.0, "varies": 0.0}
    far = [] if network.far is None else [network.far[1]]
    up = [_range(latency) for latency in (network.latency, *far)]
    down = [_range(latency) for latency in (network.latency_down or network.latency, *far)]
    longest = {"up": max(most for _, most in up), "down": max(most for _, most in down)}
    varies = sum(longest.values()) - min(least for least, _ in up) - min(least for least, _ in down)
    if network.faulty and not network.listed:
        late = network.link or network.duplication or network.reordering or network.stops
        return {"up": inf, "down": inf, "varies": inf if late else varies}
    pause = inf if network.link is None else network.link.longest_pause(2 * sum(longest.values()) + 2)
    delays = [(fault, _delay(fault, pause)) for fault in network.listed]
    longest = {way: most + sum(steps for _, steps in delays) for way, most in longest.items()}
    arriving = sum(steps for fault, steps in delays if network.link or not _loses(fault))
    return {**longest, "varies": varies + 2 * arriving}


def _loses(fault: ListedFault) -> bool:
    """Return whether a fault makes no message late that arrives, on bare wires."""
    return isinstance(fault, Partition) or getattr(fault, "what", "") == "lost"


def _delay(fault: ListedFault, pause: float) -> float:
    """Return the most steps by which a listed fault delays a message.

    A reliable link delivers in order, and sends what was lost again after a pause; bare wires, of which the pause is
    infinite, lose it, and messages may pass each other or come twice.
    """
    if isinstance(fault, Crash | Restart):
        return fault.down + pause
    if isinstance(fault, Partition):
        return fault.end - fault.begin + 1 + pause
    if fault.what == "lost":
        return pause if isinstance(fault, LetterFault) else fault.end - fault.begin + 1 + pause
    if fault.what == "late":
        return fault.steps
    return fault.steps if pause < inf else inf


def _range(latency: Latency) -> tuple[float, float]:
    """Return the least and the most steps of a message."""
    least, most = latency.uniform or (latency.constant or 0.0,) * 2
    bounded = latency.uniform is not None or latency.constant is not None
    return float(ceil(least)), float(ceil(most)) if bounded else inf


def by_window(looks: Sequence[Mapping[str, int]], window: int) -> list[dict[str, int]]:
    """Return what happened in each window, the last one up to the end of the game."""
    rows, before = [], dict.fromkeys(("offered", "cost", "admitted", "rejected", "words", "messages", "died"), 0)
    for left, look in zip(range(len(looks) - 1, -1, -1), looks, strict=True):
        if look["step"] % window == 0 or not left:
            rows.append({name: look[name] - before[name] for name in before})
            before = {name: look[name] for name in before}
    return rows


def measured(game: Any) -> dict[str, Any]:
    """Return the columns of the task for a game, with its verdict."""
    protocol: Quota = game.quota
    looks, limit = game.looks, protocol.limit
    windows = by_window(looks, protocol.window)
    admitted = [row["admitted"] for row in windows]
    noted = _is_noted(game)
    found = _each(looks, windows, protocol) if protocol.shape == "window" else _any(game, noted)
    judged, deaths = noted or protocol.shape == "window", found.deaths
    begun = max(1.0, looks[-1]["step"] / protocol.window)
    fleet: dict[str, Any] = {"k": game.sites, **ways(game.network), "deaths": deaths, "away": looks[-1]["away"]}
    each = protocol.singles
    longer = [by_window(looks, one.window) for one in each[1:]]
    most = [found.most, *(max(row["admitted"] for row in rows) for rows in longer)]
    died = [deaths, *(max(row["died"] for row in rows) for rows in longer)]
    worst = [one.worst(**fleet | {"deaths": dead}) for one, dead in zip(each, died, strict=True)]
    over = any(cost > bound for cost, bound in zip(most, worst, strict=True))
    promised = isfinite(protocol.slack(**fleet))
    allowed = limit + protocol.depth
    return {
        "verdict": "failed" if promised and over else "ok" if promised and judged else "undecided",
        "ok": promised and judged and not over,
        "max_rel_error": None,
        "first_failure": None,
        "failing_fraction": None,
        "overshoot": _beyond(most, each) if judged else None,
        "mean_overshoot": sum(max(0, cost - allowed) for cost in admitted) / len(admitted) / limit,
        "overshoot_promised": _beyond(worst, each) if promised else None,
        "utilisation": (found.used / found.could if found.could else 1.0) if judged else None,
        "false_rejections": found.wasted / max(1, looks[-1]["cost"]) if judged else None,
        "burst": game.book.sums.largest / limit if noted else None,
        "windows": len(windows),
        "rule_of_thumb": rule_of_thumb(protocol, game.sites, game.network),
        "words_per_window": game.words / begun,
        "messages_per_window": game.messages / begun,
        "waiting": game.book.waited / max(1, game.book.admissions) / game.pace,
        "refused": looks[-1]["rejected"] / max(1, looks[-1]["offered"]),
        **fairness(game.shares),
        "deaths": game.restarts,
    }


def fairness(shares: Sequence[Share]) -> dict[str, float | None]:
    """Return the least ratio of a site's admissions to its fair share, and Jain's index of these ratios.

    Sites that were asked nothing have none.

    Examples
    --------
    >>> fairness([Share(6, 6.0), Share(3, 6.0), Share(0, 0.0)])
    {'least_share': 0.5, 'jain': 0.9}
    """
    ratios = [share.admitted / share.fair for share in shares if share.fair]
    if not ratios:
        return {"least_share": None, "jain": None}
    squares = fsum(ratio * ratio for ratio in ratios)
    return {"least_share": min(ratios), "jain": fsum(ratios) ** 2 / (len(ratios) * squares) if squares else None}


def _beyond(costs: Sequence[Fraction | float], rules: Sequence[Quota]) -> float:
    """Return the largest cost beyond the limit of its rule, over that limit."""
    return max(float(max(0, cost - rule.limit) / rule.limit) for cost, rule in zip(costs, rules, strict=True))


def rule_of_thumb(protocol: Quota, k: int, network: Network | None) -> float | None:
    """Return (k - 1) times the load of a site in one flush and one round trip, over the limit; None without reports.

    The load is one request per step, spread evenly. Derivation: fleet/docs/quota-guarantees.md.
    """
    if protocol.every is None or not protocol.one_sum:
        return None
    trip = 0.0 if network is None else network.latency.mean_steps + (network.latency_down or network.latency).mean_steps
    return (k - 1) / k * (protocol.every + trip) * protocol.listed.mean / protocol.limit


class Found(NamedTuple):
    """What was admitted, by the shape of the limit.

    Attributes
    ----------
    most
        The limit, and the largest cost beyond what it allows, which may be below 0.
    could, used, wasted
        The cost that could have been admitted, what was admitted of it, and what was not.
    deaths
        The most sites that died where the guarantee counts them.
    """

    most: Fraction | int
    could: int
    used: int
    wasted: int
    deaths: int


def _each(looks: Sequence[Mapping[str, int]], windows: Sequence[dict[str, int]], protocol: Quota) -> Found:
    """Return it for a limit in each window."""
    limit = protocol.limit
    allowed, spent = [], [0] * len(protocol.longer)  # by all limits, if all that they allow is admitted
    for number, row in enumerate(windows):
        for place, (_, window) in enumerate(protocol.longer):
            spent[place] *= number % (window // protocol.window) > 0
        rests = [most - cost for (most, _), cost in zip(protocol.longer, spent, strict=True)]
        allowed.append(min(limit, row["cost"], *rests))
        spent = [cost + allowed[-1] for cost in spent]
    could = sum(allowed)
    used = min(could, sum(min(limit, row["admitted"]) for row in windows))
    wasted = sum(max(0, most - row["admitted"]) for most, row in zip(allowed, windows, strict=True))
    return Found(max(row["admitted"] for row in windows), could, used, wasted, max(row["died"] for row in windows))


def _any(game: Any, noted: bool) -> Found:
    """Return it for another shape; if not all is noted, `most` may be too small, and costs are missing."""
    protocol: Quota = game.quota
    died = np.array(game.died, np.int64)
    deaths = largest(died, np.ones_like(died), protocol.window) if protocol.rolls else len(died)
    if not noted:
        return Found(_between_looks(game) - protocol.depth, 0, 0, 0, deaths)
    admitted, sums = game.looks[-1]["admitted"], game.book.sums
    could = sums.possible
    return Found(protocol.limit + sums.beyond, could, min(could, admitted), max(0, could - admitted), deaths)


def _is_noted(game: Any) -> bool:
    """Return whether all that was admitted is noted, and in another shape than `window` all that was offered."""
    sums, last = game.book.sums, game.looks[-1]
    offered = game.quota.shape == "window" or sums.offered == last["cost"]
    return bool(offered and sums.admitted == last["admitted"])


def _between_looks(game: Any) -> int:
    """Return the largest cost in the steps of a window between two looks, which is a lower bound."""
    looks, window = game.looks, game.quota.window
    at = {0: 0, **{look["step"]: look["admitted"] for look in looks}}
    return max(int(cost) - int(at.get(max(0, step - window), cost)) for step, cost in at.items())


def _series(looks: Sequence[Mapping[str, int]], protocol: Quota) -> dict[str, list[float]]:
    """Return the columns of series.csv: the output is the cost admitted in the window so far."""
    rows: dict[str, list[float]] = {name: [] for name in ("step", "items", "output", "rel_error", "messages", "words")}
    start = 0
    for look in looks:
        output = look["admitted"] - start
        values = (look["step"], look["offered"], output, output / protocol.limit - 1, look["messages"], look["words"])
        for name, value in zip(rows, values, strict=True):
            rows[name].append(value)
        if look["step"] % protocol.window == 0:
            start = look["admitted"]
    return rows
