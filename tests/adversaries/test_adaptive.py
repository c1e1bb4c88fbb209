"""What the adversaries that react do, worked by hand on views without a game behind them."""

from __future__ import annotations

import numpy as np
from seen_by_hand import burst, view

from disttrack.adversaries import Coin, Drain, Freeze


def test_freeze_waits_between_laps_and_leaves_sites_out() -> None:
    """4 sites, alpha 0.1, c 3: the unit is 60 items. A lap over 2 sites from 120 items on, the next from 240 on."""
    adversary, seen = Freeze(reach=0.5, growth=2.0, begin=2.0), view(sites=4)
    visits = []
    for output in (0, 100, 119, 120, 130, 140, 239, 240, 250, 260):
        seen.record(output=output)
        visits.append(burst(adversary, seen)[0])
    assert visits == [3, 3, 3, 0, 1, 3, 3, 0, 1, 3]


def test_coin_by_hand() -> None:
    """4 sites and 2,000 items: a share is 2000 // 400 = 5 items, whenever the output changes."""
    adversary, seen = Coin(), view(items=2000)
    plan = adversary.plan(seen)
    sites = [(plan.site, plan.length)]
    for step in range(1, 41):
        seen.record(steps=step)
        if step in (2, 3, 10, 37):  # in the middle of a share, twice; at its very end
            seen.record(changes=seen.changes + 1)
        elif step % 5:
            continue  # nothing happens: it is not asked
        present, plan = plan, adversary.plan(seen)
        if step % 5:
            assert plan is present  # it goes on with the share that it has begun
        else:
            assert plan is not present
            sites.append((plan.site, plan.length))
    assert [length for _, length in sites] == [5] * 9
    reference = np.random.default_rng(2)
    # a draw at the start and at each change; at steps 15 … 35 and at 40 the share ends, drawn for at the latest then
    draws = [int(reference.integers(4)) for _ in range(11)]
    at_start, _, at_3, at_10, *silent = draws
    at_37 = silent[5]
    assert [site for site, _ in sites] == [at_start, at_3, at_10, *silent[:5], at_37]


def test_drain_by_hand() -> None:
    """k = 4, alpha = 0.1, c = 5, output 1000: the wait is 0.1 · 1000 / (5 · 2) = 10 items."""
    adversary, seen = (
        Drain(),
        view(known={"kind": "randomized", "alpha": 0.1, "confidence": 5.0}, output=1000),
    )
    assert burst(adversary, seen) == (0, 10)  # the game begins
    assert burst(adversary, seen) == (1, 10)  # ten items in vain: on to the next
    seen.record(changes=1, output=2000)
    assert burst(adversary, seen) == (1, 20)  # it spoke: the wait begins anew, by the new output
    seen.record(changes=2, output=2001)
    assert burst(adversary, seen) == (1, 21)  # 20.01 items are only over with the 21st
    assert burst(adversary, seen) == (2, 21)
    assert burst(adversary, seen) == (3, 21)
    assert burst(adversary, seen) == (0, 21)  # round and round
    seen.record(changes=9)
    assert burst(adversary, seen) == (0, 21)
    assert burst(Drain(patience=2), view(output=0.3)) == (0, 1)
    adversary, sites = Drain(tries=2), []
    for changes in range(9, 16):
        seen.record(changes=changes)
        sites.append(burst(adversary, seen)[0])
    assert sites == [0, 0, 1, 1, 2, 2, 3]
