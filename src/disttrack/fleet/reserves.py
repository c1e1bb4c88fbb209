"""What to reserve for a request whose cost is known only at its end: utilisation against overspend, by the reserve.

The guarantee of a quota holds whatever the order of costs. If costs do not depend on what sites admit, as those of
requests that end one by one, much less is overspent. Let n be the most requests that are not settled when sites are
stopped, and v the reserve. A site's last admission in a window is one of W moments, so s sites have W^s; for each, a
request is among the n by what is known at its admission, before its cost c is. So for each rate z > 0, E being over the
costs, all n together exceed their reserves by more than x with probability at most

    W^s max(1, E exp(z (c - v)))^n exp(-z x).

`proven` is the least such x for the probability `DELTA`. n is at most v times less than the limit.

Source: derived, as Chernoff's bound for a supermartingale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.tables import refusing, unpacked
from disttrack.fleet.advice import LOADS, WINDOWS, Service, Suited, settled
from disttrack.fleet.quotas import CountdownQuota, Lease, Quota
from disttrack.simulator.errors import ScenarioError

QUANTILES: Final = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0)
DELTA: Final = 1e-6
"""Probability with which a window may exceed what is proven."""
SAMPLE: Final = 1_000
"""Most costs of the games, drawn from the file."""

Costs = npt.NDArray[np.int64]


def read_costs(path: Path) -> Costs:
    """Return the costs of a file, one a line; it may be packed.

    Raises
    ------
    ScenarioError
        A line is no cost, or there is none.
    """
    costs = []
    try:
        with refusing(path), unpacked(path) as lines:
            for number, line in enumerate(lines, start=1):
                text = line.decode("utf-8", "replace").strip()
                if not text:
                    continue
                if not (text.isascii() and text.isdecimal() and int(text[:13]) >= 1 and len(text) <= 12):
                    raise ValueError(
                        f"line {number}: must be a whole number from 1 to 10^12, the one value of its line, without a "
                        f"heading; got {text[:40]!r}"
                    )
                costs.append(int(text))
    except ValueError as error:
        raise ScenarioError(f"--costs: {error}") from error
    if not costs:
        raise ScenarioError(f"--costs: {path} has no costs; it must have one a line")
    return np.array(costs, np.int64)


def excess(costs: Costs, reserve: int, most: float, exponent: float) -> float:
    """Return what `most` requests exceed their reserves by at most, but with probability exp(-exponent).

    Examples
    --------
    >>> costs = np.array([1, 1, 1, 9])
    >>> excess(costs, 9, 100, 14.0), excess(costs, 1, 2, 14.0), round(excess(costs, 3, 10_000, 14.0))
    (0.0, 16.0, 1851)
    """
    beyond = (costs - reserve).astype(float)
    largest = float(beyond.max())
    if largest <= 0:
        return 0.0
    low, high, bound = 1e-6 / largest, 1e3 / largest, most * largest
    for _ in range(2):  # the least bound is often at a corner, where the moment begins to exceed 1
        rates = np.geomspace(low, high, 200)
        scaled = [rate * largest + np.log(np.mean(np.exp(rate * (beyond - largest)))) for rate in rates]
        bounds = (most * np.maximum(0.0, scaled) + exponent) / rates
        place = int(bounds.argmin())
        low, high, bound = rates[max(0, place - 1)], rates[min(199, place + 1)], min(bound, float(bounds[place]))
    return bound


@dataclass(frozen=True)
class Spending:
    """A service whose requests have costs that are known late.

    Parameters
    ----------
    service
        The service; limit and overshoot are in the unit of the costs.
    costs
        Costs of past requests.
    settle
        Steps of the longest request, at least 1.

    Raises
    ------
    ScenarioError
        A request may cost more than the limit.
    """

    service: Service
    costs: Costs
    settle: int

    def __post_init__(self) -> None:
        if self.costs.max() > self.service.limit:
            raise ScenarioError(
                f"--costs: the most expensive request costs {self.costs.max():,}, more than the "
                f"{self.service.limit:,} of a window: give a longer --window"
            )

    def proven(self, protocol: Quota) -> float:
        """Return the overspend over the limit, at most, if costs do not depend on what is admitted."""
        one = self.service
        trip = 2 * one.latency
        slack = protocol.slack(one.sites, one.latency, one.latency)
        stops = protocol.stops(one.sites, trip)
        unsettled = stops * (2 * self.settle + min(protocol.waiting(trip), 2 * self.settle))
        most = min(unsettled, one.window, (one.limit + slack) / protocol.reserve)
        late = excess(self.costs, protocol.reserve, most, log(1 / DELTA) + stops * log(one.window))
        return max(0.0, min(slack + late, one.promised(protocol) - one.limit)) / one.limit

    def quota(self, kind: type[Quota], reserve: int, seed: int) -> Quota:
        """Return a protocol with a sample of the costs, among them the largest."""
        drawn = np.random.default_rng(seed).permutation(self.costs)[:SAMPLE]
        drawn[0] = drawn[0] if drawn.max() == self.costs.max() else self.costs.max()
        parts: dict[str, Any] = {"costs": tuple(drawn.tolist()), "reserve": reserve, "settle": self.settle}
        return kind(self.service.limit, self.service.window, **parts)


def reserves(spent: Spending, seed: int = 0) -> list[tuple[float, Suited]]:
    """Return quantiles of the costs, and leases and countdowns that reserve them; `promised` is what is proven.

    Of countdowns, those are left out that do not keep the overspend.
    """
    found, least = [], 0
    for quantile in QUANTILES:
        reserve = ceil(np.quantile(spent.costs, quantile, method="inverted_cdf"))
        if reserve == least:
            continue
        least = reserve
        for kind in (Lease, CountdownQuota):
            protocol = spent.quota(kind, reserve, seed)
            proven = spent.proven(protocol)
            if kind is Lease or proven <= spent.service.overshoot:
                found.append((quantile, replace(settled(protocol, spent.service, seed, inf), promised=proven)))
    return found


def best(found: Sequence[tuple[float, Suited]], overspend: float) -> tuple[float, Suited]:
    """Return the one with the best utilisation within a proven overspend; of equal ones, the cheapest."""
    kept = [one for one in found if one[1].promised <= overspend]
    return max(kept, key=lambda one: (round(one[1].utilisation, 3), -one[1].words))


def scenario_of(quantile: float, chosen: Suited, found: Sequence[tuple[float, Suited]], spent: Spending) -> str:
    """Return the scenario that verifies a reserve and draws utilisation against overspend, as YAML."""
    protocol, service = chosen.protocol, spent.service
    values = sorted({one.protocol.reserve for _, one in found if one.protocol.kind == protocol.kind})
    where = [f"where: reserve == {protocol.reserve}"] * (len(values) > 1)  # a column, if it is swept
    exceeding = service.window * np.mean(protocol.cycle) > service.allowed  # else no control can fail
    lines = [
        "name: reserve-advice",
        f"question: Does a reserve of {protocol.reserve} overspend {service.overshoot:.3g} of the limit at most?",
        *service.lines(WINDOWS * service.window),
        f"costs: [[{', '.join(map(str, protocol.cycle))}]]",
        f"settle: {spent.settle}",
        "trials: 2",
        f"protocol: {{kind: {protocol.kind}, reserve: [{', '.join(map(str, values))}]}}",
        f"adversary: [{', '.join(LOADS)}, greedy]",
        "claims:",
        f"  - name: the reserve of the {quantile:.1%} quantile overspends no more than is allowed",
        *(f"    {line}" for line in where),
        "    measure: max(overshoot)",
        f"    at_most: {service.overshoot:.9g}",
        "    chance: 0.00005",
        *([f"    control: {{{', '.join(['fault: coarse', 'trials: 1', *where])}}}"] if exceeding else []),
        "plots:",
        "  - {kind: frontier, cost: overshoot, y: utilisation, title: Utilisation against overspend}",
    ]
    return "\n".join(lines) + "\n"
