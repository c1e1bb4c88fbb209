"""The attacker that parks sites: its plans by hand, and whether the sites that it keeps are what it takes them for."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from seen_by_hand import after

from disttrack.adversaries import View
from disttrack.adversaries.schedules import Runs
from disttrack.attack.adversaries import Trial
from disttrack.attack.adversaries.trial import Role
from disttrack.protocols import Robust
from disttrack.protocols.rounds.constants import Constants
from disttrack.simulator import play
from disttrack.simulator.kinds.faults import broken

FOUND: list[Any] = []


class Told(Trial):
    """The same, with its notes to be looked at when the game is over."""

    def plan(self, view: View) -> Any:
        plan = super().plan(view)
        FOUND[:] = [self._round]
        return plan


UNUSED = {"c": 1.0, "epsilon": 1.0, "divisor": 1.0, "counter_epsilon": 1.0, "most_bits": 1.0, "least_blocks": 1.0}
OF = Constants(blocks=None, phases=20, phase_length=3.0, threshold_scale=2.0, releases=20, shift=0.0, **UNUSED)


def view(sites: int = 5, **constants: Any) -> View:
    """Return the view of a game whose rounds have blocks of 10 items and phases of 3 bits, unless said otherwise."""
    known = {"kind": "robust", "alpha": 0.5, "constants": lambda number: OF._replace(**constants)}
    return View(sites=sites, items=10**6, start=20, known=known, rng=np.random.default_rng(0))


def ask(adversary: Trial, seen: View, items: int, output: float | None = None) -> list[tuple[int, int]]:
    """Return the bursts that it plans after so many more items, with the last of which the output may have moved."""
    plan = adversary.plan(after(seen, items, output))
    assert isinstance(plan, Runs)
    return list(zip(plan.sites.tolist(), plan.lengths.tolist(), strict=True))


def test_quiet_parking_below_by_hand() -> None:
    adversary, seen = Trial(depth=0.5), view()
    store = (4, 10)
    assert ask(adversary, seen, 0) == [store, store, (0, 5), (1, 5), (2, 5), (3, 5)]
    # the third bit came with the third item of site 1: site 0 has not signalled and stays, site 1 goes on to its end
    assert ask(adversary, seen, 28, 50.0) == [(1, 7), store, store, (2, 5), (3, 5)]
    # site 2 and 3 are parked, too, and the output stands still: site 1 is next, from the end of its block
    assert ask(adversary, seen, 37) == [(1, 5)]
    assert ask(adversary, seen, 5) == [store] * 8
    # the store ends the phase within a block, which it must finish first
    assert ask(adversary, seen, 4, 80.0) == [(4, 6), store, store]


def test_quiet_parking_above_keeps_a_site_that_signalled_early() -> None:
    adversary, seen = Trial(side="above", depth=0.5), view(sites=4)
    store = (3, 10)
    assert ask(adversary, seen, 0) == [store, store, (0, 10), (1, 10), (2, 10)]
    # site 0 signalled with its third item: it stays; then site 1 with its seventh, which is too late
    assert ask(adversary, seen, 23, 50.0) == [store, store, (1, 10), (2, 10)]
    assert ask(adversary, seen, 27, 80.0) == [(1, 3), store, store, (2, 10)]


def test_groups_are_kept_or_parked_again_by_hand() -> None:
    """Phases of 6 bits: 4 blocks of the store leave room for 2 of a group of 4 sites at half a block."""
    adversary, seen = Trial(side="above", group=4, depth=0.5), view(sites=7, phase_length=6.0)
    store = (6, 10)
    group = [(site, 5) for site in range(4)]
    assert ask(adversary, seen, 0) == [store] * 4 + group
    assert ask(adversary, seen, 60) == [store] * 8
    # the second block of the store ended the phase: it has had 4 + 1 + 1, so the group sent none, and is parked anew
    finish = [(site, 5) for site in range(4)]
    assert ask(adversary, seen, 13, 80.0) == [*finish, (6, 7), (4, 5), (5, 5)]
    # on their way to the end they send four; the two that are left are those of sites 4 and 5, which stay
    assert ask(adversary, seen, 20 + 7 + 5 + 4, 140.0) == [store] * 4 + group


@pytest.mark.parametrize(("step", "kept"), [(8.2, False), (8.28, True)])
def test_noise_is_weighed_by_hand(step: float, kept: bool) -> None:
    """Of 4 parked sites 2 are expected to have signalled, and 8 bits are needed for that: 5 of the store, the last one.

    The length of a phase, 6 + Laplace noise of scale 2, is 6.05 on average, with a variance of 8, that of the step
    is 1. So the bits are 8/9 of (6.05 / 8 + step), which is 8 where the step is 8.244.
    """
    adversary, seen = Trial(side="above", group=4, depth=0.5), view(sites=7, phase_length=6.0)
    ask(adversary, seen, 0)
    ask(adversary, seen, 60)
    plan = ask(adversary, seen, 13, 20 + 10 * step)
    finish = [(site, 5) for site in range(4)]
    assert plan[:4] == finish if not kept else plan[0] == (6, 7)


def test_a_new_round_begins_where_the_output_is_the_count() -> None:
    adversary, seen = Trial(depth=0.5), view(phases=2)
    ask(adversary, seen, 0)
    ask(adversary, seen, 28, 50.0)
    # the second phase is the last; the poll shows 20 + 28 + 33 items, and the next blocks have half of that
    assert ask(adversary, seen, 33, 81.0)[:3] == [(4, 40), (4, 40), (0, 20)]


HAND = {"phases": 30, "phase_length": 0.1, "epsilon": 4, "counter_share": 0.8, "budget": 2, "shift": -9, "blocks": 9}


@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("noisy", [False, True])
def test_what_it_takes_its_sites_for(side: Any, noisy: bool) -> None:
    """Without noise every site parked below has not signalled in its block; with noise that is only likely.

    Above, noise or not, a site that is kept has signalled: the output moved with its item. Power: at three quarters of
    a block none of over 20 sites has signalled by chance with probability 1e-12.
    """
    protocol = Robust(alpha=0.01, parameters=HAND)
    victim = protocol if noisy else broken(protocol, "no-noise")
    game = play(victim, Told(side=side), sites=64, items=15_000, start=200_000, seed=5, record=True)
    assert game.rounds == 1
    found = FOUND[0]
    sent = np.bincount(game.transcript.loc[game.transcript["kind"] == "bit", "sender"].astype(int), minlength=64)
    busy = {*found.free, *found.finish, found.store, *(site for site, _, _ in found.runs)}
    left = [site for site in range(64) if site not in busy]
    assert len(left) > 20
    extra = [int(sent[site]) - found.fed[site] // found.size for site in left]
    if side == "above":
        assert set(extra) == {1}
    else:
        assert (1 in extra) is noisy
        assert max(extra) <= 1


def test_a_block_size_told_ahead_is_read_off_the_first_output() -> None:
    """Tight constants: the poll told an estimate, and the first output of the round gives away which.

    256 sites, a round begun with a million items exactly and with blocks for 1.2 % fewer: the shift is larger by what
    is left of the error. An output that is no first one leaves the round as it is.
    """
    protocol, total = Robust(alpha=0.1, parameters="tight"), 10**6
    adversary = Told()
    seen = View(sites=256, items=10**9, start=total // 2, known=protocol.known(256), rng=np.random.default_rng(0))
    seen.record(output=float(seen.start))
    adversary.plan(seen)
    first = FOUND[0]
    of = protocol.constants(256, 2)
    size = protocol.block_size(256, 2, round(0.988 * total))
    assert size < protocol.block_size(256, 2, total)
    seen.record(sent=total // 2, steps=total // 2, changes=1)
    for output in (total * 1.003, total + size * of.fitted(0.1 * total / size).shift):
        assert FOUND[0] is first
        adversary._round.runs = [(0, total, Role.WHOLE)]  # type: ignore[union-attr]
        adversary._round.exact = False  # type: ignore[union-attr]
        seen.record(output=output)
        adversary.plan(seen)
    assert FOUND[0] is not first
    assert FOUND[0].size == size
    assert FOUND[0].of == of.fitted(0.1 * total / size)


@pytest.mark.parametrize("sites", [2, 5, 32])
@pytest.mark.parametrize("parameters", ["paper", "tight"])
def test_trial_bears_rounds_of_few_items(sites: int, parameters: str) -> None:
    for side, group in product(("below", "above"), (0, 1, 4)):
        protocol = Robust(alpha=0.3, delta=0.5, parameters=parameters)
        game = play(protocol, Trial(side=side, group=group), sites=sites, items=1_000, start=20_000)  # type: ignore[arg-type]
        assert game.items == 1_000
        assert game.rounds > 0
