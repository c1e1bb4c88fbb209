"""Tokens of a site come back as plain fractions say, and the moment that it states is that of trying."""

from __future__ import annotations

import random
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np

from disttrack.fleet.quotas import BucketLease, SlidingLease
from disttrack.protocols.base import Message


class Plain:
    """What the tokens of a site lack: each charge of a sliding limit for its time, a bucket by its rate.

    Attributes
    ----------
    full
        How often a bucket was full with a part of a token to come.
    """

    def __init__(self, rule: Any) -> None:
        self.rule, self.slot, self.full = rule, 0, 0
        self.charges: list[tuple[int, int]] = []
        self.lacking = self.before = 0
        self.part = Fraction(0)
        """Of a bucket, what it lacked when the slot began, and the part of a token that has come."""

    def take(self, cost: int) -> None:
        self.charges.append((self.slot, cost))
        self.lacking += cost

    def turn(self, tokens: int) -> None:
        """Begin a slot, after one that has begun with this number of tokens."""
        self.slot += 1
        if self.rule.shape == "sliding":
            self.charges = [one for one in self.charges if one[0] + self.rule.rest > self.slot]
            self.lacking = sum(cost for _, cost in self.charges)
            return
        self.part += Fraction(tokens * self.rule.period * self.rule.limit, self.rule.window * self.rule.depth)
        come = min(int(self.part), self.before)
        self.lacking -= come
        self.full += come == self.before and self.part != come
        self.part = Fraction(0) if come == self.before else self.part - come
        self.before = self.lacking

    def turns_until(self, less: int, now: int, later: int) -> int:
        """Return after how many turns this much less is lacking, with the tokens of this slot and of later ones."""
        ahead, turns = deepcopy(self), 0
        while self.lacking - ahead.lacking < less:
            ahead.turn(later if turns else now)
            turns += 1
        return turns


def drawn(number: int) -> Any:
    """Return a drawn quota by tokens."""
    rng = random.Random(number)
    given = {"limit": rng.choice([3, 7, 20]), "window": rng.choice([11, 30, 64]), "slots": rng.choice([1, 4, 16, 100])}
    return SlidingLease(**given) if number % 2 else BucketLease(**given, depth=rng.choice([5, 20, 33]))


def play(number: int, happened: Counter[str]) -> None:
    """Hold a site whose messages are answered, and which gains tokens within slots, against fractions."""
    rng, rule = random.Random(number), drawn(number)
    (site,) = rule.sites(1, np.random.default_rng(1))
    plain, begun = Plain(rule), 0
    for _ in range(120):
        match rng.choice(["take", "take", "take", "state", "turn", "turn", "rest", "gain"]):
            case "take" if site.left > 0:
                site.take(1)
                plain.take(1)
            case "state" if plain.lacking:
                less = rng.randint(1, plain.lacking)
                turns = plain.turns_until(less, begun, site.tokens)
                assert site.turns_until(site.left + less) == turns, number
                happened["stated after a gain"] += turns > 1 and site.tokens > begun
            case "gain" if site.tokens < rule.pool:
                more = min(rule.pool, site.tokens + rng.randint(1, 3))
                site.hear(Message("grant", (site.window, 1, 0, site.window, more, False)))
                happened["gained while some lacked"] += plain.before > 0
            case "turn" | "rest" as kind:
                for _ in range(rng.randint(2, 20) if kind == "rest" else 1):
                    plain.turn(begun)
                    site.turn()
                    site.hear(Message("grant", (site.window, 1, 0, site.window, site.tokens, False)))
                    begun = site.tokens
        assert site.left == site.tokens - plain.lacking, number
    happened["full with a part to come"] += plain.full


def test_tokens_rest_as_fractions_say_and_as_long_as_the_site_states() -> None:
    """In the slot in which a token comes it fills nothing; a full bucket keeps no part; both shapes in turn."""
    happened: Counter[str] = Counter()
    for number in range(24):
        play(number, happened)
    least = {"stated after a gain": 20, "gained while some lacked": 20, "full with a part to come": 50}
    assert {name: happened[name] for name, times in least.items() if happened[name] < times} == {}
