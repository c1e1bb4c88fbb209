"""The search for the best table in a tiny game: a model of the game is learned from games, and solved.

The histories that a table distinguishes (`attack.adversaries.tabular`) are the states of a Markov decision process. Its
transitions are counted in games that mostly follow the best table so far, and the next table is the exact solution of
the process as counted, from the last item back to the first. A history that occurred seldom borrows from those that
look like it: the value of a move is that of `BORROWED` games by the present numbers and output alone, and of its own.

Source
------
certainty equivalence, as in Kearns, Singh 2002, with exploration by random moves; borrowing is derived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.replay import Moves, written
from disttrack.attack.adversaries.tabular import ONE, ROUNDING, Tabular, added
from disttrack.attack.learners.compiled_games import games_of
from disttrack.attack.learners.games import Games, Sizes
from disttrack.protocols.base import Protocol

TOGETHER: Final = 2048
"""Games played at the same time."""
ROUNDS: Final = 12
"""Times that the process is solved; as many games are played before each."""
RANDOM: Final = 1.0
"""Moves per game that do not follow the table, on average, to learn what else there is."""
BORROWED: Final = 20.0
"""Games of histories that look alike that count beside a history's own."""

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]


class Layer(NamedTuple):
    """The solved process after some items: keys in increasing order, and for each the values of the places to feed.

    `usual` is the place that would be fed without the key.
    """

    keys: Keys
    values: Reals
    usual: Integers

    def at(self, keys: Keys) -> tuple[npt.NDArray[np.bool_], Reals]:
        """Return for each key whether it is known, and the values of its places."""
        if not len(self.keys):  # every game had failed before
            return np.zeros(len(keys), dtype=np.bool_), np.zeros((len(keys), self.values.shape[1]))
        where = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return self.keys[where] == keys, self.values[where]


class Played(NamedTuple):
    """Games: before each item the digests of the history and of what is seen alone, the place and the site fed.

    `failed` is the number of the item of the first failure, from 0.
    """

    histories: Keys
    seen: Keys
    places: Integers
    sites: Integers
    failed: Integers


