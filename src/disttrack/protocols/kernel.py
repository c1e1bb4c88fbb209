"""The state of a tracker as plain arrays, which the engine `compiled` plays: the layout, and what makes it.

A game is three arrays: whole numbers, real numbers, and a row of whole numbers for each site. The functions on them are
plain Python, written so that they can be compiled. They play the steps in which sites send messages that the server
only counts. What is rare, a broadcast or a poll with all that follows, is done by the `KernelForm`. Where messages take
time, the mail of `disttrack.protocols.letters` is a further argument, and its numbers are the first whole ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from disttrack.protocols.base import Message, Server
from disttrack.protocols.coins import OrderedCoins
from disttrack.protocols.letters import LETTERS, OF_GAME, VALUE, Mail, sends
from disttrack.protocols.letters import STEP as STEP

# ---- whole numbers
(
    # the engine's: items before the game, the last steps of game and plan, the step before a plan that is no burst
    START, LAST, END, BEGUN,
    # the plan's form, its site, its period, the present run of a list, of a rotation the end of the lap and
    # the turn whose next message has changed
    PLAN, SITE, PERIOD, RUN, LAP, SPOKE,
    # whether the present step is still to be judged; whether changes interest the adversary, and whether it is compiled
    OPEN, REACTS, MACHINE,
    # changes in the log and in all, the timeline's next row and its rows, its step or the last one, messages so
    # far and their words beyond one
    LOGGED, CHANGES, ROW, ROWS, STOP, MESSAGES, FURTHER,
    # whether the present output was no extreme at its first step: 2 if neither was the one before it at its last step,
    # and then it is not in the log, but began in this step
    DULL, DULL_AT,
    # where messages take time: the step since when the oldest chain is open, 0 for none, the changes of output or chain
    # that are noted, the site that goes on with what it sends, or -1, and the size of the numbers that it draws
    OLDEST, NOTED, SPEAKING, WANTED,
    # the tracker's: coins that must be there before a turn, the next coin, the number of coins; then what its own file
    # says
    TOSSES, COIN, COINS, OWN_WHOLE,
) = range(OF_GAME, OF_GAME + 30)  # fmt: skip

# ---- real numbers: the present output, the output judged last, the fraction by which outputs are multiplied, and the
# judge's extremes of outputs over items; then what the tracker's own file says; then the coins
OUTPUT, STANDING, NUMERATOR, DENOMINATOR, LEAST, HIGHEST, OWN_REAL = range(7)
COINS_AT: Final = OWN_REAL + 3

# ---- a site: its items, the number at which it sends its next message, the step of its last item in a rotation,
# messages sent; then what the tracker's own file says
COUNT, NEXT, SINCE, SENT, OWN = range(5)

# ---- what a turn of a site, or the engine's kernel, ends with
GO_ON, SERVE, ASK, REFILL, FULL, OVER, MORE = range(7)

# ---- whether the state of a site shows the count at which it sends its next message: not a coin of the future
HIDDEN, SHOWN, NEVER_DUE = range(3)

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]
Number = int | np.int64
Compiled = Callable[[Any], Any]

DOUBLE: Final = 2**53
"""The number up to which all whole numbers are real ones."""
MOST: Final = 2**50
"""Items up to which all numbers fit exactly, also as real ones: outputs may be several times too high."""
LARGEST: Final = 2**62
"""Limit of whole numbers."""


def next_coin(whole: Whole, real: Real) -> Any:
    """Return the next coin; the caller has made sure that there is one."""
    coin = real[COINS_AT + whole[COIN]]
    whole[COIN] += 1
    return coin


def post_up(whole: Whole, sites: Whole, mail: Mail, site: Number, kind: Number, value: Number) -> None:
    """Send a message of a site, of the kind that is counted in this place."""
    whole[kind] += 1
    whole[MESSAGES] += 1
    sites[site, SENT] += 1
    mail[LETTERS][sends(whole, mail, site, 1, kind), VALUE] = value


def post_down(whole: Whole, sites: Whole, mail: Mail, kind: Number, value: Number) -> None:
    """Send a message of one word to all sites."""
    whole[MESSAGES] += len(sites)
    for site in range(len(sites)):
        mail[LETTERS][sends(whole, mail, site, 0, kind), VALUE] = value


def unserved(whole: Whole, real: Real, sites: Whole) -> Any:
    """Leave to `serve` what the server does."""
    return SERVE


def unheard(whole: Whole, real: Real, sites: Whole, mail: Mail, letter: Whole) -> Any:
    """Take no letter: the server sends none."""
    return GO_ON


def unspoken(whole: Whole, real: Real, sites: Whole, mail: Mail, site: Number) -> Any:
    """Send nothing more: sites send all of their messages at once."""
    whole[SPEAKING] = -1
    return GO_ON


class KernelForm:
    """A tracker as arrays, with its server.

    Parameters
    ----------
    k
        Number of sites.
    coins
        The coins of the sites.
    most_coins
        Largest number of coins that are ever needed at once.
    more
        Further whole numbers, and twice as many of each site.

    Attributes
    ----------
    whole, real, sites
        The arrays.
    turn
        The function that lets a site send its messages, and the server hear them: it takes the arrays and the site, and
        returns GO_ON or SERVE.
    served
        The function that does what `serve` does to the arrays, or returns SERVE where that takes more than arrays.
    speaks, goes_on, server_hears, site_hears
        The functions of games in which messages take time, with the mail as an argument; a form without them plays none
        of these. `speaks` lets a site send its messages, and `goes_on` those that wait for room or coins, as long as
        SPEAKING is the site; the others let the server or a site take a letter. The last three return GO_ON, REFILL or
        MORE, and the first two of hearing SERVE where the server does more than arrays.
    messages
        Messages that sites send in the compiled part: one like each kind, and where it is counted in `whole`.
    further
        Kinds of messages some of which have more words, and where these further words are counted.
    scale
        The fraction by which outputs are to be multiplied.
    whole_outputs
        Whether all outputs, before that, are whole numbers.
    most_items
        The largest number of items for which all numbers fit.
    due
        Whether the state of a site shows when it is due: HIDDEN, SHOWN, or NEVER_DUE.
    settle
        Brings the items of all sites up to the present step; for `serve`, before it looks at them, or changes when
        sites are due.
    """

    turn: ClassVar[Callable[..., Any]]
    served: ClassVar[Callable[..., Any]] = staticmethod(unserved)
    speaks: ClassVar[Callable[..., Any] | None] = None
    goes_on: ClassVar[Callable[..., Any]] = staticmethod(unspoken)
    server_hears: ClassVar[Callable[..., Any]]
    site_hears: ClassVar[Callable[..., Any]] = staticmethod(unheard)
    messages: tuple[tuple[Message, int], ...]
    further: Mapping[str, int] = MappingProxyType({})
    server: Server
    scale: tuple[int, int] = (1, 1)
    whole_outputs: bool = True
    most_items: int = MOST
    due: int = HIDDEN

    def __init__(self, k: int, coins: OrderedCoins | None = None, most_coins: int = 0, more: int = 0) -> None:
        self.k = k
        self.whole: Whole = np.zeros(OWN_WHOLE + 27 + more, dtype=np.int64)
        self.coins = coins
        self.real: Real = np.zeros(COINS_AT + most_coins + OrderedCoins.LARGEST)
        self.sites: Whole = np.zeros((k, OWN + 4 + 2 * more), dtype=np.int64)
        self.settle: Callable[[], object] = bool
        self._untouched = -1
        """The place of the next coin up to which no coin of the last batch has been handed out."""

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        """Let the server act after a turn that ended with SERVE, and all sites answer; count the messages.

        Forms whose turns never end so leave it out.

        Parameters
        ----------
        ledger
            Counts messages by `count_broadcast` and `count_many_up`, as that of the simulator does.
        compiled
            Maps a function on the arrays to its compiled form.

        Raises
        ------
        NotImplementedError
            A turn ended with SERVE, and the form does not say what the server does.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no serve()")

    def begin_mail(self) -> None:
        """Begin a game in which messages take time."""

    def serve_by_mail(self, ledger: Any, mail: Any, post: Callable[[int, int], object]) -> None:
        """Let the server act after a letter that ended with SERVE, and send what it says; count its messages.

        Parameters
        ----------
        ledger
            As for `serve`.
        mail
            The arrays of the mail.
        post
            Sends a message, by kind and value, to all sites.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no serve_by_mail()")

    def renew(self, rngs: Mapping[str, np.random.Generator]) -> bool:
        """Begin another game in the same arrays; return False if it must be made.

        Parameters
        ----------
        rngs
            The generators of the game, `sites` and `server`: only those that are needed are asked for.
        """
        return False

    def refill(self, wanted: int = 0) -> None:
        """Draw coins until there are `wanted`, or those of a turn."""
        wanted = wanted or int(self.whole[TOSSES])
        assert self.coins is not None
        whole, real = self.whole, self.real
        first, last = int(whole[COIN]), int(whole[COINS])
        have = last - first
        self._untouched -= first
        real[COINS_AT : COINS_AT + have] = real[COINS_AT + first : COINS_AT + last]
        if have < wanted:
            self._untouched = have
            drawn = self.coins.draw(wanted - have)
            real[COINS_AT + have : COINS_AT + have + len(drawn)] = drawn
            have += len(drawn)
        whole[COIN], whole[COINS] = 0, have

    def drop_coins(self) -> None:
        """Drop the coins at hand, and take back a batch of which none has been handed out."""
        assert self.coins is not None
        if self.whole[COINS] and self.whole[COIN] <= self._untouched:
            self.coins.undraw()
        self.whole[COIN] = self.whole[COINS]
        self._untouched = -1

    def take_coins(self, number: int) -> Real:
        """Return the next coins, drawn if necessary."""
        self.refill(number)
        whole = self.whole
        first = COINS_AT + int(whole[COIN])
        whole[COIN] += number
        return self.real[first : first + number].copy()

    def words(self) -> int:
        """Return the words of the messages that sites have sent in the compiled part."""
        whole: Any = self.whole.data
        sums = sum([whole[place] * message.words for message, place in self.messages])
        return int(sums + sum([whole[place] for place in self.further.values()]))

    def count_up(self, ledger: Any) -> None:
        """Count these messages, which end with the game."""
        for message, place in self.messages:
            further = int(self.whole[self.further[message.kind]]) if message.kind in self.further else 0
            ledger.count_many_up(message, int(self.whole[place]), further)
        ledger.up_sites = self.sites[:, SENT].tolist()
        ledger.down_sites = [ledger.broadcasts] * self.k

    def broadcast(self, ledger: Any, message: Message) -> None:
        """Count a message to all sites."""
        ledger.count_broadcast(message, self.k)
        self.whole[MESSAGES] += self.k
        self.whole[FURTHER] += self.k * (message.words - 1)
