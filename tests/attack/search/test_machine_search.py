"""The search for the worst machine: no table is left out or listed twice, and the winner is measured in fresh games."""

from __future__ import annotations

from itertools import permutations, product
from types import SimpleNamespace
from typing import Any

import pytest

from disttrack.adversaries.adaptive import rows_of
from disttrack.attack.search.policy_search import attack_with_memory, tables
from disttrack.protocols import Deterministic, Randomized

SIZE: dict[str, Any] = {"sites": 8, "items": 300}
Table = tuple[tuple[int, int], ...]


def reached(table: Table) -> set[int]:
    """Return the states that the first one leads to."""
    states = {0}
    while more := {target for state in states for target in table[state]} - states:
        states |= more
    return states


def renamed(table: Table, names: tuple[int, ...]) -> Table:
    rows = dict(zip(names, table, strict=True))
    return tuple((names[rows[state][0]], names[rows[state][1]]) for state in range(len(table)))


@pytest.mark.parametrize("states", [1, 2, 3])
def test_every_table_is_listed_once_up_to_the_names_of_its_states(states: int) -> None:
    """Compared with all tables, of which those with states never reached are machines with fewer."""
    listed = [tuple(rows_of(text)) for text in tables(states)]
    names = [(0, *rest) for rest in permutations(range(1, states))]
    classes = [{renamed(table, name) for name in names} for table in listed]
    every = {
        table for table in product(product(range(states), repeat=2), repeat=states) if len(reached(table)) == states
    }
    assert set().union(*classes) == every
    assert sum(map(len, classes)) == len(every)


def test_up_to_two_bits_every_table_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """5,477 tables, and the winner is the strongest of all: here the one that changes states most often."""
    played: list[str] = []

    def game(protocol: Any, machine: Any, **options: Any) -> Any:
        played.append(machine.table)
        strength = sum(state not in row for state, row in enumerate(rows_of(machine.table)))
        return SimpleNamespace(verdict="ok" if strength < 4 else "failed", max_rel_error=strength)

    monkeypatch.setattr("disttrack.attack.search.policy_search.play", game)
    result = attack_with_memory(Randomized(alpha=0.1), memory=2, **SIZE, budget=7303, seed=1)
    assert {table for states in (1, 2, 3, 4) for table in tables(states)} <= set(played)
    assert len(set(played)) >= 5477
    assert len(played) == result.games <= 7303
    assert result.strength == 4
    assert result.broken == 1
    assert result.policy.memory == 2


def test_more_bits_are_searched_from_the_known_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """By small changes: in games whose error is the number of entries 7 of 16, it rises from 2 to 8 at least."""

    def game(protocol: Any, machine: Any, **options: Any) -> Any:
        return SimpleNamespace(verdict="ok", max_rel_error=machine.table.count("7"))

    monkeypatch.setattr("disttrack.attack.search.policy_search.play", game)
    result = attack_with_memory(Randomized(alpha=0.1), memory=3, **SIZE, budget=1000, seed=1)
    assert len(rows_of(result.policy.table)) == 8
    assert result.strength >= 8


def test_one_site_needs_no_memory() -> None:
    """In a game of one site the machine has one state, whatever its bits."""
    result = attack_with_memory(Deterministic(alpha=0.2), memory=3, sites=1, items=100, budget=100)
    assert result.policy.table == "0/0"
