"""The outcome of a game."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.errors import without
from disttrack.simulator.game.columns import (
    NETWORK,
    OK,
    SENT,
    TRIAL_COLUMNS,
    UNDECIDED,
    Sent,
    Verdict,
    by_column,
    names,
)
from disttrack.simulator.game.face import Outcome
from disttrack.simulator.game.shortest import SECONDS, Again, Shortest, shorten

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.adversaries.replay import Turn

_ROW: Final = (*names(TRIAL_COLUMNS, "point", "game"), *NETWORK)


@dataclass(repr=False)
class Game(Outcome):
    """The outcome of a game.

    Attributes
    ----------
    protocol, adversary
        Their kinds.
    parameters
        Of each side, by these names, those that differ from the defaults of its class.
    sites, items, start
        Number of sites, of items actually sent, and of items counted before the first step.
    alpha
        The relative error promised; None if none is.
    lost_guarantee
        Why the protocol's class does not inherit the guarantee of the one that it extends; empty if it does.
    seed
        Root of all its random streams.
    engine, engine_reason
        The engine that played, and the reason for its choice.
    verdict, ok
        Whether the relative error stayed within alpha at every step; on a network, the lag-aware one after the warm-up.
        It is ok, failed, undecided, or error if a class of the user's ended the game.
    judged
        Whether any step was judged; if not, the verdict is undecided.
    why_undecided
        Why a verdict is undecided; empty for another one.
    max_rel_error, highest, lowest
        The largest relative error over all steps (also `max_error`); the largest and the smallest signed one. None in
        games that are not about the error of an output.
    first_failure
        Number of items (with `start`) at the first failing step; None if there was none.
    steps, first_failing_step
        Number of steps; the first failing one, None if there was none. Without skips, steps equal items.
    failing_fraction
        Failing steps over all steps; on a network, both are those of the lag-aware error.
    output_changes, rounds
        How often the output changed; rounds that the protocol began.
    messages, words, words_up, words_down, bits, broadcasts
        The cost, for both directions together unless stated otherwise. A broadcast is k messages.
    messages_of_site
        For each site, the numbers of messages that it sent and received.
    seconds
        Playing time.
    error
        The traceback if a class of the user's raised or exited; None otherwise.
    coins
        Whether the game may depend on chance; if not, it is the same for every seed.
    unsent
        Items that were not sent because the adversary ended the game.
    again
        Plays the same sides in a game of other sizes; None if it was played in another process, or is none of counts.
    listed_network
        The network with the faults of this game as a list in place of draws, as a scenario has it; None if nothing was
        recorded, or messages took no time.
    crossed
        The step in which the output first reached the level that was asked for, and the words by then; None if it never
        did, or none was.
    lost_rows
        The messages that never arrived, by their places in `transcript`; None as for `listed_network`.
    extra
        Further facts by name, which are attributes too. Of the network: `max_lag_error` and `max_lag`, the largest
        lag-aware error after the warm-up, and the largest number of steps that a window went back (without a network
        the largest relative error, and 0); `messages_link`, `words_link` and `link_factor`, the cost added by
        reliable links, and the factor by which they increase the words; `lost`, messages that were not received;
        `restarts`, stops of a site or the server. Those of the protocol's server (`Server.extra`), as `leaked`, and
        of the task.
    """

    protocol: str
    adversary: str
    sites: int
    items: int = 0
    start: int = 0
    alpha: float | None = None
    seed: int = 0
    engine: str = ""
    engine_reason: str = ""
    verdict: Verdict = UNDECIDED
    max_rel_error: float | None = 0.0
    highest: float = 0.0
    lowest: float = 0.0
    first_failure: int | None = None
    failing_fraction: float = 0.0
    output_changes: int = 0
    rounds: int = 0
    messages: int = 0
    words: int = 0
    words_up: int = 0
    words_down: int = 0
    bits: int = 0
    broadcasts: int = 0
    seconds: float = 0.0
    error: str | None = None
    coins: bool = True
    judged: bool = True
    steps: int = 0
    first_failing_step: int | None = None
    unsent: int = 0
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    messages_of_site: tuple[list[int], list[int]] = field(default=([], []), repr=False)
    _kinds: list[Sent] = field(default_factory=list, repr=False)
    _timeline: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    _transcript: list[tuple[Any, ...]] | None = field(default=None, repr=False)
    _outputs: list[tuple[int, Any]] | None = field(default=None, repr=False)
    crossed: tuple[int, int] | None = field(default=None, repr=False)
    _turns: list[Turn] | None = field(default=None, repr=False)
    listed_network: dict[str, Any] | None = field(default=None, repr=False)
    lost_rows: list[int] | None = field(default=None, repr=False)
    lost_guarantee: str = field(default="", repr=False)
    why_undecided: str = field(default="", repr=False)
    again: Again | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "again": None}  # it may hold functions of the user's, which do not survive pickling

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["extra"][name]
        except KeyError:
            names = {*dir(type(self)), *self.__dict__, *self.__dict__.get("extra", ())}
            message = without(f"a game of {self.__dict__.get('protocol')}", name, names)
            raise AttributeError(message, name=name, obj=self) from None

    @property
    def ok(self) -> bool:
        """Whether the verdict is ok."""
        return self.verdict == OK

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """One row per kind and direction of messages: kind, direction, messages, words, bits."""
        return _frame(self._kinds, *Sent._fields)

    @cached_property
    def series(self) -> pd.DataFrame:
        """One row per checkpoint: step, items, output, rel_error (signed), messages, words."""
        import pandas as pd

        return pd.DataFrame(self._timeline)

    def lists(self) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Return `series` and `kinds` as lists of plain values, without pandas: it takes longer than a short game."""
        return _plain(self._timeline), _plain(by_column(self._kinds))

    @cached_property
    def transcript(self) -> pd.DataFrame:
        """One row per message: step, sender, receiver (a site's number or "server"), kind, words, bits.

        Raises
        ------
        ValueError
            If the game was not played with ``record=True``.
        """
        return _frame(self._transcript, "step", "sender", "receiver", "kind", "words", "bits")

    @cached_property
    def outputs(self) -> pd.DataFrame:
        """One row per change of the output: step, output. Only with ``record=True``."""
        return _frame(self._outputs, "step", "output")

    @cached_property
    def turns(self) -> pd.DataFrame:
        """One row per request to the adversary: step, sent, output, changes, and its plan (None: it continued).

        Only with ``record=True``.
        """
        return _frame(self._turns, "step", "sent", "output", "changes", "plan")

    @property
    def delayed(self) -> bool:
        """Whether messages took time, so that the verdict is on the lag-aware error."""
        return bool(self.extra.get("max_lag"))

    def shortest(self, *, fixed: bool = False, seconds: float = SECONDS) -> Shortest:
        """Return the shortest failing game of the same sides that can be found within some seconds.

        Fewest items, then sites, then moves. Where chance has a part other seeds are tried too: the result is a fact
        about its seed, and states how many other seeds fail.

        Parameters
        ----------
        fixed
            Whether the moves become a fixed list, which is shortened too; otherwise the adversary plays.
        seconds
            Processor time for the search, on the clock at most half as much again; a game once begun is played on.

        Raises
        ------
        ValueError
            The game did not fail, is no game of counts, or was played in another process.
        """
        if self.again is None:
            raise ValueError("only a game of counts, of this process, has shorter ones")
        return shorten(self, self.again, fixed=fixed, seconds=seconds)

    @property
    def facts(self) -> dict[str, Any]:
        """The game's columns of trials.csv, by name."""
        return {**self.row(), "unsent": self.unsent}

    def row(self) -> dict[str, Any]:
        """Return the game's columns of trials.csv, with those of networks at the end."""
        return {name: getattr(self, name) for name in _ROW}


