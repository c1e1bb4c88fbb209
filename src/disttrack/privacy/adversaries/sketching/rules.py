"""Rules of attackers that look at every estimate, as arrays: their moves are made inside of compiled functions.

A rule is a plain function that is written to be compiled. The attacker's `script` is the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

OVER, PENDING, ITEM, CHANGE, COIN = range(5)
"""Of the whole numbers of a rule: whether it has ended, whether its move is not made yet, the move, the next coin."""
OUTPUT: Final = 0
"""Of its real numbers: the present estimate."""
PHASE, WEIGHT, KEPT, FRESH, PULSES, BURN, EACH = range(COIN + 1, COIN + 8)
"""Of `attack_ams`: what comes next, the weight of item 0, items kept and tried, pulses left, at first, at a look."""
OLD, UNTIL = 1, 2
"""The estimate before the present item, and the ratio to the truth at which it stops."""
BEGIN, TRY, ADD, DECIDE = range(4)


class Rule:
    """A rule and its state.

    Parameters
    ----------
    choose
        Takes the arrays of whole numbers, real numbers and coins, notes the next move, and returns whether there is
        one.
    whole, real
        Its numbers after those that all rules have.
    coins
        The generator of its coins, numbers from 0 to 1; None if it tosses none.
    """

    def __init__(
        self, choose: Callable[..., bool], whole: Sequence[int], real: Sequence[float], coins: Any = None
    ) -> None:
        self.choose, self._rng = choose, coins
        self.whole = np.array([0] * (COIN + 1) + [*whole], dtype=np.int64)
        self.real = np.array([0.0, *real])
        self._coins = np.empty(0)

    @property
    def over(self) -> bool:
        """Whether it has no further move."""
        return bool(self.whole[OVER])

    def arrays(self, moves: int) -> tuple[Any, Any, Any]:
        """Return its arrays, which have coins for this many moves, in the order in which the script tosses them."""
        if self._rng is not None:
            rest = self._coins[self.whole[COIN] :]
            self._coins = np.append(rest, self._rng.random(max(0, moves - len(rest))))
            self.whole[COIN] = 0
        return self.whole, self.real, self._coins


def choose(whole: Any, real: Any, coins: Any) -> bool:
    """Note the next move; return whether there is one. Stands for `Rule.choose`."""
    raise NotImplementedError


def answer(moves: Any, outputs: Any, keys: Any, counters: Any, sums: Any) -> int:
    """Make a move. Stands for the kernel of a sketch."""
    raise NotImplementedError


def react(moves: Any, outputs: Any, whole: Any, real: Any, coins: Any, keys: Any, counters: Any, sums: Any) -> int:
    """Make moves by a rule, each after the estimate before it; return their number, up to one that the sketch refuses.

    Parameters
    ----------
    moves, outputs
        Take the moves, a row of item and change each, and the estimate after each.
    whole, real, coins
        The arrays of the rule.
    keys, counters, sums
        The arrays of the sketch.
    """
    for number in range(len(moves)):
        if not whole[PENDING] and not choose(whole, real, coins):
            whole[OVER] = 1
            return number
        whole[PENDING] = 1
        moves[number, 0], moves[number, 1] = whole[ITEM], whole[CHANGE]
        if answer(moves[number : number + 1], outputs[number : number + 1], keys, counters, sums) == 0:
            return number
        whole[PENDING] = 0
        real[OUTPUT] = outputs[number]
    return len(moves)


def types(numba: Any) -> Any:
    """Return the types of the arguments of `react`."""
    whole, real = numba.int64, numba.float64
    return whole[:, ::1], real[::1], whole[::1], real[::1], real[::1], numba.uint64[::1], whole[::1], real[::1]


def attack_ams(whole: Any, real: Any, coins: Any) -> bool:
    """Note the next move of `AmsAttack`, and by coins that of its control."""
    whole[ITEM] = 0
    while True:
        if whole[PULSES] > 0:  # doubled and halved in turn
            whole[CHANGE] = whole[WEIGHT] if whole[PULSES] % 2 == 0 else -whole[WEIGHT]
            whole[PULSES] -= 1
            return True
        if whole[PHASE] == BEGIN:
            whole[PHASE], whole[CHANGE], whole[PULSES] = TRY, whole[WEIGHT], whole[BURN]
            return True
        if whole[PHASE] == TRY:
            square = whole[WEIGHT] ** 2
            if real[UNTIL] > 0 and real[OUTPUT] < real[UNTIL] * (square + whole[KEPT]):
                return False
            whole[PHASE], whole[PULSES] = ADD, whole[EACH]
            whole[FRESH] += 1
            if whole[EACH] > 0 and whole[KEPT] > square:
                whole[CHANGE] = whole[WEIGHT]
                whole[WEIGHT] *= 2
                return True
        elif whole[PHASE] == ADD:
            real[OLD] = real[OUTPUT]
            whole[PHASE], whole[PULSES] = DECIDE, whole[EACH]
            whole[ITEM], whole[CHANGE] = whole[FRESH], 1
            return True
        else:
            whole[PHASE] = TRY
            back = real[OUTPUT] > real[OLD]
            if len(coins) > 0:
                back = coins[whole[COIN]] < 0.5
                whole[COIN] += 1
            if back:
                whole[ITEM], whole[CHANGE] = whole[FRESH], -1
                return True
            whole[KEPT] += 1
