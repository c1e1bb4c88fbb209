"""The game as a Gymnasium environment: a learner in the adversary's place (``pip install 'disttrack[gym]'``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from disttrack.attack.learners.compiled_games import games_of
from disttrack.attack.learners.games import Games, Known, Sizes
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.experiments.results.formats import number, percent
from disttrack.simulator.game.play import check_game
from disttrack.simulator.game.sides import as_protocol, check_power
from disttrack.simulator.kinds.names import count

Observation = npt.NDArray[np.float32]
_RUNNING: Final = ("_games", "_place", "_only", "_actions")
"""Attributes that depend on the other games."""


class DistributedCount(gymnasium.Env[Observation, np.int64]):
    """Distributed counting, played by a learner that feeds the sites.

    An action is a site's number, or k to skip. The site is given `burst` items, or fewer if before
    that the learner sees something new: a change of the output or, with greater power, a message. So nothing is
    decided without what is known by then, and `burst` only says how long the learner looks away.

    The observation is what the declared power sees, as numbers: the share of the items sent; the relative error of the
    output (the learner knows both output and count); the steps since the output last changed, as log(1 + s) over
    log(1 + items); whether it has changed with this action; and for each site its share of the items sent. With
    `traffic`, for each site also the steps since it last sent a message (in the same unit, 1 if it never
    has) and whether it sent one with this action; with `state`, also the items until its threshold, over the items of
    the game, -1 where it has none or none that may be seen.

    A copy (`copy.deepcopy`, pickle) plays the same game on: the moves so far are played again for it.

    The reward is how much the largest relative error so far has grown, so that an episode's return is the game's
    largest relative error. The episode ends when all items are sent, and is cut off after
    10 (items + 1) actions.

    Parameters
    ----------
    protocol
        What the sites and the server do, as for `play`: an object, a text or an entry of a scenario.
    sites, items, start
        The game's size, as for `play`.
    sees
        outputs, traffic or state.
    burst
        Most items of an action.
    render_mode
        'ansi': `render` returns the state of the game as a few lines of text.

    Examples
    --------
    >>> from disttrack.protocols import Randomized
    >>> game = DistributedCount(Randomized(alpha=0.1), sites=4, items=2_000_000)
    >>> observation, information = game.reset(seed=1)
    >>> observation.shape, int(game.action_space.n)
    ((8,), 5)
    >>> observation, reward, terminated, truncated, information = game.step(2)
    >>> information["items"]
    1
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        protocol: Protocol | Mapping[str, object] | str,
        *,
        sites: int,
        items: int,
        start: int = 0,
        sees: str = "outputs",
        burst: int = 1,
        render_mode: str | None = None,
    ) -> None:
        protocol = as_protocol(protocol)
        sites, items, _, start = check_game(protocol, sites, items, 0, start)
        if isinstance(protocol, ItemTracker):
            raise TypeError(f"protocol must count; {protocol.kind} tracks items, which no action chooses")
        for name, value in (("items", items), ("burst", burst)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}")
        check_power(sees)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be 'ansi' or left out; got {render_mode!r}")
        self.render_mode = render_mode
        self._sizes = Sizes(protocol, sites, items, start, sees, int(burst))
        self.action_space = spaces.Discrete(sites + 1)
        low, high = self._sizes.observed
        self.observation_space = spaces.Box(np.array(low, np.float32), np.array(high, np.float32))
        self._games: Games | None = None
        self._place = 0
        self._seed: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game; its random streams follow from `seed`, or from those of the games before."""
        super().reset(seed=seed)
        self.begin()
        return self.games.seen[self._place].copy(), self.games.known(self._place).told()

    def begin(self) -> None:
        """Begin a new game that follows from the seed of the last `reset`."""
        self._seed = int(self.np_random.integers(2**53))
        self.games.begin(self._place, self._seed)

    @property
    def sizes(self) -> Sizes:
        """The arguments that say which game it is; another one takes another environment."""
        return self._sizes

    protocol = property(lambda self: self.sizes.protocol, doc="What the sites and the server do.")
    sites = property(lambda self: self.sizes.sites, doc="Number of sites.")
    items = property(lambda self: self.sizes.items, doc="Number of items.")
    start = property(lambda self: self.sizes.start, doc="Items before the first step.")
    sees = property(lambda self: self.sizes.sees, doc="The power of the learner.")
    burst = property(lambda self: self.sizes.burst, doc="Most items of an action.")

    @property
    def games(self) -> Games:
        """The games among which this one is played: alone, unless `put_among` others."""
        if self._games is None:
            self.put_among(games_of(self._sizes, 1), 0)
        assert self._games is not None
        return self._games

    def put_among(self, games: Games, place: int) -> None:
        """Play on as one of several games, which are played together."""
        played = self._played()
        self._games, self._place = games, place
        self._only = np.arange(len(games.seen)) == place
        self._actions = np.zeros(len(games.seen), dtype=np.int64)
        if played is not None:
            self._replay(*played)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the running game, which is its seed and its moves: a copy plays it again up to here."""
        kept = {name: value for name, value in vars(self).items() if name not in _RUNNING}
        return kept | {"played": self._played()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name != "played"})
        self._games, self._place = None, 0
        if state["played"] is not None:
            self._replay(*state["played"])

    def _played(self) -> tuple[list[int], Known] | None:
        """Return the moves of the game, and what is known after them; None if it has not begun."""
        if self._games is None or self._seed is None:
            return None
        return self._games.moves(self._place), self._games.known(self._place)

    def _replay(self, moves: Sequence[int], known: Known) -> None:
        """Play the same game again, up to where this is known."""
        assert self._seed is not None
        self.games.begin(self._place, self._seed)
        for site in moves:
            self._actions[self._place] = site
            self.games.act(self._actions, self._only)
        if self.games.known(self._place) != known:
            name = type(self.protocol).__name__
            raise gymnasium.error.Error(f"the game cannot be copied: {name} draws coins that no seed decides")

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Feed a site, or skip; see `DistributedCount` for what comes back."""
        games, place = self._games, self._place
        if games is None or self._seed is None or games.is_over(place):
            raise gymnasium.error.ResetNeeded("the episode is over, or has not begun: call reset()")
        self._actions[place] = self.site_of(action)
        games.act(self._actions, self._only)
        over, known = games.is_over(place), games.known(place)
        cut = not over and known.actions >= self._sizes.limit
        return games.seen[place].copy(), float(games.rewards[place]), over, cut, known.told()

    def site_of(self, action: Any) -> int:
        """Return the site that an action names, k to skip; ValueError if it is no whole number from 0 to k."""
        try:
            site = index(action.item() if isinstance(action, np.ndarray) and action.size == 1 else action)
        except TypeError:
            site = None
        if site is None or isinstance(action, bool | np.bool_):
            raise ValueError(f"action must be a whole number in 0 … {self.sites}; got {action!r}")
        if not 0 <= site <= self.sites:
            raise ValueError(f"action must be in 0 … {self.sites}; got {site}")
        return site

    def render(self) -> str | None:
        """Return what the learner knows as text, if the environment was made with ``render_mode="ansi"``."""
        if self.render_mode is None:
            return None
        if self._games is None or self._seed is None:
            raise gymnasium.error.ResetNeeded("there is nothing to render: call reset()")
        return "\n".join(picture(self._games.known(self._place), self._games.given[self._place], self.items))


MOST: Final = 64
"""Letters of the picture of sites; more sites share a letter."""
LEVELS: Final = "·▁▂▃▄▅▆▇█"


def picture(known: Known, given: object, items: int) -> list[str]:
    """Return the lines.

    Parameters
    ----------
    known
        What the learner knows.
    given
        Items that each site was given.
    items
        Of the whole game.
    """
    ago = known.steps - known.changed_at
    steps = "in this step" if ago == 0 else "a step ago" if ago == 1 else f"{count(ago, 'step')} ago"
    return [
        f"{number(known.items)} of {count(items, 'item')} sent in {count(known.steps, 'step')}",
        f"output {number(known.output)}, error {percent(known.error)}, largest {percent(known.largest_error)}",
        f"changed {count(known.changes, 'time')}" + (f", last {steps}" if known.changes else ""),
        f"items by site  {bars(given)}",
    ]


def bars(fed: object) -> str:
    """Return a letter per site, or per few neighbouring ones, as high as its share; a dot for none.

    >>> bars([0, 1, 4, 8])
    '·▁▄█'
    """
    values = np.asarray(fed, dtype=float)
    if len(values) > MOST:
        values = np.array([part.sum() for part in np.array_split(values, MOST)])
    most = values.max(initial=0.0)
    levels = np.ceil(values / most * (len(LEVELS) - 1)).astype(int) if most > 0 else np.zeros(len(values), dtype=int)
    return "".join(LEVELS[level] for level in levels)
