"""Sites as state machines and a server, whose messages take no time, by a clock of one second a step."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from disttrack.fleet.live.site_state import SiteState
from disttrack.fleet.quotas import Quota
from disttrack.protocols.base import EVERYONE, Message


class Fleet:
    """The fleet; costs are committed, or settled if not."""

    def __init__(self, protocol: Quota, commits: bool = False, k: int = 3) -> None:
        rng = np.random.default_rng(1)
        self.rule, self.commits, self.now = protocol, commits, 0
        self.sites = [SiteState(protocol, k, number, 1, commits=commits) for number in range(k)]
        self.server: Any = protocol.server(k, rng)
        self.costs: list[dict[int, int]] = [{} for _ in range(k)]

    def do(self, site: int, *event: Any) -> None:
        self.send([(site, message) for _, _, message in self.sites[site].apply(event)])

    def send(self, messages: Any) -> None:
        up: deque[tuple[int, Message]] = deque(messages)
        while up:
            sender, message = up.popleft()
            for receiver, answer in self.server.hear(sender, message):
                for site in range(len(self.sites)) if receiver == EVERYONE else (receiver,):
                    up.extend((site, one) for one in self.sites[site].site.hear(answer))
                    if self.commits:
                        self.sites[site].reservations.note_answers(self.sites[site].site)

    def request(self, number: int) -> None:
        """Send a request; its cost is that of the site's place in the cycle."""
        part = self.sites[number]
        if self.commits:
            place = self.rule.listed.first(number, len(self.sites)) + part.site.offered
            cost = self.rule.cycle[place % len(self.rule.cycle)]
            self.do(number, "request", 1)
            self.costs[number][part.site.offered] = cost
        else:
            self.do(number, "take", 1)

    def clocks(self) -> None:
        """Play what clocks do at the end of a step, in the order of the simulator."""
        if self.now % self.rule.period == 0:
            for receiver, message in self.server.turn():
                for site in range(len(self.sites)) if receiver == EVERYONE else (receiver,):
                    self.send([(site, one) for one in self.sites[site].site.hear(message)])
            for site in range(len(self.sites)):
                self.do(site, "act", "turn")
        if self.rule.settle and self.now % self.rule.settle == 0:
            for site, part in enumerate(self.sites):
                if not self.commits:
                    self.do(site, "act", "learn_costs")
                    continue
                settlings = self.now // self.rule.settle
                for number, (*_, since) in list(part.reservations.open.items()):
                    if since < settlings - 1:  # known by the second settling, as in a game
                        self.do(site, "commit", number, self.costs[site][number])
                self.do(site, "settle", settlings)
        for site in range(len(self.sites)):
            first, every = self.rule.moments(site, len(self.sites)).get("flush", (0, 0))
            if every and self.now >= first and (self.now - first) % every == 0:
                self.do(site, "act", "flush")

    def step(self, asks: bool, number: int = 0) -> bool:
        """Play a step, with a request to a site or without; return whether it was admitted."""
        self.now += 1
        before = self.sites[number].site.admitted
        if asks:
            self.request(number)
        admitted = bool(self.sites[number].site.admitted > before)
        self.clocks()
        return admitted
