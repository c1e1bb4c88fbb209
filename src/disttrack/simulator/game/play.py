"""Play one game."""

from __future__ import annotations

import copy
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from disttrack.adversaries.base import Adversary, Choice
from disttrack.adversaries.contents import ItemAdversary
from disttrack.adversaries.recorded import pace_of
from disttrack.adversaries.replay import Recorder, Replay
from disttrack.mechanisms.checks import one_of, plain
from disttrack.protocols.base import Protocol, whole
from disttrack.protocols.programs import Exec, ProgramError, ending_programs
from disttrack.simulator.errors import MoveError, PartError, ScenarioError, explained, printable
from disttrack.simulator.game.collector import collector_paused
from disttrack.simulator.game.columns import ERROR, SIZE_COLUMNS, UNDECIDED
from disttrack.simulator.game.engine_choice import (
    ASKED_FOR,
    AUTO,
    COMPILED,
    LEAP,
    STEP,
    EngineError,
    UncompiledError,
    choose_engine,
    compiles,
    named,
    refuse,
    rules_of,
)
from disttrack.simulator.game.engines import Compiled, Engine
from disttrack.simulator.game.engines.base import OnNetwork
from disttrack.simulator.game.network import Latency, Network, checked_network, network_of
from disttrack.simulator.game.outcome import Game, counted_in
from disttrack.simulator.game.parts import explain_index, fault_of, may_be_of_a_part
from disttrack.simulator.game.present import in_play
from disttrack.simulator.game.reference import (
    KERNEL,
    MACHINE,
    SILENCE,
    DifferenceError,
    chance_had_a_part,
    difference,
    identity,
    own_code,
)
from disttrack.simulator.game.short_games import Length, Trial, rehearse, rules_used, untried
from disttrack.simulator.game.sides import (
    MOST_ITEMS,
    NO_ITEMS,
    TOO_MANY,
    as_adversary,
    as_protocol,
    check_power,
    check_task,
    counted,
    missing_power,
)
from disttrack.simulator.kinds.lines import asked_at
from disttrack.simulator.kinds.names import side_name
from disttrack.simulator.kinds.point import label_of_class, unusual
from disttrack.simulator.kinds.registry import parameters

_trials: defaultdict[object, dict[str, Trial]] = defaultdict(dict)
"""The trials of the points with code of the user's, by what each checks."""
Check = Callable[[dict[str, Any], set[str]], Exception | None]
"""Plays a short game of a size, adds the rules that it uses to a set, and returns the fault that it shows."""
_HOST: ContextVar[Callable[..., Engine] | None] = ContextVar("host", default=None)


@contextmanager
def hosted(host: Callable[..., Engine] | None) -> Iterator[None]:
    """Play all games within the block by this engine, made with the arguments of any other; None: by the usual.

    Tables call the engine by the host's `name`.
    """
    token = _HOST.set(host)
    try:
        yield
    finally:
        _HOST.reset(token)


def is_hosted() -> bool:
    """Return whether a block of `hosted` plays the games now."""
    return _HOST.get() is not None


@explained(others="run() plays several")
def play(
    protocol: Protocol | str | Mapping[str, object],
    adversary: Adversary | Callable[[Any], int | None] | str | Mapping[str, object],
    *,
    sites: int,
    items: int,
    seed: int = 0,
    start: int = 0,
    engine: str = AUTO,
    network: Network | Latency | Mapping[str, object] | None = None,
    record: bool = False,
    sees: str = "outputs",
    on_error: Literal["raise", "record"] = "raise",
    level: int | Fraction | None = None,
) -> Game:
    """Play one game and return its outcome.

    Parameters
    ----------
    protocol
        The rules of the sites and the server: an object, a text as on the command line,
        ``robust:alpha=0.1,delta=0.05``, or an entry as in a scenario, ``{"kind": "robust", "alpha": 0.1}``.
    adversary
        Feeds the sites, copied for this game, given likewise; or a function of the view: of a site at every step, or a
        generator.
    sites, items
        Number of sites, and of items to send; 1e6 is a million.
    seed
        Root of all random streams of the game.
    start
        Items counted exactly before the first step, spread evenly over the sites and known to all.
    engine
        auto, step, leap or compiled, which all play the same game; auto takes the fastest that can play it.
    network
        Delays and faults of messages, as an object or as in a scenario's `network`; none if left out.
    record
        Whether to keep the transcript, every output, and the adversary's views and plans (memory: one row per message).
    sees
        What the adversary may see: outputs, traffic or state.
    on_error
        Handling of an error in a side, or a wrong move of one: raised, or the verdict, with its text in `error`.
    level
        An output; the step in which it is first reached, and the words by then, are in `crossed`.

    Raises
    ------
    ValueError
        If sites < 1, items < 0, start < 0, seed < 0 or the engine is unknown.
    MoveError
        If the adversary names a site that does not exist, and errors are raised.
    ScenarioError
        If the adversary is made for other games or needs to see more than it may, or the engine can't play this game.

    Examples
    --------
    >>> from disttrack import Deterministic, RoundRobin
    >>> game = play(Deterministic(alpha=0.1), RoundRobin(), sites=1, items=1000)
    >>> game.messages, game.verdict
    (53, 'ok')
    >>> play("deterministic:alpha=0.1", "round-robin", sites=1, items=1000).messages
    53
    """
    one_of("on_error", on_error, ("raise", "record"))
    protocol = as_protocol(protocol)
    sites, items, seed, start = check_game(protocol, sites, items, seed, start)
    games = Games(protocol, adversary, sites=sites, items=items, start=start, engine=engine, network=network, sees=sees)
    return games.play(seed, record=record, raises=on_error == "raise", level=level)


