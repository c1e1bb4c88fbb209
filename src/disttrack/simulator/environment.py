"""The game as a Gymnasium environment: a learner in the adversary's place (``pip install 'disttrack[gym]'``)."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.learned import LARGEST, observation, relative_error
from disttrack.adversaries.schedules import Burst, Rest, Schedule
from disttrack.adversaries.views import StateView, TrafficView
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator.game.consultation import LATER
from disttrack.simulator.game.engines import Leap
from disttrack.simulator.game.play import check_game
from disttrack.simulator.game.power import check_power
from disttrack.simulator.points.registry import find, make
from disttrack.simulator.results.formats import number, percent

PATIENCE: Final = 10
"""Actions per item after which an episode is cut off."""

Observation = npt.NDArray[np.float32]


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
    largest relative error. The episode ends when all items are sent, and is cut off after ten times as many
    actions as there are items.

    Parameters
    ----------
    protocol
        What the sites and the server do: an object, or a registered kind with its parameters as scenario files have
        them, ``{"kind": "robust", "alpha": 0.1}``.
    sites, items, start
        The game's size, as for `play`.
    sees
        outputs, traffic or state.
    burst
        Most items of an action.
    render_mode
        ``ansi``: `render` returns the state of the game as a few lines of text.

    Examples
    --------
    >>> from disttrack.protocols import Randomized
    >>> game = DistributedCount(Randomized(alpha=0.1), sites=4, items=1000)
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
        if isinstance(protocol, type):
            raise TypeError(f"protocol must be an object: {protocol.__name__}(), with its parameters; got the class")
        protocol = protocol if isinstance(protocol, Protocol) else _made(protocol)
        check_game(protocol, sites, items, 0, start)
        if isinstance(protocol, ItemTracker):
            raise TypeError(f"protocol must count; {protocol.kind} tracks items, which no action chooses")
        for name, value in (("items", items), ("burst", burst)):
            if isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}")
        check_power(sees)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be 'ansi' or left out; got {render_mode!r}")
        self.render_mode = render_mode
        self.protocol, self.sites, self.items, self.start = protocol, sites, items, start
        self.sees, self.burst = sees, burst
        self.action_space = spaces.Discrete(sites + 1)
        low = [0.0, -1.0, 0.0, 0.0] + [0.0] * sites
        high = [1.0, LARGEST, 1.0, 1.0] + [1.0] * sites
        if sees != "outputs":
            low, high = low + [0.0] * (2 * sites), high + [1.0] * (2 * sites)
        if sees == "state":
            low, high = low + [-1.0] * sites, high + [LARGEST] * sites
        self.observation_space = spaces.Box(np.array(low, np.float32), np.array(high, np.float32))
        self._limit = PATIENCE * (items + 1)
        self._table: Table | None = None
        self._seed: int | None = None
        self._moves: list[int] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game; its random streams follow from `seed`, or from those of the games before."""
        super().reset(seed=seed)
        self._begin(int(self.np_random.integers(2**53)))
        return self._observe(), self._tell()

    def _begin(self, seed: int) -> None:
        """Begin the game of a seed."""
        size = {"sites": self.sites, "items": self.items, "start": self.start}
        self._table = Table(self.protocol, self.sees, **size, seed=seed)
        self._seed, self._moves = seed, []
        self._actions, self._largest = 0, 0.0
        self._fed = np.zeros(self.sites)
        self._seen = 0
        self._since = -1

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the running game, which is its seed and its moves: a copy plays it again up to here."""
        return {name: value for name, value in vars(self).items() if name != "_table"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._table = None
        if self._seed is None:
            return
        moves, before = self._moves, (self._largest, self._seen, self._since)
        self._begin(self._seed)
        for site in moves:
            self._take(site)
        if (self._largest, self._seen, self._since) != before:
            name = type(self.protocol).__name__
            raise gymnasium.error.Error(f"the game cannot be copied: {name} draws coins that no seed decides")

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Feed a site, or skip; see `DistributedCount` for what comes back."""
        table = self._table
        if table is None or table.over:
            raise gymnasium.error.ResetNeeded("the episode is over, or has not begun: call reset()")
        site = self._site(action)
        reward = self._take(site)
        cut = self._actions >= self._limit and not table.over
        return self._observe(), reward, table.over, cut, self._tell()

    def _site(self, action: Any) -> int:
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

    def _take(self, site: int) -> float:
        """Feed a site, or skip, and return the reward."""
        assert self._table is not None
        table, view = self._table, self._table.view
        before, self._since, self._seen = view.sent, view.steps, view.changes
        self._moves.append(site)
        table.advance(Rest(1) if site == self.sites else Burst(site, self.burst))
        if site < self.sites:
            self._fed[site] += view.sent - before
        self._actions += 1
        error = abs(relative_error(view))
        largest = max(self._largest, error, table.engine.referee.max_rel_error)
        reward = largest - self._largest if largest > self._largest else 0.0  # nothing is added to an infinite one
        self._largest = largest
        return float(reward)

    def render(self) -> str | None:
        """Return what the learner knows as text, if the environment was made with ``render_mode="ansi"``."""
        if self.render_mode is None:
            return None
        if self._table is None:
            raise gymnasium.error.ResetNeeded("there is nothing to render: call reset()")
        view = self._table.view
        return "\n".join(picture(view, self._fed, relative_error(view), self._largest, self.items))

    def _observe(self) -> Observation:
        assert self._table is not None
        view = self._table.view
        parts: list[Any] = [observation(view, self._fed, self._seen)]
        if isinstance(view, TrafficView):
            ago = np.log1p(view.steps - view.spoke_at) / np.log1p(max(1, self.items))
            parts += [np.where(view.spoken > 0, np.minimum(ago, 1.0), 1.0), view.spoke_at > max(0, self._since)]
        if isinstance(view, StateView):
            parts.append([_until(view.site(number), self.items) for number in range(self.sites)])
        seen = np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])
        space = self.observation_space
        assert isinstance(space, spaces.Box)
        clipped: Observation = np.clip(seen, space.low, space.high)
        return clipped

    def _tell(self) -> dict[str, Any]:
        assert self._table is not None
        view = self._table.view
        return {
            "items": view.sent,
            "output": float(view.output),
            "largest_error": self._largest,
            "messages": self._table.engine.ledger.messages,
        }


