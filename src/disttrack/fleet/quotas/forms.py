"""The compiled form of a quota: its numbers, and the functions of its kind for the loop of `disttrack.fleet.kernel`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from disttrack.fleet.quotas import kernel
from disttrack.fleet.quotas.state import Whole
from disttrack.protocols.base import FOREVER, ratio


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
    decides: Callable[[Any, Whole, Any], None] | None = None


def in_slots(form: QuotaForm, rule: Any, **parts: Callable[..., Any]) -> QuotaForm:
    """Return the form of a kind whose limit has another shape than `window`, with these parts in place of others."""
    filled, unit = rule.filled, rule.window * max(1, rule.depth)
    sliding, weighted = rule.shape == "sliding", rule.shape == "weighted"
    closes, meter = kernel.closes_slot, {kernel.FILLED: filled, kernel.UNIT: unit}
    if sliding:
        meter = {kernel.RESTS: rule.rest}
    if weighted:
        closes, meter = kernel.closes_weighted, {kernel.COUNTED: rule.counted}
    return replace(
        form,
        parts={**form.parts, "closes": closes, **parts},
        own={**form.own, **meter, kernel.REST_SLOTS: rule.rest},
        charges=rule.rest if sliding else 0,
        most=max(form.most, filled + unit if rule.depth else rule.counted if weighted else 1),
    )


PERMITS: Final = (("ask", True, 1), ("grant", False, 1), ("return", True, 1), ("load", True, 1), ("share", False, 1))
"""The messages of leases and of shares by load."""


def share_form() -> QuotaForm:
    """Return the form of `SplitSite`."""
    return QuotaForm({"opens": kernel.opens_share})


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
        columns=kernel.COLUMNS,
        decides=decide_shares,
    )


def decide_shares(server: Any, sites: Whole, weights: Any) -> None:
    """Have a `WeightedServer` decide the next shares."""
    server.weights = weights.tolist()
    sites[:, kernel.NEXT_SHARE] = server.decided()
    weights[:] = server.weights


def lease_form(upfront: int, fraction: float, low: float, each: bool, asked: bool = False) -> QuotaForm:
    """Return the form of `LeaseSite` and `LeaseServer`; all that is asked about may be charged."""
    (part, of), (mark, mark_of) = ratio(fraction), ratio(low)
    return QuotaForm(
        {
            "opens": kernel.opens_lease,
            "closes": kernel.closes_leases,
            "asks": kernel.asks_lease if each else kernel.asks_once,
            "mute": kernel.mute_lease if each else kernel.mute_once,
            "charged": kernel.charged_lease,
            "leaves": kernel.leaves_lease,
            "joins": kernel.joins_lease,
            "server_hears": kernel.hears_question,
            "site_hears": kernel.hears_grant,
        },
        PERMITS,
        {
            kernel.UPFRONT: upfront,
            kernel.PART: part, kernel.OF_PART: of, kernel.LOW_PART: mark, kernel.OF_LOW: mark_of, kernel.ALL: asked,
        },
        columns=kernel.COLUMNS,
        most=max(of, mark_of),
    )


def fair_form(upfront: int, fraction: float) -> QuotaForm:
    """Return the form of `FairSite` and `FairServer`."""
    form, loads = lease_form(upfront, fraction, 0.0, False), weight_form()
    own: dict[str, Callable[..., Any]] = {
        "opens": kernel.opens_fair,
        "closes": kernel.closes_fair,
        "joins": kernel.joins_fair,
        "server_hears": kernel.hears_question_or_load,
        "site_hears": kernel.hears_grant_or_share,
        "sends_decided": kernel.sends_fair_shares,
    }
    return replace(
        form, parts={**loads.parts, **form.parts, **own}, own={**form.own, **loads.own}, decides=decide_fair_shares
    )


def decide_fair_shares(server: Any, sites: Whole, weights: Any) -> None:
    """Have a `FairServer` decide the next shares."""
    server.asked = sites[:, kernel.HEARD_LOAD].tolist()
    sites[:, kernel.NEXT_SHARE] = server.decided()
    sites[:, kernel.HEARD_LOAD] = 0


def total_form(asked: bool = False) -> QuotaForm:
    """Return the form of `PeriodicSite` and `TotalServer`; refused requests may be charged too."""
    parts: dict[str, Callable[..., Any]] = {
        "opens": kernel.opens_limit,
        "closes": kernel.closes_total,
        **dict.fromkeys(("flushes", "leaves"), kernel.flushes_total),
        "joins": kernel.joins_total,
        "server_hears": kernel.hears_charge,
        "site_hears": kernel.hears_total,
    }
    if asked:
        parts["refused"] = kernel.charges_refused
    return QuotaForm(parts, (("report", True, 1), ("total", False, 1)), columns=4)


def report_form(smallest: int, shrinks: int = FOREVER) -> QuotaForm:
    """Return the form of `ReportSite` and `StopServer`; reports shrink with the limit over a number, if at all."""
    kinds = ("report", True), ("total", False), ("join", True), ("state", False), ("stop", False), ("size", False)
    return QuotaForm(
        {
            "opens": kernel.opens_reports,
            "closes": kernel.closes_reports,
            "charged": kernel.charged_report,
            "leaves": kernel.leaves_report,
            "joins": kernel.joins_report,
            "server_hears": kernel.hears_report,
            "site_hears": kernel.hears_size,
        },
        [(kind, up, 1) for kind, up in kinds],
        {kernel.SMALLEST: smallest, kernel.SHRINKS: shrinks},
        columns=1,
        most=max(1, smallest),
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
        },
        (("gossip", True, k), ("gossip", False, k)),
        {kernel.DISTANCES: distances},
        columns=1 + k,
        text=k,
    )
