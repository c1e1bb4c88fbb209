"""Play one game."""

from __future__ import annotations

import copy
import time
import traceback
from collections.abc import Callable
from typing import Any, Literal

from adversaries.base import Adversary, Choice
from adversaries.replay import Replay
from protocols.base import Protocol, whole
from simulator.errors import ScenarioError
from simulator.game.coins import chance_had_a_part
from simulator.game.engine_choice import choose, choose_engine
from simulator.game.engines import Bulk, Engine, Leap, NoBulkError, Step
from simulator.game.network import Latency
from simulator.game.outcome import Game
from simulator.game.power import missing_power
from simulator.game.rehearsal import rehearse

ENGINES: dict[str, type[Engine]] = {"step": Step, "leap": Leap, "bulk": Bulk}


def play(
    protocol: Protocol,
    adversary: Adversary | Callable[[Any], int | None],
    *,
    sites: int,
    items: int,
    seed: int = 0,
    start: int = 0,
    engine: str = "auto",
    network: Latency | None = None,
    record: bool = False,
    sees: str = "outputs",
    on_error: Literal["raise", "record"] = "raise",
) -> Game:
    """Play one game and return its outcome.

    Parameters
    ----------
    protocol
        What the sites and the server do.
    adversary
        Who feeds the sites; or a function of the view that returns a site, asked at every step. It is
        copied, so that games do not share its state.
    sites, items
        Number of sites, and of items to send.
    seed
        Root of all random streams of the game.
    start
        Items counted exactly before the first step, spread evenly over the sites and known to all.
    engine
        auto, step, leap or bulk; auto takes the fastest that is exact for the two sides.
    network
        Delay of the messages; none if left out.
    record
        Whether to keep the transcript and every output (memory: a row a message).
    sees
        What the adversary may see: outputs, traffic or state.
    on_error
        What becomes of an error in a protocol or an adversary: raised, or the game is lost and keeps the traceback.

    Raises
    ------
    ValueError
        If sites < 1, items < 0, start < 0, seed < 0 or the engine is unknown.
    MoveError
        If the adversary names a site that is not there.
    ScenarioError
        If the adversary needs to see more than it may, or the engine can't play this game.

    Examples
    --------
    >>> from adversaries import RoundRobin
    >>> from protocols import Deterministic
    >>> game = play(Deterministic(alpha=0.1), RoundRobin(), sites=1, items=1000)
    >>> game.messages, game.verdict
    (53, 'ok')
    """
    check_game(protocol, sites, items, seed, start)
    if not isinstance(adversary, Adversary):
        if not callable(adversary):
            raise TypeError(f"adversary must be an Adversary or a function of the view; got {adversary!r}")
        adversary = Choice(adversary)
    if (needed := missing_power(adversary, sees)) is not None:
        name = adversary.kind or type(adversary).__name__
        raise ScenarioError(f"adversary {name} needs to see the {needed}; grant it with sees={needed!r}")
    chosen, reason = choose_engine(engine, protocol, adversary, network)
    options: dict[str, Any] = {"sites": sites, "items": items, "start": start, "seed": seed}
    begun = time.perf_counter()
    game, error = None, None
    try:
        if isinstance(adversary, Replay):
            adversary = rehearse(adversary, protocol, network=network, **options)
        try:
            game = ENGINES[chosen](protocol, copy.deepcopy(adversary), network=network, record=record, **options)
            game.play()
        except NoBulkError as obstacle:  # found out on the way
            game = None
            chosen, reason = choose(engine, str(obstacle))
            game = ENGINES[chosen](protocol, copy.deepcopy(adversary), network=network, record=record, **options)
            game.play()
    except ScenarioError:
        raise
    except Exception:
        if on_error == "raise":
            raise
        error = traceback.format_exc()
        if game is not None:
            game.stop()
    return _outcome(game, protocol, adversary, sites, start, seed, (chosen, reason), begun, error)


def check_game(protocol: Any, sites: Any, items: Any, seed: Any, start: Any) -> None:
    """Raise TypeError or ValueError unless these make a game."""
    if not isinstance(protocol, Protocol):
        raise TypeError(f"protocol must be a Protocol, such as Deterministic(alpha=0.1); got {protocol!r}")
    for name, value, least in (("sites", sites, 1), ("items", items, 0), ("seed", seed, 0), ("start", start, 0)):
        whole(name, value, least)
    if start + items > 2**61:
        raise ValueError(f"items and start together must be at most 2^61; got {start + items}")


def _outcome(
    game: Engine | None,
    protocol: Protocol,
    adversary: Adversary,
    sites: int,
    start: int,
    seed: int,
    engine: tuple[str, str],
    begun: float,
    error: str | None,
) -> Game:
    common: dict[str, Any] = {
        "protocol": protocol.kind or type(protocol).__name__,
        "adversary": adversary.kind or type(adversary).__name__,
        "sites": sites,
        "start": start,
        "alpha": protocol.accuracy,
        "seed": seed,
        "engine": engine[0],
        "engine_reason": engine[1],
        "error": error,
    }
    if game is None:  # the parts could not even be made
        return Game(
            **common, items=0, verdict="failed", max_rel_error=0.0, highest=0.0, lowest=0.0, first_failure=None,
            failing_fraction=0.0, output_changes=0, rounds=0, messages=0, words=0, words_up=0, words_down=0, bits=0,
            broadcasts=0, seconds=time.perf_counter() - begun,
        )  # fmt: skip
    referee, ledger = game.referee, game.ledger
    steps = game.game_end
    return Game(
        **common,
        items=game.sent(steps) if steps else 0,
        verdict="failed" if error else referee.verdict(),
        max_rel_error=referee.max_rel_error,
        highest=referee.highest,
        lowest=referee.lowest,
        first_failure=referee.first_failure,
        failing_fraction=referee.failing_steps / steps if steps else 0.0,
        output_changes=referee.changes,
        rounds=game.server.rounds,
        messages=ledger.messages,
        words=ledger.words,
        words_up=ledger.words_up,
        words_down=ledger.words_down,
        bits=ledger.total_bits,
        broadcasts=ledger.broadcasts,
        seconds=time.perf_counter() - begun,
        coins=chance_had_a_part(game, adversary, seed),
        leaked=list(getattr(game.server, "leaked", ())),
        messages_of_site=(ledger.up_sites, ledger.down_sites),
        _kinds=ledger.rows(),
        _timeline=game.timeline.columns(),
        _transcript=game.transcript,
        _outputs=game.outputs,
    )
