"""Games that learners play, as arrays: compiled functions play an action in all of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from disttrack.attack.adversaries.learned import error_of
from disttrack.attack.learners import kernel
from disttrack.attack.learners.games import Games, Known, LeapGames, Sizes
from disttrack.mechanisms.compiler import available, compiled
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import even_start
from disttrack.protocols.kernel import REFILL, SERVE, KernelForm
from disttrack.simulator.game.engine_choice import no_compiled_form
from disttrack.simulator.game.engines.compiled import compiled_part
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.streams import streams

FIRST_MOVES: Final = 256
"""Actions of a game for which there is room at first."""
MOST_ITEMS: Final = 10**6
"""Items of a game for which there is a table of logarithms."""


def games_of(sizes: Sizes, games: int) -> Games:
    """Return games of these sizes: by compiled functions where they are the same games, else by `leap`."""
    if (form := _form_for(sizes)) is not None:
        try:
            return CompiledGames(sizes, games, form)
        except ImportError:  # this numba does not take this numpy
            pass
    return LeapGames(sizes, games)


def _form_for(sizes: Sizes) -> KernelForm | None:
    """Return the arrays of one of the games; None if they are played by `leap`."""
    protocol = sizes.protocol
    if not available() or no_compiled_form(protocol) or sizes.items > MOST_ITEMS:
        return None
    if sizes.sees == "state" and own_code(protocol):
        return None  # the state of a site of the user's shows what its class says
    form = form_of(sizes, 0)
    return None if not isinstance(form, KernelForm) or sizes.start + sizes.items > form.most_items else form


def form_of(sizes: Sizes, seed: int, before: KernelForm | None = None) -> KernelForm | None:
    """Return the arrays of a new game, those of one before if it can; None if the protocol has none as it is."""
    rngs = streams(seed)
    if before is not None and before.renew(rngs):
        return before
    begun = (even_start(sizes.start, sizes.sites),) if sizes.start else ()
    form: KernelForm | None = sizes.protocol.kernel_form(sizes.sites, rngs["sites"], rngs["server"], *begun)
    return form


class CompiledGames(Games):
    """Games as arrays, with the transcripts of `leap`: an action costs a compiled call for all games together.

    Parameters
    ----------
    form
        A game as arrays, from which the shapes of all are taken.

    Raises
    ------
    ImportError
        numba cannot be imported.

    Attributes
    ----------
    over, cut
        Whether the last action has ended each game, or is the last one before it is cut off.
    """

    def __init__(self, sizes: Sizes, games: int, form: KernelForm) -> None:
        self._play = compiled(kernel.act_all, _of_games, turn=form.turn, served=form.served)
        self._sizes = sizes
        k, items, arrays = sizes.sites, sizes.items, (form.whole, form.real, form.sites)
        self._whole, self._real, self._sites_of = (np.zeros((games, *one.shape), dtype=one.dtype) for one in arrays)
        self._facts, self._errors = np.zeros((games, kernel.FACTS), dtype=np.int64), np.zeros((games, kernel.ERRORS))
        self._spoke = np.zeros((games, k), dtype=np.int64)
        self.over, self.cut = np.zeros((2, games), dtype=np.bool_)
        self._before, self._waiting = np.zeros(k, dtype=np.int64), np.zeros(games, dtype=np.int64)
        self._moves = np.zeros((FIRST_MOVES, games), dtype=np.int32)
        self._counts, self._values = np.zeros((kernel.COUNTS, games), dtype=np.int64), np.zeros((kernel.VALUES, games))
        self.given, self.rewards = np.zeros((games, k)), self._values[kernel.GAINED]
        self.seen = np.zeros((games, len(sizes.observed[0])), dtype=np.float32)
        powers = int(sizes.sees != "outputs"), int(sizes.sees == "state")
        burst, most = min(sizes.burst, items), sizes.limit
        self._shared = np.array([burst, items, sizes.start, *powers, *form.scale, most], dtype=np.int64)
        self._numerator, self._denominator = form.scale
        self._logs = (np.log1p(np.arange(items + 1.0)) / np.log1p(items)).astype(np.float32)
        self._most_actions = 0
        """Limit of the actions of each game so far."""
        self._forms: list[KernelForm | None] = [None] * games
        self._whole[:, slot.STEP] = items  # none can be played before it begins
        self._ledger = Ledger(k, sizes.start + items, sizes.protocol.kind)
        self._none, self._one = np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.bool_)

    def begin(self, game: int, seed: int) -> None:
        before = self._forms[game]
        form = self._forms[game] = form_of(self._sizes, seed, before)
        assert form is not None
        if form is not before:
            for name, rows in (("whole", self._whole), ("real", self._real), ("sites", self._sites_of)):
                rows[game] = getattr(form, name)
                setattr(form, name, rows[game])
        form.real[slot.STANDING] = form.real[slot.OUTPUT]
        facts = self._facts[game]
        facts[:] = self._errors[game] = self.given[game] = 0
        self._spoke[game] = -self._sizes.items
        facts[kernel.DUE], facts[kernel.WAITS] = form.due, kernel.LOOK
        self._one[game] = True
        self._play_in(self._none, self._one)
        self._one[game] = False

    def act(self, actions: npt.NDArray[np.int64], playing: npt.NDArray[np.bool_]) -> None:
        self.over, self.cut = np.zeros((2, len(playing)), dtype=np.bool_)
        self._most_actions += 1
        if self._most_actions > len(self._moves):
            self._most_actions = int(self._facts[:, kernel.ACTIONS].max()) + 1
            if self._most_actions > len(self._moves):
                self._moves = np.concatenate((self._moves, np.zeros_like(self._moves)))
        waiting = self._play_in(actions, playing)
        while waiting:
            playing = np.zeros_like(playing)
            for game in waiting:
                self._help(game)
                playing[game] = True
            waiting = self._play_in(actions, playing)

    def _play_in(self, actions: npt.NDArray[np.int64], playing: npt.NDArray[np.bool_]) -> list[int]:
        """Play actions in some games, and return those that wait for help."""
        number: int = self._play(
            self._whole, self._real, self._sites_of, self._facts, self._errors, self.given, self._spoke, self.seen,
            self._counts, self._values, self._moves, actions, playing, self.over, self.cut, self._shared, self._logs,
            self._before, self._waiting,
        )  # fmt: skip
        if number == kernel.UNPLAYABLE:
            raise IndexError("an action is none, or its game is over")
        waiting: list[int] = self._waiting[:number].tolist()
        return waiting

    def _help(self, game: int) -> None:
        """Do in a game what it waits for."""
        form, waits = self._forms[game], self._facts[game, kernel.WAITS]
        assert form is not None
        if waits == REFILL:
            form.refill()
            return
        assert waits == SERVE
        before = form.sites[:, slot.SENT].copy()
        form.serve(self._ledger, compiled_part)
        self._spoke[game, form.sites[:, slot.SENT] > before] = self._facts[game, kernel.STEPS]
        self._facts[game, kernel.DUE] = form.due

    def known(self, game: int) -> Known:
        facts, items = self._facts[game].tolist(), self._whole[game, slot.STEP].item()
        output = self._real[game, slot.STANDING].item() * self._numerator / self._denominator
        return Known(
            steps=facts[kernel.STEPS],
            items=items,
            output=output,
            changes=facts[kernel.CHANGES],
            changed_at=facts[kernel.CHANGED_AT],
            error=error_of(output, self._sizes.start + items),
            largest_error=self._errors[game, kernel.LARGEST_ERROR].item(),
            messages=self._whole[game, slot.MESSAGES].item(),
            actions=facts[kernel.ACTIONS],
        )

    def moves(self, game: int) -> list[int]:
        moves: list[int] = self._moves[: self._facts[game, kernel.ACTIONS], game].tolist()
        return moves

    def is_over(self, game: int) -> bool:
        return bool(self._whole[game, slot.STEP] >= self._sizes.items)

    def told(self) -> dict[str, npt.NDArray[Any]]:
        return {
            "items": self._counts[kernel.SENT_ITEMS].copy(),
            "output": self._values[kernel.SHOWN_OUTPUT].copy(),
            "largest_error": self._values[kernel.WORST].copy(),
            "messages": self._counts[kernel.SENT_MESSAGES].copy(),
        }


def _of_games(numba: Any) -> Any:
    whole, real, row = numba.int64[:, ::1], numba.float64[:, ::1], numba.int64[::1]
    game = whole, real, numba.int64[:, :, ::1], whole, real, real, whole, numba.float32[:, ::1], whole, real
    flags = numba.boolean[::1]
    return *game, numba.int32[:, ::1], row, flags, flags, flags, row, numba.float32[::1], row, row
