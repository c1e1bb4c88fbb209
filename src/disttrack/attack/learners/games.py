"""Games that learners play action by action, and those that the engine `leap` plays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.adversaries.views import StateView, TrafficView
from disttrack.attack.adversaries.learned import LARGEST, error_of, observation, relative_error
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.consultation import LATER
from disttrack.simulator.game.engines import Leap

PATIENCE: Final = 10
"""Actions for each item, and for one more, after which a game is cut off."""


class Sizes(NamedTuple):
    """What all games have in common."""

    protocol: Protocol
    sites: int
    items: int
    start: int
    sees: str
    burst: int

    @property
    def limit(self) -> int:
        """Actions after which a game is cut off."""
        return PATIENCE * (self.items + 1)

    @property
    def observed(self) -> tuple[list[float], list[float]]:
        """Lowest and highest value of each number that is observed."""
        sites = self.sites
        low, high = [0.0, -1.0, 0.0, 0.0] + [0.0] * sites, [1.0, LARGEST, 1.0, 1.0] + [1.0] * sites
        if self.sees != "outputs":
            low, high = low + [0.0] * (2 * sites), high + [1.0] * (2 * sites)
        if self.sees == "state":
            low, high = low + [-1.0] * sites, high + [LARGEST] * sites
        return low, high


class Known(NamedTuple):
    """What is known of a game.

    Steps and items so far, the output, its changes and the step of the last one; the relative error now, with its
    sign, and the largest; messages and actions.
    """

    steps: int
    items: int
    output: float
    changes: int
    changed_at: int
    error: float
    largest_error: float
    messages: int
    actions: int

    def told(self) -> dict[str, object]:
        """Return what the environment tells beside the observation."""
        return {
            "items": self.items,
            "output": self.output,
            "largest_error": self.largest_error,
            "messages": self.messages,
        }


class Games(ABC):
    """Some games of the same sizes.

    Attributes
    ----------
    seen
        What each learner observes, a row per game.
    rewards
        The reward of the last action of each game.
    given
        Items that each site was given, a row per game.
    """

    seen: npt.NDArray[np.float32]
    rewards: npt.NDArray[np.float64]
    given: npt.NDArray[np.float64]

    @abstractmethod
    def begin(self, game: int, seed: int) -> None:
        """Begin a game anew."""

    @abstractmethod
    def act(self, actions: npt.NDArray[np.int64], playing: npt.NDArray[np.bool_]) -> None:
        """Play an action, a site or the number of sites to skip, in each of the games that are played."""

    @abstractmethod
    def known(self, game: int) -> Known:
        """Return what is known of a game."""

    def told(self) -> dict[str, npt.NDArray[Any]]:
        """Return what `Known.told` has of each game."""
        every = [self.known(game).told() for game in range(len(self.rewards))]
        return {name: np.array([one[name] for one in every]) for name in every[0]}

    @abstractmethod
    def moves(self, game: int) -> list[int]:
        """Return the actions of a game."""

    @abstractmethod
    def is_over(self, game: int) -> bool:
        """Return whether all items of a game have been sent."""


class LeapGames(Games):
    """Games of the engine `leap`, one after the other."""

    def __init__(self, sizes: Sizes, games: int) -> None:
        self._games: list[LeapGame] = [None] * games  # type: ignore[list-item] # until they begin
        self._sizes, self._bounds = sizes, np.array(sizes.observed, dtype=np.float32)
        self.given, self.rewards = np.zeros((games, sizes.sites)), np.zeros(games)
        self.seen = np.zeros((games, len(sizes.observed[0])), dtype=np.float32)

    def begin(self, game: int, seed: int) -> None:
        self._games[game] = LeapGame(self._sizes, seed)
        self.rewards[game] = 0.0
        self._look(game)

    def act(self, actions: npt.NDArray[np.int64], playing: npt.NDArray[np.bool_]) -> None:
        for game in np.flatnonzero(playing).tolist():
            self.rewards[game] = self._games[game].take(int(actions[game]))
            self._look(game)

    def _look(self, number: int) -> None:
        game = self._games[number]
        self.given[number], self.seen[number] = game.given, np.clip(game.observe(), *self._bounds)

    def known(self, game: int) -> Known:
        one = self._games[game]
        view = one.engine.view
        return Known(
            steps=view.steps,
            items=view.sent,
            output=float(view.output),
            changes=view.changes,
            changed_at=view.changed_at,
            error=relative_error(view),
            largest_error=one.largest,
            messages=one.engine.ledger.messages,
            actions=len(one.moves),
        )

    def moves(self, game: int) -> list[int]:
        return list(self._games[game].moves)

    def is_over(self, game: int) -> bool:
        return self._games[game].engine.over


class LeapGame:
    """One game of the engine `leap`, which stops whenever its adversary is asked; and what its learner has seen."""

    def __init__(self, sizes: Sizes, seed: int) -> None:
        self.sizes = sizes
        self._learner, self._begun = Learner(sizes.sees), False
        size = {"sites": sizes.sites, "items": sizes.items, "start": sizes.start}
        self.engine = Leap(sizes.protocol, self._learner, **size, seed=seed)
        self.engine.show(0, 0)
        self.given = np.zeros(sizes.sites)
        self.largest = 0.0
        self.moves: list[int] = []
        self._seen, self._since = 0, -1

    def take(self, site: int) -> float:
        """Feed a site, or skip, and return the reward."""
        view, sizes = self.engine.view, self.sizes
        sent, output = view.sent, view.output
        self.moves.append(site)
        self._since, self._seen = view.steps, view.changes
        self._advance(Rest(1) if site == sizes.sites else Burst(site, sizes.burst))
        error = abs(relative_error(view))
        if site < sizes.sites:
            self.given[site] += view.sent - sent
            if view.changes != self._seen and view.steps > 1:  # the action ends with the change
                error = max(error, abs(error_of(output, view.start + view.sent - 1)))
        largest = max(self.largest, error)
        reward = largest - self.largest if largest > self.largest else 0.0  # nothing is added to an infinite one
        self.largest = largest
        return float(reward)

    def _advance(self, plan: Schedule) -> None:
        """Play by this plan until it has run out or the adversary is asked for another reason."""
        engine, learner = self.engine, self._learner
        learner.next = plan
        engine.consult(engine.now)
        if not self._begun:
            self._begun = True
            engine.begin()
        while not (learner.waiting or engine.over):
            engine.env.step()
        if engine.over:
            last = engine.game_end
            engine.close(last)
            engine.show(last, engine.sent(last))

    def observe(self) -> npt.NDArray[np.float32]:
        """Return what the learner observes, before it is cut to the bounds."""
        view, items = self.engine.view, self.sizes.items
        parts: list[object] = [observation(view, self.given, self._seen)]
        if isinstance(view, TrafficView):
            ago = np.log1p(view.steps - view.spoke_at) / np.log1p(items)
            parts += [np.where(view.spoken > 0, np.minimum(ago, 1.0), 1.0), view.spoke_at > max(0, self._since)]
        if isinstance(view, StateView):
            parts.append([_until(view.site(number), items) for number in range(self.sizes.sites)])
        return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])


def _until(site: Any, items: int) -> float:
    """Return the items until a site's threshold over those of the game; -1 if none is shown."""
    try:
        return float(min(LARGEST, max(0.0, (site.due - site.count) / items)))
    except (AttributeError, TypeError):
        return -1.0


class Learner(Adversary):
    """Stands where the adversary stands; its plans are the learner's actions."""

    kind = "learner"

    def __init__(self, sees: str) -> None:
        self.sees = sees  # type: ignore[assignment, misc]
        self.next: Schedule = LATER
        self.waiting = True

    def plan(self, view: View) -> Schedule:
        plan, self.next = self.next, LATER
        self.waiting = plan is LATER
        return plan
