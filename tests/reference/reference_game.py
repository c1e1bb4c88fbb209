"""A game played item by item, for a second opinion: no clock, no schedules, no classes of the packages.

A protocol is a dict of functions: what a site does with an item (`item`), what it does with a message (`site`), what
the server does with one (`server`), and what the server shows (`output`). Messages are (kind, value, words).

Both sides take their random numbers from a `Tape`, in the order in which the algorithm needs them: a site draws what
concerns its next signal when it has just signalled, or when it has learnt of a change; sites that learn of something
at once do so in the order of their numbers.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from math import log, log1p
from typing import Any

EVERYBODY = None
"""The receiver of a broadcast."""

Rows = list[tuple[int, Any, Any, str, int]]


class Tape:
    """Random numbers that can be had again from the beginning, by the same seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rewind()

    def rewind(self) -> None:
        """Begin again."""
        self.random = random.Random(self.seed)
        self.taken = 0

    def uniform(self) -> float:
        """Return the next number in (0, 1]."""
        self.taken += 1
        return 1.0 - self.random.random()

    def gap(self, p: float) -> int:
        """Return the number of tosses until a coin of bias p falls: P(more than g) = (1 - p)^g."""
        u = self.uniform()
        return 1 if p == 1 else int(-log(u) * (-1 / log1p(-p))) + 1

    def falls(self, p: float) -> bool:
        """Return whether a coin of bias p falls at the next toss."""
        return self.gap(p) == 1

    def one_of(self, size: int) -> int:
        """Return one of 1, …, size."""
        return min(size, int(self.uniform() * size) + 1)

    def laplace(self, scale: float) -> float:
        """Return noise of density exp(-|x| / scale) / (2 scale)."""
        u = self.uniform()
        return scale * (log(2 * u) if u < 0.5 else -log(2 * (1 - u) or 1e-300))

    def gumbel(self) -> float:
        """Return noise that is below x with probability exp(-exp(-x))."""
        return -log(-log(self.uniform()) or 1e-300)


def played(
    game: dict[str, Callable[..., Any]], k: int, items: int, feed: Callable[[int, Any], int | None]
) -> tuple[Rows, list[Any]]:
    """Play a game and return its transcript and the output after each step, the one before the first included.

    `feed` is asked with the steps so far and the output for the site that gets an item, or None.
    """
    rows: Rows = []
    outputs = [game["output"]()]
    waiting: deque[tuple[str, int, Any]] = deque()

    def send(step: int, said: Iterable[tuple[int | None, tuple[str, Any, int]]]) -> None:
        for receiver, message in said:
            for site in range(k) if receiver is EVERYBODY else [receiver]:
                rows.append((step, "server", site, message[0], message[2]))
                waiting.append(("down", site, message))

    for step in range(1, items + 1):
        site = feed(step - 1, outputs[-1])
        if site is not None:
            said: list[Any] = []
            for message in game["item"](site):
                rows.append((step, site, "server", message[0], message[2]))
                said += game["server"](site, message)
            send(step, said)
        while waiting:
            way, who, message = waiting.popleft()
            if way == "up":
                send(step, game["server"](who, message))
                continue
            for answer in game["site"](who, message):
                rows.append((step, who, "server", answer[0], answer[2]))
                waiting.append(("up", who, answer))
        outputs.append(game["output"]())
    return rows, outputs


def round_robin(k: int) -> Callable[[int, Any], int]:
    """Return a feed that goes over the sites."""
    return lambda steps, output: steps % k


def freezing(k: int) -> Callable[[int, Any], int]:
    """Return a feed that stays on a site until the output has changed."""
    state: dict[str, Any] = {"site": 0, "output": None}

    def feed(steps: int, output: Any) -> int:
        if steps and output != state["output"]:
            state["site"] = (state["site"] + 1) % k
        state["output"] = output
        return int(state["site"])

    return feed


def at_random(k: int, seed: int) -> Callable[[int, Any], int | None]:
    """Return a feed of sites at random, some more often than others, with steps between that bring nothing."""
    numbers = random.Random(seed)
    chosen: list[int | None] = []

    def feed(steps: int, output: Any) -> int | None:
        while len(chosen) <= steps:
            site = min(numbers.randrange(k), numbers.randrange(k))
            chosen.append(None if numbers.random() < 0.1 else site)
        return chosen[steps]

    return feed