def learn(
    protocol: Protocol,
    *,
    sites: int,
    items: int,
    start: int,
    budget: int,
    rng: np.random.Generator,
    on_games: Callable[[int], None],
    oblivious: bool = False,
) -> Adversary:
    """Return the adversary that makes most games fail, learned in at most `budget` games: a table, or fixed moves.

    Parameters
    ----------
    protocol, sites, items, start
        The game.
    budget
        Games to play, at least `ROUNDS`.
    rng
        Draws the seeds of the games and the random moves.
    on_games
        Called with the number of games that have been played since it was last called.
    oblivious
        Hide the outputs: histories are those of the moves alone, and the best of them is a fixed sequence of sites.
    """
    sizes = Sizes(protocol, sites, items, start, "outputs", 1)
    together = max(1, min(TOGETHER, budget // ROUNDS))
    games = games_of(sizes, together)
    layers: list[tuple[Layer, Layer]] = []
    played: list[Played] = []
    for _ in range(ROUNDS):
        for _ in range(budget // (ROUNDS * together)):
            played.append(_play(games, sizes, layers, rng, RANDOM, oblivious))
            on_games(together)
        layers = _solved(Played(*map(np.concatenate, zip(*played, strict=True))), sites)
    if oblivious:
        best = _play(games, sizes, layers, rng, 0.0, oblivious).sites[0]
        return Moves(written((site, 1) for site in best.tolist()))
    return Tabular(table=_table(layers))


def _play(
    games: Games,
    sizes: Sizes,
    layers: list[tuple[Layer, Layer]],
    rng: np.random.Generator,
    at_random: float,
    oblivious: bool,
) -> Played:
    """Play games by the solved process except for some moves, and at random where there is none."""
    number, k, items = len(games.rewards), sizes.sites, sizes.items
    alpha = float(sizes.protocol.accuracy or 0.0)
    everyone, index = np.ones(number, dtype=np.bool_), np.arange(number)
    for game, seed in enumerate(rng.integers(2**53, size=number).tolist()):
        games.begin(game, seed)
    exact, history = everyone.copy(), np.zeros(number, dtype=np.uint64)
    rows, order = np.zeros((number, k), dtype=np.int64), np.tile(np.arange(k), (number, 1))
    histories, seen = (np.zeros((number, items), dtype=np.uint64) for _ in range(2))
    places, fed = (np.zeros((number, items), dtype=np.int64) for _ in range(2))
    failed = np.full(number, items)
    output = np.full(number, float(sizes.start))
    for item in range(items):
        now = _digest(_lasts(output, alpha), rows)
        history = np.where(exact, now, history)
        place = rng.integers(k, size=number)
        if layers:
            follows = rng.random(number) >= at_random / items
            place = np.where(follows, _chosen(layers[item], history, now, place), place)
        histories[:, item], seen[:, item], places[:, item] = history, now, place
        fed[:, item] = order[index, place]
        games.act(fed[:, item].copy(), everyone)
        told, before = games.told(), output
        output = output if oblivious else told["output"]
        exact &= output == sizes.start + item + 1
        history = added(added(history, place.astype(np.uint64)), _lasts(output, alpha))
        row = rows[index, place] + ONE
        rows[index, place] = np.where(output == before, row + 1, row // ONE * ONE)
        by_rows = np.argsort(rows, axis=1, kind="stable")
        rows, order = (np.take_along_axis(one, by_rows, axis=1) for one in (rows, order))
        failed = np.where((failed == items) & (told["largest_error"] > alpha * (1 + ROUNDING)), item, failed)
    return Played(histories, seen, places, fed, failed)


def _lasts(outputs: Reals, alpha: float) -> Keys:
    """Return `attack.adversaries.tabular.lasts` of each output."""
    return np.floor(outputs / (1 - alpha) + ROUNDING).astype(np.int64).astype(np.uint64)


def _digest(until: Keys, rows: Integers) -> Keys:
    """Return the digest of what is seen in each game."""
    keys: Keys = added(np.zeros_like(until), until)
    for column in rows.T:
        keys = added(keys, column.astype(np.uint64))
    return keys


def _chosen(layers: tuple[Layer, Layer], histories: Keys, seen: Keys, otherwise: Integers) -> Integers:
    """Return the best place in each game: by its history, else by what is seen, else a given one."""
    for layer, keys in zip(layers[::-1], (seen, histories), strict=True):
        known, values = layer.at(keys)
        otherwise = np.where(known, values.argmax(axis=1), otherwise)
    return otherwise


def _solved(played: Played, sites: int) -> list[tuple[Layer, Layer]]:
    """Return the values of the process as counted, after each number of items: by history, and by what is seen."""
    items = played.places.shape[1]
    layers: list[tuple[Layer, Layer]] = []
    for item in range(items - 1, -1, -1):
        alive = played.failed >= item
        histories, seen, places = (one[alive, item] for one in played[:3])
        value = (played.failed[alive] == item).astype(float)
        if layers:
            known, values = layers[-1][0].at(played.histories[alive, item + 1])
            value = np.where(value == 1, 1.0, known * values.max(axis=1))
        nothing = np.zeros((len(seen), sites))
        alike = _layer(seen, places, value, nothing, 1.0)  # of one imaginary game that does not fail
        layers.append((_layer(histories, places, value, alike.at(seen)[1], BORROWED), alike))
    return layers[::-1]


def _layer(keys: Keys, places: Integers, value: Reals, prior: Reals, weight: float) -> Layer:
    """Return the mean value of each place by key, with a prior mean that counts as some games."""
    own, first, row = np.unique(keys, return_index=True, return_inverse=True)
    sites = prior.shape[1]
    pairs = row * sites + places
    count, total = (np.bincount(pairs, of, minlength=len(own) * sites).reshape(-1, sites) for of in (None, value))
    usual = prior[first]
    return Layer(own, (total + weight * usual) / (count + weight), usual.argmax(axis=1))


def _table(layers: list[tuple[Layer, Layer]]) -> dict[str, int]:
    """Return the places by the digests that change the move."""
    table: dict[int, int] = {}
    for layer in (one for both in layers for one in both[::-1]):
        best = layer.values.argmax(axis=1)
        other = best != layer.usual
        table.update(zip(layer.keys[other].tolist(), best[other].tolist(), strict=True))
    return {f"{key:016x}": place for key, place in table.items()}