def _frame(rows: list[Any] | None, *columns: str) -> pd.DataFrame:
    """Return rows that a game has kept as a table; ValueError if it was not recorded."""
    if rows is None:
        raise ValueError("not recorded: play with record=True")
    import pandas as pd

    return pd.DataFrame(rows, columns=list(columns))


def counted_in(game: Game) -> dict[str, Any]:
    """Return in what games by all engines agree: what was sent, also by kind and direction, and every plain value.

    A fact of a task may also be an object, which equals itself only.
    """
    kinds = Counter[str]()
    for row in game._kinds:
        for column in Sent._fields[2:]:
            kinds[f"{column} of {row.kind} {row.direction}"] += getattr(row, column)
    sent = {name: getattr(game, name) for name in SENT}
    facts = {**sent, **kinds, **game.row(), **game.extra, "lowest": game.lowest, "highest": game.highest}
    plain = {name: value for name, value in facts.items() if isinstance(value, str | int | float)}
    return {name: value for name, value in plain.items() if name not in ("engine", "seconds") and value == value}


def _plain(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return columns with the values that a DataFrame would give: a column of several types takes one of them."""
    types = {name: set(map(type, values)) for name, values in columns.items()}
    if all(len(one) < 2 and one <= {int, float, str} for one in types.values()):
        return columns
    import pandas as pd

    table = pd.DataFrame(columns)
    return {name: table[name].tolist() for name in columns}
