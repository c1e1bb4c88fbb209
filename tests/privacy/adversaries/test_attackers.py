"""Who attacks sketches: each as it is described, against scripted estimates; and what all have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.privacy.adversaries import RESET, AmsAttack, Attacker, CoverAttack, QuietItems, StreamView, UnsortedItems
from disttrack.privacy.tasks.sketching.task import FrequencyTask

ATTACKERS = {name: kind.load() for name, kind in FrequencyTask.kinds("adversary").items()}


def view_of(updates: int = 1000, **known: Any) -> StreamView:
    return StreamView(updates=updates, rng=np.random.default_rng(1), known=known)


def moves(attacker: Attacker, estimates: Any, view: StreamView, number: int) -> list[Any]:
    """Play an attacker against estimates that a function of the moves so far gives."""
    made: list[Any] = []
    for _ in range(number):
        move = attacker.move(view)
        if move is None:
            break
        made.append(move)
        view.record(steps=view.steps + 1)
        view.record(output=estimates(made))
    return made


@pytest.mark.parametrize("name", ATTACKERS)
def test_every_attacker_says_what_it_is_and_makes_moves(name: str) -> None:
    attacker = ATTACKERS[name]()
    assert attacker.kind == name
    assert attacker.source
    made = moves(attacker, lambda made: float(len(made) // 7), view_of(rows=16), 200)
    # estimates that only rise show the cover attack nothing that they need: it gives up when it has tried all items
    assert len(made) == 200 or name == "cover-attack"
    assert len(made) >= 10
    resets = "resettable-sum" in attacker.plays
    assert all(move == RESET or (move[0] >= 0 and (resets or move[1] != 0)) for move in made)
    again = moves(ATTACKERS[name](), lambda made: float(len(made) // 7), view_of(rows=16), 200)
    assert made == again


def test_the_attack_takes_back_what_raises_the_estimate() -> None:
    attack = AmsAttack(constant=2.0, rows=16)
    # item 1 raises the estimate, item 2 lowers it, item 3 leaves it
    script = iter([64.0, 65.0, 64.0, 60.0, 60.0, 61.0])
    assert moves(attack, lambda made: next(script), view_of(), 6) == [(0, 8), (1, 1), (1, -1), (2, 1), (3, 1), (4, 1)]


def test_pulses_before_each_look_at_the_estimate() -> None:
    """The item's weight is doubled once more fresh items are kept than its square."""
    attack = AmsAttack(constant=1.0, rows=1, pulses=1)
    pulse = [(0, 1), (0, -1)]
    made = moves(attack, lambda made: 1.0, view_of(), 15)
    assert made == [(0, 1), *pulse, (1, 1), *pulse, *pulse, (2, 1), *pulse, (0, 1), (0, 2), (0, -2), (3, 1)]
    attack = AmsAttack(constant=1.0, rows=1, pulses=1)
    risen = iter([1.0, 9.0, 2.0, 9.0, 9.0, 3.0, 9.0])  # after a pulse 2, with the item 3: it is taken back
    assert moves(attack, lambda made: next(risen), view_of(), 7)[-1] == (1, -1)


def test_the_cover_is_what_the_estimate_needs() -> None:
    """A sketch in which items 2 and 5 together cover the target: the attack finds them and feeds them on."""

    def least(made: list[tuple[int, int]]) -> float:
        counts = {item: sum(change for one, change in made if one == item) for item in (2, 5)}
        return float(min(counts.values()))

    made = moves(CoverAttack(), least, view_of(), 40)
    assert made[:5] == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]
    assert {item for item, _ in made[-20:]} == {2, 5}
    assert least(made) > 5


def test_quiet_items_are_fed_all_in_one_stream() -> None:
    """A sketch that only odd items move: in the last stream the even ones come after the prefill."""

    def odd(made: list[tuple[int, int]]) -> float:
        begin = max((place for place, move in enumerate(made) if move == RESET), default=-1)
        return float(len({item for item, _ in made[begin + 1 :] if item % 2}))

    made = moves(QuietItems(prefill=4, window=6), odd, view_of(updates=60), 60)
    last = max(place for place, move in enumerate(made) if move == RESET)
    assert [item for item, _ in made[last + 1 : last + 5]] == [1, 2, 3, 4]
    assert made[last + 5 :]
    assert all(item % 2 == 0 for item, _ in made[last + 5 :])
    control = moves(UnsortedItems(prefill=4, window=6), odd, view_of(updates=60), 60)
    assert any(item % 2 for item, _ in control[max(p for p, move in enumerate(control) if move == RESET) + 5 :])
