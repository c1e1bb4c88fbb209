"""The shortest failing game: a failing game that can be repeated, of sizes that are worked out by hand."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from scripted_protocol import Scripted

from disttrack import (
    Deterministic,
    Exact,
    Freeze,
    Message,
    Moves,
    Protocol,
    Randomized,
    Robust,
    RoundRobin,
    Server,
    Site,
    play,
)
from disttrack.simulator.game.shortest import ENOUGH, JURY, Shortest, shorten
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.workshop.conformance.failure import ConformanceError, checked
from disttrack.simulator.workshop.conformance.protocols import PROTOCOL_CHECKS


def failures(found: Shortest, number: int, first: int | None = None) -> int:
    """Return how many of the next seeds, or of those from one on, fail in a game against `Freeze`, played once more."""
    game, items = found.game, found.within or found.game.items
    first = game.seed + 1 if first is None else first
    seeds = range(first, first + number)
    games = (play(Randomized(alpha=0.1), Freeze(), sites=game.sites, items=items, seed=seed) for seed in seeds)
    return sum(game.verdict == "failed" for game in games)


class Forwarding(Site):
    """Sends each item."""

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return [Message("item")] * items


class Deaf(Server):
    """Loses all items but those of site 2, once that has sent two."""

    def __init__(self) -> None:
        self.output: int = 0
        self.second = 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += sender == 2 or self.second < 2
        self.second += sender == 2
        return ()


@dataclass(frozen=True)
class Planted(Protocol):
    """A count with a fault that needs three sites."""

    alpha: float = 0.3
    kind: ClassVar[str] = "planted"
    guarantee: ClassVar[Any] = "always"
    draws_coins: ClassVar[bool] = False

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [Forwarding() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Deaf()


def test_a_planted_fault_is_reached_by_the_fewest_items_and_sites() -> None:
    game = play(Planted(), RoundRobin(), sites=9, items=2000)
    # in turn: site 2 sends its second item as the 6th; then 7, 8, 10 and 11 are lost: 4 / 11 > 0.3 >= 3 / 10
    found = game.shortest()
    assert (found.game.sites, found.game.items, found.game.verdict) == (3, 11, "failed")
    # as a list: two items of site 2, and one that is lost: 1 / 3 > 0.3
    listed = game.shortest(fixed=True)
    assert (listed.game.sites, listed.game.items, listed.moves) == (3, 3, "2*2 0")
    assert (listed.tried, listed.game.coins) == (0, False)
    assert listed.text.splitlines()[1:] == [
        "before: 9 sites, 2,000 items, 2,000 messages",
        "fails: step 3, output 2, truth 3, allowed from 2.1",
        "other seeds: no coin has a part",
    ]


def test_a_failure_by_rounding_is_called_one() -> None:
    """1.1 as a double is above 1 + 0.1: the largest error and the promise look alike."""
    game = play(Scripted(lambda heard: 1.1 * heard), RoundRobin(), sites=2, items=20)
    assert "allowed up to 1.1, missed by rounding alone\n" in game.shortest().text


@pytest.mark.parametrize("fixed", [False, True])
def test_it_fails_again_with_its_seed_by_the_reference_engine_too(fixed: bool) -> None:
    game = play(Randomized(alpha=0.1), Freeze(), sites=64, items=4000, seed=1)
    assert game.verdict == "failed"
    found = game.shortest(fixed=fixed, seconds=4)
    short = found.game
    assert short.sites <= 64
    assert short.items <= game.items
    assert short.first_failing_step == short.steps  # it ends where it fails
    assert found.tried > 0
    luck = found.chance
    assert luck is not None
    assert luck.game.items <= (game.first_failure or 0)
    assert f"; other seeds: {luck.failing} of {luck.tried} fail" in found.text
    assert f"seed {short.seed}" in found.text
    # seen: the sizes of a list's game, beside the adversary, with which that seed does not fail
    listed = re.search(r"shorter by chance: .* against moves '(.*)'; other", found.text)
    assert bool(listed) == (luck.game.adversary == "moves")
    by, size = Moves(listed[1]) if listed else Freeze(), {"sites": luck.game.sites, "items": luck.game.items}
    assert play(Randomized(alpha=0.1), by, **size, seed=luck.game.seed).first_failure == luck.game.items
    assert found.unlisted == (fixed and short.adversary == "freeze")
    assert ("moves: no fixed list found; the adversary plays" in found.text) == found.unlisted
    adversary = Moves(found.moves or "") if fixed else Freeze()
    for engine in ("step", "leap"):
        again = play(
            Randomized(alpha=0.1), adversary, sites=short.sites, items=short.items, seed=short.seed, engine=engine
        )
        assert (again.verdict, again.messages, again.first_failure) == ("failed", short.messages, short.items), engine


@pytest.mark.false_alarm(1e-8)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_shortest_game_is_one_that_most_seeds_fail(seed: int) -> None:
    """Of 100 far seeds at least 10 fail, fewer with probability 2e-9 if 0.35 of all do; by chance, one or two do."""
    game = play(Randomized(alpha=0.1), Freeze(), sites=64, items=20_000, seed=seed)
    found = game.shortest()
    assert 2 * found.failing > found.tried > 0
    assert failures(found, JURY) >= ENOUGH[0]
    assert f"other seeds: {found.failing} of {found.tried} fail within {found.within:,} items\n" in found.text
    assert failures(found, 100, first=10_000) >= 10
    assert found.chance is not None
    assert 2 * found.chance.failing <= found.chance.tried
    assert found.chance.tried > 0
    for one in (found, found.chance):  # the game's own seed, which is none of the others, fails
        assert one.failing == failures(one, one.tried)
    assert f"\nshorter by chance: {found.chance.sizes}; other seeds: " in found.text
    assert found.chance.game.items < found.within
    assert found.chance.chance is None


@pytest.mark.parametrize("seed", [0, 4])
def test_no_more_items_than_the_given_game_has_up_to_its_failure(seed: int) -> None:
    """Seen: 1,771 items at 60 sites, with which most seeds fail, of a game that fails at item 628 with 64."""
    game = play(Randomized(alpha=0.1), Freeze(), sites=64, items=2000, seed=seed)
    found = game.shortest()
    assert found.within > 0
    assert 2 * found.failing > found.tried > 0
    assert found.game.items <= (game.first_failure or 0) < 700


class Stuck(Server):
    """Counts up to a limit."""

    def __init__(self, limit: int) -> None:
        self.output: int = 0
        self.limit = limit

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output = min(self.limit, self.output + 1)
        return ()


@dataclass(frozen=True)
class Fading(Planted):
    """A count whose limit is drawn: a game fails from some item on, which its seed alone decides."""

    kind: ClassVar[str] = "fading"
    draws_coins: ClassVar[bool] = True

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Stuck(int(rng.geometric(0.05)))


@cache
def fails_from(seed: int) -> int:
    """Return the item from which on a game of `Fading` fails."""
    return play(Fading(), RoundRobin(), sites=1, items=500, seed=seed).first_failure or 500


def again(sites: int, items: int, seed: int, record: bool = False, moves: object = None) -> Any:
    """Return a game of `Fading`: a recorded one is played, the facts of another one follow from `fails_from`.

    With a list of moves it holds.
    """
    if record:
        return play(Fading(), RoundRobin(), sites=sites, items=items, seed=seed, record=True)
    fails = items >= fails_from(seed) and moves is None
    facts = {"sites": sites, "items": items, "steps": items, "seed": seed, "verdict": "failed" if fails else "ok"}
    first = fails_from(seed) if fails else None
    return SimpleNamespace(**facts, first_failure=first, coins=True, start=0, unsent=0, extra={}, delayed=False)


def test_a_game_by_chance_is_shorter_than_the_one_that_most_seeds_fail() -> None:
    happened = Counter[bool]()
    for seed in sorted(range(60), key=fails_from)[:40:8]:
        found = shorten(play(Fading(), RoundRobin(), sites=4, items=300, seed=seed), again, seconds=60)
        happened[found.chance is None] += found.within > 0
        if found.chance is not None:
            assert found.chance.game.items < found.game.items
    assert happened[True] >= 1
    assert happened[False] >= 1


@pytest.mark.parametrize("fixed", [False, True])
def test_it_is_said_that_no_list_of_moves_fails(fixed: bool) -> None:
    found = shorten(play(Fading(), RoundRobin(), sites=4, items=300, seed=4), again, fixed=fixed, seconds=60)
    assert ("\nmoves: no fixed list found; the adversary plays" in found.text) == found.unlisted == fixed


def test_a_failure_by_chance_has_no_game_that_most_seeds_fail() -> None:
    games = (play(Randomized(alpha=0.1), RoundRobin(), sites=16, items=3000, seed=seed) for seed in range(400))
    game = next(game for game in games if game.verdict == "failed")  # one in fifty
    found = game.shortest(seconds=1)
    assert (found.within, found.chance) == (0, None)
    assert found.text.endswith(f"\nother seeds: {found.failing} of {found.tried} fail")


def test_what_has_not_failed_or_comes_from_another_process_is_refused() -> None:
    game = play(Exact(), RoundRobin(), sites=2, items=10)
    with pytest.raises(ValueError, match="only a failed game can be shorter; the verdict is ok"):
        game.shortest()
    with pytest.raises(ValueError, match="of this process"):
        pickle.loads(pickle.dumps(game)).shortest()


def test_known_start_and_network_are_kept() -> None:
    game = play(Planted(), RoundRobin(), sites=4, items=500, start=10, network={"latency": 2}, seed=3)
    found = game.shortest(seconds=1)
    assert (found.game.verdict, found.game.start) == ("failed", 10)
    assert found.game.max_lag > 0


@pytest.mark.parametrize("tracker", [Exact(), Robust(alpha=0.15)], ids=repr)
def test_conformance_prints_the_shortest_failing_game_of_a_planted_fault(tracker: Protocol) -> None:
    faulty = broken(tracker, "lost-reports")
    with pytest.raises(ConformanceError, match=r"shortest: \d site.*, sites fed: ") as fault:
        checked("it", {"promise": lambda: PROTOCOL_CHECKS["keeps its promise"](faulty, (2, 7), 600)})
    moves = str(fault.value).rpartition(": ")[2]
    assert play(faulty, Moves(moves), sites=9, items=50, seed=0).steps <= 50
    text = fault.value.test.replace(repr(faulty), "TRACKER")
    assert "play(TRACKER, " in text
    with pytest.raises(AssertionError, match="failed"):
        exec(f"{text}\n\ntest_the_shortest_failing_game()", {"TRACKER": faulty})


def test_the_faults_of_a_network_are_listed_and_shortened() -> None:
    network = {"latency": {"exponential": 3}, "loss": 0.05, "far": {"sites": 7, "latency": 9},
               "crash": {"rate": 0.001, "down": 9, "sites": "3-7"},
               "partition": {"sites": 6, "from": 40, "to": 60}}  # fmt: skip
    game = play(Deterministic(alpha=0.1), RoundRobin(), sites=8, items=500, seed=3, network=network)
    assert game.verdict == "failed"
    for fixed in (False, True):
        found = game.shortest(fixed=fixed, seconds=2)
        # the first report of the only site is lost: the output is 0 and the truth 1
        assert (found.game.sites, found.game.items) == (1, 1)
        assert found.network == {"latency": 0, "faults": "message 1 from 0 lost"}
        assert "\nfaults: message 1 from 0 lost" in found.text
        with pytest.raises(AssertionError, match="failed"):
            exec(f"{found.test('tracker')}\n\ntest_the_shortest_failing_game()", {"tracker": Deterministic(alpha=0.1)})