class Games:
    """The games of two sides of one size, by their seeds: what no seed changes is made once.

    The parameters are those of `play`, checked by its caller.
    """

    def __init__(
        self,
        protocol: Protocol,
        adversary: Adversary | Callable[[Any], int | None] | str | Mapping[str, object],
        *,
        sites: int,
        items: int,
        start: int = 0,
        engine: str = AUTO,
        network: Network | Latency | Mapping[str, object] | None = None,
        sees: str = "outputs",
    ) -> None:
        granted, checked = _granted(adversary, sees, protocol), checked_network(network, sites, protocol)
        self._sides = _Played(protocol, granted, engine, checked)
        self._size, self._sees = {"sites": sites, "items": items, "start": start}, sees
        self._facts: dict[str, Any] = {}
        self._last: Compiled | None = None
        """The last game, if compiled functions have played it and may play in its place."""
        self.like: Any = None
        """The record of a game, for a caller that keeps one."""

    def again(self, seed: int) -> Compiled | None:
        """Return the game of a seed, played in place of the last one; None where `play` has to play it."""
        game, self._last = self._last, None
        if game is None or game.game_end != game.items or is_hosted():
            return None
        try:
            with in_play(lambda: game.now / game.items):
                self._last = game if game.again(copy.deepcopy(self._sides.adversary), seed) else None
        except (UncompiledError, MoveError, PartError):  # `play` says it, or leaves the game to another engine
            return None
        return self._last

    def play(
        self, seed: int, *, record: bool = False, raises: bool = False, level: int | Fraction | None = None
    ) -> Game:
        """Play the game of a seed; an error of a side is raised, or recorded in its outcome."""
        played = copy.copy(self._sides)
        played.begun, played.level = time.perf_counter(), level
        played.go({**self._size, "seed": seed}, record, raises=raises)
        fixed = level is None and not (played.has_own_code or played.error or isinstance(played.adversary, Replay))
        self._last = played.game if fixed and type(played.game) is Compiled else None
        if not self._facts or isinstance(played.adversary, Replay):  # which a rehearsal with this seed has made
            self._facts = _facts_of_sides(played.protocol, played.adversary)
        sizes = {"sites": self._size["sites"], "start": self._size["start"], "seed": seed}
        return _outcome(played, {**self._facts, **sizes}, self._sees)


def _again(protocol: Protocol, adversary: Any, *, engine: str, moves: Adversary | None = None, **more: Any) -> Game:
    """Play the same sides by the same engine, or other moves by leap; on a network, without faults of other sites."""
    if (network := network_of(more["network"])) is not None:
        more["network"] = network.within(more["sites"])
    by = LEAP if engine == COMPILED or (moves is not None and engine != STEP) else engine
    if by == LEAP and not more.get("record"):
        with suppress(EngineError):  # no compiled form; it gives the transcript of leap
            return play(protocol, moves or adversary, engine=COMPILED, on_error="record", **more)
    with hosted(rules_of(protocol)[1].get(by)):
        return play(protocol, moves or adversary, on_error="record", **more)


