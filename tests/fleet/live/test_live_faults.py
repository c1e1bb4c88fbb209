"""A deployment whose processes are killed and whose connections are cut, under traffic."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest
from deployment import Deployment, Proxy, ask, deployed, free_port, wait_for

SITES = 3
KILLS = 5


class Traffic:
    """Items for all sites, with what the sites have acknowledged, and what they may have taken without saying so."""

    def __init__(self, deployment: Deployment, seed: int) -> None:
        self.deployment, self.rng = deployment, random.Random(seed)
        self.acknowledged, self.in_doubt = [0] * deployment.sites, [0] * deployment.sites
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._feed, args=(site,)) for site in range(deployment.sites)]
        for thread in self._threads:
            thread.start()

    def _feed(self, site: int) -> None:
        while not self._over.wait(0.01):
            items = self.rng.randint(1, 40)
            if self.deployment.give(site, items):
                self.acknowledged[site] += items
            else:
                self.in_doubt[site] += items

    def end(self) -> None:
        """End it, and wait until all have done their last."""
        self._over.set()
        for thread in self._threads:
            thread.join()


def items_of(deployment: Deployment) -> list[int]:
    """Return the items of each site, as the sites know them."""
    return [ask(port, "/healthz")[1]["sites"][0]["items"] for port in deployment.site_http]


def kill_under_traffic(deployment: Deployment, kills: int, seed: int) -> Traffic:
    """Kill the server and sites one after the other while items come, and start each again."""
    traffic, rng = Traffic(deployment, seed), random.Random(seed)
    try:
        for _ in range(kills):
            which = rng.randrange(-1, deployment.sites)
            if which < 0:
                deployment.server.kill()
                deployment.start_server()
            else:
                deployment.feeds[which].kill()
                deployment.feeds[which] = deployment.start_site(str(which), deployment.site_http[which])
            rng.random() < 0.5 and deployment.whole()
    finally:
        traffic.end()
    deployment.whole()
    return traffic


@pytest.mark.slow
def test_no_acknowledged_item_is_lost_or_counted_twice_when_processes_are_killed(tmp_path: Path) -> None:
    """Of a tracker whose state has rounds, polls and coins; that of `deterministic`, two counts, is a part of it."""
    with deployed(tmp_path, "martingale alpha=0.1 delta=1e-6", SITES) as deployment:
        traffic = kill_under_traffic(deployment, KILLS, seed=1)
        told = deployment.settled()
        counts = items_of(deployment)
        for count, sure, doubt in zip(counts, traffic.acknowledged, traffic.in_doubt, strict=True):
            assert sure <= count <= sure + doubt
        assert sum(counts) > 1_000
        assert told["unknown"] == {}
        assert abs(told["value"] - sum(counts)) <= 0.1 * sum(counts)


@pytest.mark.slow
def test_a_server_without_its_journal_begins_anew_with_what_the_sites_know(tmp_path: Path) -> None:
    with deployed(tmp_path, "martingale alpha=0.1 delta=1e-6", SITES, journals=False) as deployment:
        for site in range(SITES):
            assert deployment.give(site, 5_000 * (site + 1))
        deployment.settled()
        deployment.server.kill()
        deployment.start_server()
        deployment.whole()
        wait_for(lambda: not deployment.estimate()["begins_anew"], "the sites' counts")
        assert abs(deployment.settled()["value"] - 30_000) <= 3_000


def test_a_connection_that_is_cut_is_noticed_and_goes_on_where_it_was(tmp_path: Path) -> None:
    port = free_port()
    proxy = Proxy(port)
    with deployed(tmp_path, "deterministic alpha=0.1", 2, together=True, through=proxy.port, port=port) as deployment:
        assert deployment.give(0, 1_000)
        before = deployment.settled()["value"]
        proxy.cut = True
        wait_for(lambda: deployment.estimate()["away"] == [0, 1], "a connection that is cut")
        assert deployment.give(0, 9_000)  # the site takes items all the same
        told = deployment.estimate()
        assert told["value"] == before
        assert told["unknown"] == {"0": None, "1": None}  # cut off, they may take any number
        assert told["estimate_high"] is None
        assert told["estimate_low"] >= before
        proxy.cut = False
        deployment.whole()
        assert 9_000 <= deployment.settled()["value"] <= 10_000
    proxy.close()


def test_a_site_that_has_no_rule_for_its_return_is_refused_without_its_journal(tmp_path: Path) -> None:
    with deployed(tmp_path, "countdown threshold=1000 epsilon=0.1", 1, journals=False) as deployment:
        assert deployment.give(0, 500)
        deployment.settled()
        deployment.feeds[0].kill()
        again = deployment.start_site("0", deployment.site_http[0])
        again.printed("no rule for a site that has lost its state; give it a journal")
        assert again.process.wait(10) == 1