def _made(protocol: Mapping[str, Any] | str) -> Protocol:
    """Return a protocol by its kind and parameters."""
    entry = {"kind": protocol} if isinstance(protocol, str) else dict(protocol)
    kind = str(entry.pop("kind", ""))
    made: Protocol = make("protocol", find("protocol", kind), entry)
    return made


def _until(site: Any, items: int) -> float:
    """Return the items until a site's threshold over those of the game; -1 if none is shown."""
    try:
        return float(min(LARGEST, max(0.0, (site.due - site.count) / items)))
    except (AttributeError, TypeError):
        return -1.0


class _Learner(Adversary):
    """Stands where the adversary stands; its plans come from `DistributedCount.step`."""

    kind = "learner"

    def __init__(self, sees: str) -> None:
        self.sees = sees  # type: ignore[assignment, misc]
        self.next: Schedule = LATER
        self.waiting = True

    def plan(self, view: View) -> Schedule:
        plan, self.next = self.next, LATER
        self.waiting = plan is LATER
        return plan


class Table:
    """A game that stops whenever its adversary is asked, and goes on when it is given a plan.

    Parameters
    ----------
    protocol, sees
        What the sites and the server do, and what the learner sees.
    options
        Of the engine: sites, items, start, seed.
    """

    def __init__(self, protocol: Protocol, sees: str, **options: object) -> None:
        self._learner = _Learner(sees)
        self.engine = Leap(protocol, self._learner, **options)
        self._begun = False

    @property
    def view(self) -> View:
        """What the learner sees."""
        return self.engine.view

    @property
    def over(self) -> bool:
        """Whether the last step has been played."""
        return self.engine.over

    def advance(self, plan: Schedule) -> None:
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


MOST: Final = 64
"""Letters of the picture of sites; more sites share a letter."""
LEVELS: Final = "·▁▂▃▄▅▆▇█"


def picture(view: View, fed: object, error: float, largest: float, items: int) -> list[str]:
    """Return the lines.

    Parameters
    ----------
    view
        What the learner sees.
    fed
        Items that each site was given.
    error, largest
        The relative error now, with its sign, and the largest so far.
    items
        Of the whole game.
    """
    ago = view.steps - view.changed_at
    steps = "in this step" if ago == 0 else "a step ago" if ago == 1 else f"{number(ago)} steps ago"
    return [
        f"{number(view.sent)} of {number(items)} items sent in {number(view.steps)} steps",
        f"output {number(float(view.output))}, error {percent(error)}, largest {percent(largest)}",
        f"changed {number(view.changes)} times" + (f", last {steps}" if view.changes else ""),
        f"items by site  {bars(fed)}",
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