def _granted(adversary: object, sees: str, protocol: Protocol) -> Any:
    """Return the adversary, made from a function if necessary; ScenarioError if it may not play against a protocol."""
    check_power(sees)
    adversary = as_adversary(adversary)
    task, _ = rules_of(protocol)
    check_task(adversary, task)
    if task in ItemAdversary.plays and not isinstance(adversary, ItemAdversary):
        raise ScenarioError(NO_ITEMS.format(side_name(adversary), protocol.kind))
    if (needed := missing_power(adversary, sees)) is not None:
        raise ScenarioError(f"adversary {side_name(adversary)} needs sees={needed!r}")
    return adversary


class _Played:
    """A game being played: its engine, if its parts could be made, and the error that ended it."""

    def __init__(
        self, protocol: Protocol, adversary: Adversary, asked: str, network: Network | None, hosted: bool = True
    ) -> None:
        engines = rules_of(protocol)[1]
        self.protocol, self.adversary, self.network = protocol, adversary, network
        self.asked = named(asked, engines)
        self.chosen, self.reason = choose_engine(asked, protocol, adversary, network, engines)
        self.host = _HOST.get() if hosted else None
        if self.host is not None:
            self.chosen, self.reason = getattr(self.host, "name", "host"), ASKED_FOR
        self.begun = time.perf_counter()
        self.seconds = 0.0
        self.own = bool(own_rules(protocol) or own_code(adversary))
        """Whether a side is the user's."""
        self.has_own_code = self.host is None and self.own
        """Whether there is code of the user's to try; what a host plays is not tried."""
        self.game: Engine | None = None
        self.recorder: Recorder | None = None
        self.error: str | None = None
        self.level: int | Fraction | None = None

    def go(self, size: dict[str, Any], record: bool, *, raises: bool) -> None:
        """Play to the end; an exception of a user's class is raised, or ends the game at the present step.

        An exit and a wrong move or message count as errors too; Ctrl-C does not.
        """
        try:
            self._try(size)
            self.begun = time.perf_counter()
            self._rehearse(size)
            try:
                self._play(size, record)
            except UncompiledError as obstacle:
                if self.host is not None:
                    raise
                refuse(COMPILED, str(obstacle), LEAP, STEP)
            self._try_further(size)
        except KeyboardInterrupt:
            raise
        except BaseException as caught:
            self.seconds = time.perf_counter() - self.begun
            tried = isinstance(caught, DifferenceError)
            error = (self._fault(size) if may_be_of_a_part(caught) and not tried else None) or caught
            if isinstance(error, MoveError):
                error.args = (f"{error}{asked_at(self.game.adversary if self.game else self.adversary)}",)
            explain_index(error)
            wrong_move = isinstance(error, MoveError | PartError | ProgramError)
            if raises or (isinstance(error, ScenarioError) and not wrong_move):
                if error is caught:
                    raise
                raise error from caught
            self.error = printable(f"{type(error).__name__}: {error}" if wrong_move else traceback.format_exc())
            if self.game is not None:
                self.game.stop()

    def _fault(self, size: dict[str, Any], used: set[str] | None = None) -> Exception | None:
        """Return what is wrong with a part of the protocol in this game; None if nothing is, or a host plays.

        The rules that the game uses are added to `used`.
        """

        def again(protocol: Protocol, engine: str) -> None:
            other = _Played(protocol, self.adversary, AUTO, self.network, hosted=False)
            other._play_by(rules_of(protocol)[1][engine], size, record=False)
            if used is not None and other.game is not None:
                used.update(rules_used(other.game))

        if self.host is not None:
            return None
        engines = (LEAP, STEP) if self.chosen == STEP else (LEAP,)  # leap does not ask within a silence
        faults = (fault_of(self.protocol, self.adversary, partial(again, engine=one)) for one in engines)
        return next(filter(None, faults), None)

    def _checks(self) -> dict[str, Check]:
        """Return the checks of the user's code of the sides, which play a short game and note the rules that it uses.

        They are an examination of the parts, and a comparison of each engine that may play the game with the reference.
        """
        own = own_rules(self.protocol)
        checks: dict[str, Check] = {}
        machine = getattr(type(self.adversary), "machine", Adversary.machine)
        moves = own_code(self.adversary) if machine is not Adversary.machine else ""
        if own_code(self.protocol):
            checks["parts"] = self._fault
        is_compiled = self.chosen == COMPILED or self._compiles()
        if own and self.chosen != STEP:
            checks[LEAP] = partial(self._difference, own=own, engine=LEAP)
        if (own or moves) and is_compiled:  # after leap, which has shown that silences are right
            cause = KERNEL if own else MACHINE
            checks[COMPILED] = partial(self._difference, own=own or moves, engine=COMPILED, cause=cause)
        return checks

    def _difference(
        self, size: dict[str, Any], used: set[str], *, own: str, engine: str, cause: str = SILENCE
    ) -> Exception | None:
        """Return how an engine plays another game of this size than the reference, or the part that makes it do so."""

        fast = engine

        def facts(engine: str, seed: int) -> dict[str, Any]:
            other = _Played(self.protocol, self.adversary, engine, self.network, hosted=False)
            short = {**size, "seed": seed}
            other._rehearse(short)
            other._play(short, record=fast != COMPILED)  # compiled functions keep none
            if engine == STEP:
                used.update(rules_used(other.game))
            return _facts(other, short)

        lengths: dict[str, Any] = {name: size[name] for name in SIZE_COLUMNS}
        differs = difference(own, facts, fast, lengths, cause)
        return (self._fault(size) or differs) if differs and own_code(self.protocol) else differs

    def _try(self, size: dict[str, Any], rules: Set[str] = frozenset()) -> Set[str]:
        """Try the user's code of the sides in short games until these rules are used; return those that are not.

        Raises
        ------
        PartError
            A part of the protocol does something wrong.
        DifferenceError
            Two engines play different games.
        """
        if not self.has_own_code:
            return frozenset()
        lengths = {name: size[name] for name in SIZE_COLUMNS}
        sides = identity(self.protocol), identity(self.adversary), repr(self.network)
        trials, rest = _trials[(*sides, self.asked, *lengths.values())], set[str]()
        for name, check in self._checks().items():
            trial = trials.setdefault(name, Trial(**lengths))

            def play_short(length: Length, check: Check = check, used: set[str] = trial.used) -> Exception | None:
                return check({**size, **length._asdict(), "seed": 0}, used)

            rest |= trial.go_on(play_short, rules)
        return rest

    def _try_further(self, size: dict[str, Any]) -> None:
        """Try what the game has used and the first short game has not; name what no short game has used."""
        self.seconds = time.perf_counter() - self.begun
        if self.chosen == STEP or not self.has_own_code:
            return
        game, self.game = self.game, None  # a game by rules that are wrong is none
        self.reason += untried(self._try(size, rules_used(game)))
        self.game = game

    def _rehearse(self, size: dict[str, Any]) -> None:
        if isinstance(self.adversary, Replay):
            self.adversary = rehearse(self.adversary, self.protocol, network=self.network, **size)

    def _play(self, size: dict[str, object], record: bool) -> None:
        engines: Mapping[str, Callable[..., Engine]] = rules_of(self.protocol)[1]
        if self.host is None and not record and self._compiles():
            try:
                return self._play_by(partial(engines[COMPILED], in_time=True), size, record)
            except UncompiledError:  # the game is too short, or a plan has no compiled form
                self.game = None
        return self._play_by(self.host or engines[self.chosen], size, record)

    def _compiles(self) -> bool:
        """Return whether compiled functions may play the game, if its task has some."""
        has_some = COMPILED in rules_of(self.protocol)[1]
        return has_some and compiles(self.asked, self.protocol, self.adversary, self.network)

    def _play_by(self, engine: Callable[..., Engine], size: dict[str, object], record: bool) -> None:
        adversary = copy.deepcopy(self.adversary)
        if record:
            adversary = self.recorder = Recorder(adversary)
        with ending_programs():
            with collector_paused():
                level = {} if self.level is None else {"level": self.level}
                game = self.game = engine(
                    self.protocol, adversary, network=self.network, record=record, **level, **size
                )
            with in_play(lambda: game.sent(game.now) / game.items):
                game.play()


