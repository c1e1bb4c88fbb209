"""A fleet of sites that admit or reject: its clocks, who is in it, and what was admitted in each window.

The engines take it in place of what stops and restarts machines: it shares the network's calendar, so that all engines
play the same events in the same order. In a step, these come after the arrivals: the end of a window, first that of
the server and then those of the sites, settling of costs, flushes, sites that come and go, and last of all a look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from disttrack.fleet.change import Change
from disttrack.fleet.kernel import next_look
from disttrack.fleet.quotas.amounts import fair_share, level_of
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.sites import QuotaServer, QuotaSite
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.network.faults import Crash, every
from disttrack.simulator.game.network.listed import written
from disttrack.simulator.game.network.mail import FAULT, Mail, Receivers

LOOKS: Final = 16
"""Number of looks in a window; a shorter window has one per step."""
TURN, SETTLE, FLUSH, CHANGE, LOOK = range(FAULT, FAULT + 5)
"""Priorities of what happens after the arrivals of a step, whatever was scheduled first."""
BY_CLOCK: Final = {"turn": TURN, "learn_costs": SETTLE, "flush": FLUSH}
SHOWN: Final = 8
"""Most sites of which each look keeps what they admitted and believed."""


class Share(NamedTuple):
    """What a site admitted in a game, beside its share by max-min fairness.

    Attributes
    ----------
    admitted
        The cost that it admitted.
    fair
        The sum over the windows of what it would get of the limit if all that the sites were asked in a window were
        known at once.
    """

    admitted: int
    fair: float


class Fleet(Receivers):
    """The sites and the server of a game of quotas.

    Parameters
    ----------
    rule
        The protocol.
    k
        Number of sites.
    rngs
        The game's random streams by role.

    Attributes
    ----------
    answers
        The last answer of each site.
    looks
        A row per look: step, requests offered, their cost, the cost admitted, requests rejected, and for a few sites
        the cost admitted by each and what each could still admit.
    died
        The steps of deaths.
    restarts
        Number of deaths.
    away
        Whether a site was out of the fleet at any time.
    """

    sites: Sequence[QuotaSite]
    server: QuotaServer

    def __init__(self, rule: Quota, k: int, rngs: Mapping[str, np.random.Generator]) -> None:
        super().__init__(rule.sites(k, rngs["sites"]), rule.server(k, rngs["server"]))
        self.rule, self.k = rule, k
        self.answers = self.server.answers = self.sites[0].answers
        self.looks: list[dict[str, object]] = []
        self.died: list[int] = []
        self.away = False
        self._wanted, self._fair = [0] * k, [0.0] * k
        """What each site was asked up to the present window, and the sum of its fair shares."""

    def begin(self, mail: Mail) -> None:
        """Set the clocks, on this mail."""
        super().begin(mail)
        rule, k = self.rule, self.k
        self._every(TURN, rule.period, rule.period, self._turn_server)
        for site in range(k):
            for act, (first, period) in rule.moments(site, k).items():
                self._every(BY_CLOCK[act], first, period, partial(self._act, site, act, present=act == "flush"))
        for crash in (one for one in mail.network.listed if isinstance(one, Crash)):
            for site in every(crash.sites, k):
                self._expect(crash, site)
        look = max(1, rule.window // LOOKS)
        self._look_at(look, 0)

    def is_up(self, site: int | None) -> bool:
        """Return whether a site, or for None the server, is in the fleet."""
        return site is None or self.sites[site].present

    # ------------------------------------------------------------------ clocks

    def _every(self, priority: int, first: int, period: int, act: Callable[[], None]) -> None:
        def ring(step: int, event: object) -> None:
            act()
            self.mail.schedule(step + period, priority, partial(ring, step + period))

        self.mail.schedule(first, priority, partial(ring, first))

    def _act(self, site: int, act: str, *values: object, present: bool = False) -> None:
        """Have a site act by its clock, by a method of this name; some acts are only for sites in the fleet."""
        part, ends = self.sites[site], self.mail.ends
        if present and not part.present:
            return
        ends.before(site)
        ends.send_up(site, getattr(part, act)(*values))
        ends.after(site)

    def _turn_server(self) -> None:
        self.mail.ends.before(None)
        self.mail.ends.send_down(self.server.turn())
        self.mail.ends.after(None)

    # ------------------------------------------------------------------ members

    def change(self, plan: Change, step: int) -> None:
        """Have sites come and go in a step; before the first one they are away from the start."""
        self.away = self.away or (plan.how != "join" and bool(plan.changed))
        for site in plan.changed:
            if step:
                self.mail.schedule(step, CHANGE, partial(self._change, site, plan.how))
            elif plan.how == "join":
                raise MoveError(f"site {site} must not join before the first step: it is there")
            else:
                self.sites[site].leave(True)

    def _change(self, site: int, how: str, event: object) -> None:
        part = self.sites[site]
        if (how == "join") == part.present:
            where = "there" if part.present else "not there"
            crashes = [one for one in self.mail.network.listed if isinstance(one, Crash)]
            listed = written(one for one in crashes if site in every(one.sites, len(self.sites)))
            why = f"; the adversary and faults both move it: leave out {listed}, or list another site" * bool(listed)
            raise MoveError(f"site {site} must not {how} in step {self.mail.now}: it is {where}{why}")
        if how == "join":
            self._act(site, "join")
            return
        if how == "die":
            self.died.append(self.mail.now)
        self.restarts = len(self.died)
        self._act(site, "leave", how == "die")

    def _expect(self, crash: Crash, site: int) -> None:
        """Have a site die and come back by the list of faults; what was on its way belongs to a life that is over."""

        def die(event: object) -> None:
            self.stopped.append(replace(crash, sites=site))
            self._change(site, "die", event)

        def join(event: object) -> None:
            self.mail.forget(site)
            self._change(site, "join", event)

        assert crash.at is not None
        self.away = True
        self.mail.schedule(crash.at, CHANGE, die)
        self.mail.schedule(crash.at + crash.down, CHANGE, join)

    # ------------------------------------------------------------------ looks

    def _look_at(self, spacing: int, number: int) -> None:
        """Look at the next of the steps that are multiples of the spacing, or ends of a window."""
        step = next_look(number, spacing, self.rule.window)
        self.mail.schedule(step, LOOK, partial(self._look, spacing, step))

    def _look(self, spacing: int, step: int, event: object) -> None:
        self.look(step)
        if step % self.rule.window == 0:
            self._close_window()
        self._look_at(spacing, step)

    def look(self, step: int) -> None:
        """Add up what the sites have done by the end of a step."""
        if self.looks and self.looks[-1]["step"] == step:
            return
        before = self.mail.ends.before
        offered = cost = admitted = rejected = 0
        for number, site in enumerate(self.sites):
            before(number)
            offered += site.offered
            cost += site.costs.upto(site.offered)
            admitted += site.admitted_cost
            rejected += site.offered - site.admitted - len(site.waiting)
        row: dict[str, object] = {
            "step": step,
            "offered": offered,
            "cost": cost,
            "admitted": admitted,
            "rejected": rejected,
        }
        ledger = self.mail.ends.ledger
        row |= {"messages": ledger.messages, "words": ledger.words, "died": self.restarts, "away": self.away}
        if self.k <= SHOWN:
            row["by_site"] = [site.admitted_cost for site in self.sites]
            row["left"] = [site.left for site in self.sites]
        self.looks.append(row)
        if self.answers.book is not None:
            self.answers.book.add_up()

    # ------------------------------------------------------------------ shares

    def _close_window(self) -> None:
        """Add the fair shares of the window that ends to those of the windows before."""
        before, self._wanted = self._wanted, [site.costs.upto(site.offered) for site in self.sites]
        wanted = [now - then for now, then in zip(self._wanted, before, strict=True)]
        level = level_of(wanted, self.rule.limit)
        self._fair = [fair + fair_share(cost, *level) for fair, cost in zip(self._fair, wanted, strict=True)]

    def close(self, last: int) -> None:
        """Look at the last step, and end a window that it is in the midst of."""
        self.look(last)
        if last % self.rule.window:
            self._close_window()

    def shares(self) -> list[Share]:
        """Return what each site admitted, beside its fair share."""
        return [Share(site.admitted_cost, fair) for site, fair in zip(self.sites, self._fair, strict=True)]
