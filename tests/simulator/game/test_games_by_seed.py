"""Games of two sides by their seeds are those of `play`, one by one: nothing goes over from a game to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from core_kinds import core_kinds

from disttrack.adversaries import Adversary, Freeze, Replay, Uniform
from disttrack.protocols import Block, Martingale, Protocol, Randomized, Robust
from disttrack.protocols.sampling.kernel import INVERSE, SamplingForm
from disttrack.simulator import Game, ScenarioError, play
from disttrack.simulator.game.play import Games
from disttrack.simulator.game.tasks.tracking import Count, record_of
from disttrack.simulator.kinds.registry import parameters

pytest.importorskip("numba")

SEEDS = (3, 4, 3, 2**53 - 1, 0)
SIZES: list[dict[str, int]] = [
    {"sites": 4, "items": 200},
    {"sites": 1, "items": 1},
    {"sites": 7, "items": 1000, "start": 300},
    {"sites": 3, "items": 0},
]


def trackers() -> list[Protocol]:
    """Return a tracker of each kind of the core that counts, with its usual parameters."""
    kinds = [kind.load() for kind in core_kinds("protocol").values()]
    counts = [kind for kind in kinds if issubclass(kind, Protocol) and not kind.plays]
    taken = [kind for kind in counts if {*parameters(kind)} & {"alpha"} or not parameters(kind)]
    return [kind(**dict.fromkeys({*parameters(kind)} & {"alpha"}, 0.1)) for kind in taken]


def rules() -> list[Adversary]:
    """Return an adversary of each kind of the core that needs nothing, chooses sites and sees outputs only."""
    made = []
    for kind in core_kinds("adversary").values():
        try:
            made.append(kind.load()())
        except (TypeError, ValueError):  # it reads a file, or its rule is given
            continue
    fit = [one for one in made if isinstance(one, Adversary) and one.sees == "outputs" and one.plays_in(Count.kind)]
    return [*fit, Replay(of="freeze")]


def facts(game: Game) -> dict[str, Any]:
    """Return all that is kept of a game, but its time."""
    record = record_of(game)
    row = {**record.row, "seconds": None}
    more = (record.engine_reason, record.error, record.coins, record.judged, game.parameters, game.messages_of_site)
    return {"row": row, "series": record.series, "kinds": record.kinds, "more": more, "first": game.first_failing_step}


def compared(protocol: Protocol, adversaries: Sequence[Adversary], sizes: Sequence[dict[str, int]]) -> Counter[str]:
    """Compare the games of seeds with games played alone; return how many there were of each engine, and were rare."""
    seen: Counter[str] = Counter()
    for adversary, size, engine in product(adversaries, sizes, ("compiled", "auto")):
        try:
            games = Games(protocol, adversary, engine=engine, **size)
        except ScenarioError:  # it has no compiled form
            continue
        for seed in SEEDS:
            game = games.play(seed)
            alone = play(protocol, adversary, engine=engine, seed=seed, on_error="record", **size)
            assert facts(game) == facts(alone)
            rare = {"broadcasts": game.broadcasts > 0, "rounds": game.rounds > 1, "failures": game.verdict == "failed"}
            seen.update([engine, *(name for name, there in rare.items() if there)])
    return seen


@pytest.mark.drawn(4)
@pytest.mark.slow
@pytest.mark.parametrize("protocol", trackers(), ids=lambda side: side.kind)
def test_a_seed_is_a_game_whichever_came_before(protocol: Protocol) -> None:
    adversaries = rules()
    assert len(adversaries) >= 15
    seen = compared(protocol, adversaries, SIZES)
    assert seen["auto"] == len(adversaries) * len(SIZES) * len(SEEDS)
    if type(protocol).kernel_form is not Protocol.kernel_form:
        assert seen["compiled"] == seen["auto"]


def test_arrays_are_renewed_whole() -> None:
    """Sampling, blocks, coins and private counters, with rounds, broadcasts and failures."""
    sampling, blocks = Randomized(alpha=0.1, confidence=0.3), Block(alpha=0.1, confidence=0.3)
    protocols = [sampling, blocks, Martingale(alpha=0.4), Robust(alpha=0.4, parameters="tight")]
    seen = sum((compared(one, [Freeze(), Uniform()], SIZES[:3]) for one in protocols), Counter[str]())
    assert min(seen[name] for name in ("broadcasts", "rounds", "failures")) >= 40, seen


def test_an_array_that_is_left_as_it_was_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    renew = SamplingForm.renew

    def forgetful(form: SamplingForm, rngs: Any) -> bool:
        before = form.whole.copy()
        renew(form, rngs)
        form.whole[INVERSE] = before[INVERSE]
        return True

    monkeypatch.setattr(SamplingForm, "renew", forgetful)
    with pytest.raises(AssertionError):
        compared(Randomized(alpha=0.3), [Uniform()], SIZES[2:3])