def own_rules(protocol: Protocol) -> str:
    """Return the name of the user's class, or of the program, that a protocol is made of; empty if it was compared."""
    return protocol.file if isinstance(protocol, Exec) else own_code(protocol)


def _facts(played: _Played, size: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two engines must agree in: what is counted, and the whole record."""
    game: Any = played.game
    sides = _facts_of_sides(played.protocol, played.adversary)
    sizes = {name: size[name] for name in ("sites", "start", "seed")}
    counts = counted_in(_outcome(played, {**sides, **sizes}, "outputs"))
    return {**counts, "transcript": game.transcript, "outputs": game.outputs}


def check_game(protocol: Any, sites: Any, items: Any, seed: Any, start: Any) -> tuple[int, int, int, int]:
    """Return sites, items, seed and start as whole numbers; TypeError or ValueError unless a game can have them."""
    sites, seed, items, start = plain(sites), counted(seed), counted(items), counted(start)
    as_protocol(protocol)
    for name, value, least in (("sites", sites, 1), ("items", items, 0), ("seed", seed, 0), ("start", start, 0)):
        try:
            whole(name, value, least)
        except ValueError as error:
            usual = "; leave it out for 0" if value is None and name in ("seed", "start") else ""
            raise ValueError(f"{error}{'; run() plays lists' if isinstance(value, list) else usual}") from None
    if start + items > MOST_ITEMS:
        raise ValueError(TOO_MANY.format(start + items))
    return sites, items, seed, start


def _unusual(side: Protocol | Adversary) -> dict[str, Any]:
    """Return the parameters of a side that differ from the defaults of its class."""
    kind = type(side)
    return unusual(kind, {name: getattr(side, name) for name in parameters(kind) if hasattr(side, name)})


def _made_of(adversary: Adversary) -> Any:
    """Return the class of an adversary, or the function by whose name it is known."""
    function = getattr(adversary, "choose", None) if isinstance(adversary, Choice) else None
    function = getattr(function, "func", function)  # of a partial
    return function if getattr(function, "__name__", "").isidentifier() else type(adversary)  # a lambda has no name


def _why_undecided(protocol: Protocol) -> str:
    """Return why a game of a protocol has no verdict."""
    if protocol.plays:
        task = protocol.plays[0]
        return f"run({{'task': {task!r}, …}}) judges it"
    return "no accuracy is promised" if protocol.accuracy is None else "no step was judged"


def _facts_of_sides(protocol: Protocol, adversary: Adversary) -> dict[str, Any]:
    """Return what the outcomes of all games of two sides have in common."""
    return {
        "protocol": label_of_class("protocol", type(protocol)),
        "adversary": label_of_class("adversary", _made_of(adversary)),
        "alpha": protocol.accuracy,
        "lost_guarantee": protocol.lost_guarantee,
        "parameters": {"protocol": _unusual(protocol), "adversary": _unusual(adversary)},
    }


def _outcome(played: _Played, facts: dict[str, Any], sees: str) -> Game:
    """Return the outcome of a game, with facts that were known before."""
    protocol, adversary, game, error = played.protocol, played.adversary, played.game, played.error
    common = {**facts, "engine": played.chosen, "engine_reason": played.reason, "error": error}
    if rules_of(protocol)[0] == "count" and pace_of(adversary) == 1:
        given: dict[str, Any] = {"start": facts["start"], "network": played.network, "sees": sees}
        common["again"] = partial(_again, protocol, adversary, engine=played.chosen, **given)
    if game is None:  # the parts could not be made
        return Game(**common, verdict=ERROR, seconds=played.seconds, extra=vars(OnNetwork()))
    ledger = game.ledger
    steps = game.game_end
    sent = game.sent(steps) if steps else 0
    unsent = 0 if error else game.items - sent
    judged = game.judgement(steps)
    if error or (unsent and not steps):
        judged.verdict = ERROR if error else UNDECIDED
    why = _why_undecided(protocol) if judged.verdict == UNDECIDED else ""
    return Game(
        **common,
        **vars(judged),
        why_undecided=why,
        items=sent,
        unsent=unsent,
        steps=steps,
        rounds=ledger.rounds_of(game.server),
        **ledger.sent,
        seconds=played.seconds,
        coins=chance_had_a_part(game, adversary, own=played.own),
        extra={**vars(game.on_network()), **game.unmet(), **game.server.extra, **game.extra()},
        messages_of_site=(ledger.up_sites, ledger.down_sites),
        _kinds=ledger.rows(),
        _timeline=game.series,
        _transcript=game.transcript,
        lost_rows=game.mail.lost_rows if game.mail is not None else None,
        _outputs=game.outputs,
        crossed=game.crossed,
        _turns=played.recorder.turns if played.recorder else None,
        listed_network=game.mail.listed_network if game.mail is not None else None,
    )
