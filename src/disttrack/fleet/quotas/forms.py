"""The compiled form of a quota: its numbers, and the functions of its kind for the loop of `disttrack.fleet.kernel`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from disttrack.fleet.quotas import kernel, lease_kernel, report_kernel, state, total_kernel
from disttrack.fleet.quotas.state import Whole
from disttrack.protocols.base import FOREVER, ratio

Parts = dict[str, Callable[..., Any]]
"""Functions by their places in the loop."""


@dataclass(frozen=True)
class QuotaForm:
    """What one kind adds to a game on arrays.

    Parameters
    ----------
    parts
        Functions of `disttrack.fleet.quotas.kernel`, by their places in the loop.
    kinds
        Its messages, in the order in which they are counted: kind, whether they go up, and words.
    own
        Its numbers, by their places among those of the game.
    columns
        Further numbers of a site.
    most
        What the largest number of the game is multiplied by at most.
    charges
        Numbers of the game beyond those of other kinds.
    text
        Numbers of a letter beyond those of other kinds.
    any_window
        Whether sites look themselves to which window a letter belongs.
    decides
        What the server decides that takes more than arrays: it is given the server, the sites and its weights.
    """

    parts: Mapping[str, Callable[..., Any]]
    kinds: Sequence[tuple[str, bool, int]] = ()
    own: Mapping[int, int] = field(default_factory=dict)
    columns: int = 0
    most: int = 1
    charges: int = 0
    text: int = 0
    any_window: bool = False
    decides: Callable[[Any, Whole, Any], None] | None = None


def deployed(form: QuotaForm, rule: Any, k: int) -> QuotaForm:
    """Return the form of a `Shaped` quota, of that for windows by the clock of the store and sites never cut off."""
    form = in_slots(form, rule) if rule.shape != "window" else form
    form = alone_form(form, rule, k) if rule.timeout else form
    return replace(form, own={**form.own, kernel.BY_CLIENT: rule.clock == "client"})


def in_slots(form: QuotaForm, rule: Any) -> QuotaForm:
    """Return the form of a kind whose limit has another shape than `window`."""
    filled, unit = rule.filled, rule.window * max(1, rule.depth)
    sliding, weighted = rule.shape == "sliding", rule.shape == "weighted"
    closes, meter = kernel.closes_slot, {kernel.FILLED: filled, kernel.UNIT: unit}
    if sliding:
        meter = {kernel.RESTS: rule.rest}
    if weighted:
        closes, meter = kernel.closes_weighted, {kernel.COUNTED: rule.counted}
    return replace(
        form,
        parts={**form.parts, "closes": closes},
        own={**form.own, **meter, kernel.REST_SLOTS: rule.rest},
        charges=rule.rest if sliding else 0,
        most=max(form.most, filled + unit if rule.depth else rule.counted if weighted else 1),
    )


def alone_form(form: QuotaForm, rule: Any, k: int) -> QuotaForm:
    """Return a form with what `Alone` keeps of a site."""
    own, meter = {lease_kernel.FOR_ALONE: rule.for_alone(k)}, 0
    if rule.away == "share" and rule.shape != "window":
        weights = rule.shape == "weighted"
        meter = 2 if weights else rule.rest
        own[lease_kernel.METERED] = lease_kernel.BY_WEIGHTS if weights else lease_kernel.IN_SLOTS
    return replace(form, own={**form.own, **own}, columns=lease_kernel.COLUMNS + meter)


PERMITS: Final = (("ask", True, 1), ("grant", False, 1), ("return", True, 1), ("load", True, 1), ("share", False, 1))
"""The messages of leases and of shares by load."""


def with_longer(form: QuotaForm, longer: Sequence[tuple[int, int]]) -> QuotaForm:
    """Return a form with these further limits; each comes with the number of windows that its own window has."""
    own = dict(form.own) | {kernel.LONGERS: len(longer)}
    for number, (limit, times) in enumerate(longer):
        own |= {kernel.LONGER + 3 * number + kernel.MOST: limit, kernel.LONGER + 3 * number + kernel.TIMES: times}
    return replace(form, own=own, charges=3 * len(longer))


def share_form(longer: Sequence[tuple[int, int]]) -> QuotaForm:
    """Return the form of `SplitSite`."""
    parts: Parts = {"ends": kernel.ends_shares, "opens": kernel.opens_shares, "joins": kernel.joins_shares}
    return with_longer(QuotaForm(parts, columns=len(longer)), longer)


def weight_form() -> QuotaForm:
    """Return the form of `WeightedSite` and `WeightedServer`."""
    return QuotaForm(
        {
            "offers": kernel.offers_weight,
            "opens": kernel.opens_weights,
            "closes": kernel.closes_weights,
            "joins": kernel.joins_weights,
            "server_hears": kernel.hears_load,
            "site_hears": kernel.hears_share,
            "site_keeps": kernel.keeps_share,
            "sends_decided": kernel.sends_shares,
        },
        PERMITS,
        {kernel.SHARED: 1},
        columns=lease_kernel.COLUMNS,
        decides=decide_shares,
    )


def decide_shares(server: Any, sites: Whole, weights: Any) -> None:
    """Have a `WeightedServer` decide the next shares."""
    server.weights = weights.tolist()
    sites[:, kernel.NEXT_SHARE] = server.decided()
    weights[:] = server.weights


def lease_form(rule: Any, k: int) -> QuotaForm:
    """Return the form of `LeaseSite` and `LeaseServer`."""
    (part, of), (mark, mark_of) = ratio(rule.fraction), ratio(rule.low)
    form = QuotaForm(
        {
            "opens": lease_kernel.opens_lease,
            "ends": lease_kernel.ends_lease,
            "closes": lease_kernel.closes_leases,
            "asks": lease_kernel.asks_lease,
            "mute": lease_kernel.mute_lease,
            "charged": lease_kernel.charged_lease,
            "flushes": lease_kernel.looks_for_answers,
            "settled": lease_kernel.keeps_nothing,
            "slots": lease_kernel.slots_lease,
            "leaves": lease_kernel.leaves_lease,
            "joins": lease_kernel.joins_lease,
            "server_hears": lease_kernel.hears_question,
            "site_hears": lease_kernel.hears_grant,
        },
        PERMITS,
        {
            lease_kernel.UPFRONT: rule.upfront_of(k),
            lease_kernel.PART: part,
            lease_kernel.OF_PART: of,
            lease_kernel.LOW_PART: mark,
            lease_kernel.OF_LOW: mark_of,
            lease_kernel.ALL: rule.charge == "asked",
            lease_kernel.ONE_BY_ONE: not rule.each,
        },
        columns=lease_kernel.COLUMNS,
        most=max(of, mark_of),
    )
    return with_longer(form, rule.times)


def fair_form(rule: Any, k: int) -> QuotaForm:
    """Return the form of `FairSite` and `FairServer`."""
    form, loads = lease_form(rule, k), weight_form()
    own: Parts = {
        "opens": lease_kernel.opens_fair,
        "closes": lease_kernel.closes_fair,
        "joins": lease_kernel.joins_fair,
        "server_hears": lease_kernel.hears_question_or_load,
        "site_hears": lease_kernel.hears_grant_or_share,
        "sends_decided": lease_kernel.sends_fair_shares,
    }
    return replace(
        form, parts={**loads.parts, **form.parts, **own}, own={**form.own, **loads.own}, decides=decide_fair_shares
    )


def decide_fair_shares(server: Any, sites: Whole, weights: Any) -> None:
    """Have a `FairServer` decide the next shares."""
    server.asked = sites[:, kernel.HEARD_LOAD].tolist()
    sites[:, kernel.NEXT_SHARE] = server.decided()
    sites[:, kernel.HEARD_LOAD] = 0


def total_form(rule: Any, k: int) -> QuotaForm:
    """Return the form of `PeriodicSite` and `TotalServer`, or of `FlushingSite` and `ToldServer`."""
    parts: Parts = {
        "opens": total_kernel.opens_total,
        "closes": total_kernel.closes_total,
        "slots": total_kernel.slots_total,
        **dict.fromkeys(("flushes", "leaves"), total_kernel.flushes_total),
        "joins": total_kernel.joins_total,
        "server_hears": total_kernel.hears_report,
        "site_hears": total_kernel.hears_total,
    }
    if rule.charge == "asked":
        parts["refused"] = total_kernel.charges_refused
    own = {total_kernel.MOST_UNANSWERED: rule.unanswered if rule.timeout else 0}
    kinds = ("report", True, 1), ("total", False, 1)
    return deployed(QuotaForm(parts, kinds, own, columns=lease_kernel.COLUMNS, text=1), rule, k)


def report_form(rules: Sequence[Any], k: int, shrinks: int = FOREVER) -> QuotaForm:
    """Return the form of `ReportSite` and `StopServer`, or of several; reports shrink with the limit over a number."""
    kinds = ("report", True), ("total", False), ("join", True), ("state", False), ("stop", False), ("size", False)
    own = {report_kernel.LIMITS: len(rules), report_kernel.SHRINKS: shrinks, report_kernel.SKEW: rules[0].skew}
    for number, rule in enumerate(rules):
        part = report_kernel.PARTS + report_kernel.NUMBERS * number
        own[part + report_kernel.MOST] = rule.limit
        own[part + report_kernel.TIMES] = rule.window // rules[0].window
        own[part + report_kernel.SMALLEST] = rule.smallest(k)
    return QuotaForm(
        {
            "opens": report_kernel.opens_reports,
            "ends": report_kernel.ends_reports,
            "closes": report_kernel.closes_reports,
            "charged": report_kernel.charged_report,
            "leaves": report_kernel.leaves_report,
            "joins": report_kernel.joins_report,
            "server_hears": report_kernel.hears_report,
            "site_hears": report_kernel.hears_size,
            "site_keeps": report_kernel.keeps_size,
        },
        [(kind, up, 1) for kind, up in kinds],
        own,
        columns=report_kernel.FIRST - state.OWN + report_kernel.COLUMNS * len(rules),
        most=max(1, *(rule.smallest(k) for rule in rules)),
        charges=report_kernel.NUMBERS * len(rules),
        any_window=len(rules) > 1,
    )


def gossip_form(k: int, distances: int) -> QuotaForm:
    """Return the form of `GossipSite`."""
    return QuotaForm(
        {
            "opens": kernel.opens_gossip,
            "flushes": kernel.flushes_gossip,
            "joins": kernel.joins_gossip,
            "server_hears": kernel.passes_on,
            "site_hears": kernel.hears_gossip,
            "site_keeps": kernel.keeps_gossip,
        },
        (("gossip", True, k), ("gossip", False, k)),
        {kernel.DISTANCES: distances},
        columns=2 + 2 * k,
        text=k,
    )
