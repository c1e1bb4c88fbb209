"""One game by all engines, and each number of it as its record says: any tracker, fault, adversary, network and size.

The cases are drawn anew each day (`--draw`). Compiled functions are played as they are written.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf, isfinite, nan
from typing import Any, Final

import numpy as np
import pytest
from compiled_rules import COMPILED
from scripted_protocol import Scripted
from test_compiled import OTHERS, TRACKERS, OwnPlans, facts, named, plans_of

from disttrack.adversaries import Adversary, Burst, Choice, Labels, Replay, View, oblivious, random_streams
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Batch, CoinReports, Countdown, Protocol, Randomized
from disttrack.protocols.base import Exactly
from disttrack.simulator import Game, ScenarioError, play
from disttrack.simulator.game import play as playing
from disttrack.simulator.game.engine_choice import uncompiled as why_not_compiled
from disttrack.simulator.game.engines import compiled as engine
from disttrack.simulator.game.network import Network, network_of
from disttrack.simulator.game.network.listed import read, written
from disttrack.simulator.game.play import Games
from disttrack.simulator.game.sides import as_adversary
from disttrack.simulator.kinds.faults import broken, faults_of
from tests.simulator.game.network.shipped import adversaries, protocols

# ---------------------------------------------------------------------- sides


def midway(odd: Any) -> Callable[[int], Any]:
    """Return the right output, but for what it shows from the 20th item to the 39th: that many steps fail."""
    return lambda items: odd if 20 <= items < 40 else items


ODD: Final = (nan, inf, -inf, None, "seven", 10**400, -(10**400), np.float32(nan), Exactly(1, 0))
UNUSUAL: Final = (lambda items: np.int64(items), lambda items: np.float32(items / 2), lambda items: Fraction(items, 3),
                  lambda items: Exactly(np.int64(3 * items), 2))  # type: ignore[arg-type]  # fmt: skip
PROTOCOLS: Final[list[Protocol]] = [
    *TRACKERS,
    Randomized(alpha=0.1, copies=3),
    *(kind(*sizes) for kind in (Countdown, Batch, CoinReports) for sizes in ((1, 0.2), (17, 1 - 1e-9), (130, 1e-9))),
    *(one for one in protocols() if type(one) not in set(map(type, TRACKERS))),
    *(Scripted(midway(odd)) for odd in ODD),
    *(Scripted(output) for output in UNUSUAL),
]


def each_step(view: View) -> int:
    return (view.steps + view.changes) % view.sites


def going_on(view: View) -> Iterator[Any]:
    site = 0
    while view.sent < 70:
        view = yield Burst(site)
        site = (site + view.changes) % view.sites


def raising(view: View) -> Iterator[Any]:
    for site in range(30):
        yield Burst(site % view.sites)
    raise RuntimeError(f"{view.sent} items: {view.steps} {view.output} {view.changes} {view.changed_at}")


class Raising(Adversary):
    """Raises after 37 items, which it gives in plans of five without looking at the outputs."""

    oblivious = True

    def plan(self, view: View) -> Labels:
        if view.sent == 37:
            raise RuntimeError("37 items: no more ideas")
        return Labels([0] * min(5, 37 - view.sent))


def wrong(view: View) -> int:
    return 0 if view.changes < 10 else view.sites


FEEDS: Final[list[Any]] = [
    *COMPILED, *OTHERS, *adversaries(), each_step, going_on, raising, wrong, Raising(),
    Choice(lambda view: view.steps % 3 or None),
    *(OwnPlans(oblivious, *plans) for oblivious in (True, False) for plans in ((1, 1), (50, 3), (175, 5))),
    *(plans_of(seed, Counter()) for seed in range(4)), *(Replay(of=name) for name in ("drain", "uniform", "bursts")),
]  # fmt: skip

# ---------------------------------------------------------------------- networks and sizes

LOSSY: Final = {"loss": 0.1, "duplication": 0.1, "reordering": 0.2}
LOST: Final = {"rate": 0.02, "down": 9, "state": "lost"}
LATENCIES: Final[list[dict[str, Any]]] = [
    {"latency": 1},
    {"latency": 0, "latency_down": 40, "duplication": 0.5},
    {"latency": {"uniform": {"from": 0, "to": 9}}, "latency_down": 2, "warm_up": 30},
    {"latency": {"exponential": 30}},
    {"latency": 1, "far": {"sites": 0, "latency": {"lognormal": {"median": 9, "sigma": 1}}}},
    {"loss": 0.2, "partition": {"sites": 0, "from": 40, "to": 90}},
    {"latency": {"uniform": {"from": 0, "to": 60}}, **LOSSY},
    {"latency": 300, "latency_down": 0},
    {"loss": 1.0},
]
"""Networks that some compiled forms know."""
HARD: Final[list[dict[str, Any]]] = [
    {"latency": {"exponential": 3}, "link": "reliable", **LOSSY},
    {"latency": 2, "partition": {"sites": 0, "from": 40, "to": 90}, "link": {"timeout": 7, "longest": 20}},
    {"latency": 2, "crash": LOST, **LOSSY},
    {"latency": 2, "crash": LOST, "server": {"rate": 0.01, "down": 6, "state": "lost", "checkpoint": 10}, **LOSSY,
     "link": "reliable"},
    {"latency": {"exponential": 2}, "crash": {"rate": 0.02, "down": 20}, "server": {"rate": 0.01, "down": 15}},
    {"latency": 1, "crash": {**LOST, "readmit": False}},
    {"link": "reliable", "crash": LOST, **LOSSY},
    {"latency": 2, "crash": {"at": 1, "down": 1, "state": "lost"}, "link": "reliable"},
    {"crash": {"at": 1, "down": 10**9}},
    {"latency": 1, "server": {"at": 1, "down": 3, "state": "lost"}},
    {"partition": {"from": 1, "to": 10**9}, "link": "reliable"},
    {"latency": 1, "crash": {"at": 50, "down": 50, "state": "lost"}},
    {"latency": 2, "faults": "messages from 0 late 6 9-30; messages to all lost 35-40; sites all cut 70-71"},
]  # fmt: skip


class NoDelay(Network):
    """A network on which nothing takes time, played as if something did."""

    instant = False


SIZES: Final[list[dict[str, int]]] = [
    {"sites": 1, "items": 1}, {"sites": 1, "items": 60}, {"sites": 4, "items": 150}, {"sites": 5, "items": 200},
    {"sites": 3, "items": 120, "start": 20}, {"sites": 7, "items": 200, "start": 10**5},
    {"sites": 20, "items": 90, "start": 37},
]  # fmt: skip
SWITCH: Final = 64
"""Items of a random stream that are given as labels, in most of these games."""

# ---------------------------------------------------------------------- what is held


def every_number(game: Game) -> dict[str, str]:
    """Return everything that is known of a game but its record, its engine and its time; as texts, nan is nan."""
    return {name: repr(value) for name, value in facts(game).items()}


def hold_one_game(protocol: Protocol, adversary: Any, network: Any, size: dict[str, int]) -> Counter[str]:
    """Hold all engines against each other, and their game against its record; return what happened."""
    case = named(protocol), named(adversary), network, size
    sees = getattr(adversary, "sees", "outputs")
    options: dict[str, Any] = {**size, "network": network, "sees": sees, "on_error": "record"}
    step, leap = (play(protocol, adversary, engine=name, record=True, **options) for name in ("step", "leap"))
    for table in ("transcript", "outputs"):
        assert getattr(step, table).equals(getattr(leap, table)), (table, case)
    hold_by_record(step, case)
    if raised := re.search(r"RuntimeError: (\d+) items", step.error or ""):
        assert int(raised[1]) == step.items, case
    if isinstance(network, NoDelay | None):
        assert (step.max_lag_error, step.max_lag) == (step.max_rel_error, 0), case
        if step.steps == step.items:
            hold_verdict(step, case)
    others = {"leap": leap}
    if isinstance(network, NoDelay):
        others["at once"] = play(protocol, adversary, **{**options, "network": None})
    seed = options.pop("seed")
    del options["on_error"]
    happened = Counter({step.verdict: 1, "restarts": step.restarts, "lost": step.lost, "rounds": step.rounds > 1})
    for name in ("leap", "compiled"):
        if name == "compiled" and why_not_compiled(protocol, as_adversary(adversary), network_of(network)):
            continue
        games = Games(protocol, adversary, engine=name, **options)
        try:
            if name == "compiled" or seed % 2:  # nothing goes over from a game to the next
                games.play(seed + 1)
            others[f"{name} of {seed}"] = games.play(seed)
            happened[name] += 1
        except ScenarioError:  # a plan or a size that only `leap` plays
            happened["left to leap"] += 1
    expected = every_number(step)
    for name, other in others.items():
        assert every_number(other) == expected, (name, case)
    if step.listed_network is not None and not isinstance(adversary, Replay) and step.error is None:
        hold_listed(step, protocol, adversary, {**options, "seed": seed}, case)
    return happened


def hold_by_record(game: Game, case: Any) -> None:
    """Hold the sums, the rows of the timeline and the verdict of a game against its messages and outputs."""
    table, outputs = game.transcript, dict(game.outputs.itertuples(index=False, name=None))
    ways = table.assign(messages=1, direction=np.where(table["receiver"] == "server", "up", "down"))
    columns = ["messages", "words", "bits"]
    sums = ways.groupby(["kind", "direction"])[columns].sum()
    kept = game.kinds.set_index(["kind", "direction"])[columns]
    of_links = kept.index.get_level_values("kind").isin(["ack", "retransmission", "number"])
    assert kept[~of_links].sort_index().to_dict() == sums.sort_index().to_dict(), case
    assert (game.messages, game.words, game.bits) == tuple(ways[columns].sum()), case
    by_site = [ways.loc[ways["direction"] == way, end] for way, end in (("up", "sender"), ("down", "receiver"))]
    assert game.messages_of_site == tuple([(one == site).sum() for site in range(game.sites)] for one in by_site), case
    assert table["step"].is_monotonic_increasing, case
    assert game.steps > game.items or (game.series["step"] == game.series["items"] - game.start).all(), case
    assert game.output_changes == len(outputs), case
    assert all(one != other for one, other in pairwise(map(as_number, outputs.values()))), case
    sent, words = table["step"].to_numpy(), np.append(0, table["words"].to_numpy().cumsum())
    begun = game.series["output"].iloc[0] if len(game.series) else 0.0
    for row in game.series.itertuples():
        said = np.count_nonzero(sent <= row.step)
        output = next((outputs[step] for step in reversed(outputs) if step <= row.step), begun)
        number = as_number(output)
        assert (row.messages, row.words) == (said, words[said]), case
        assert row.output == number or not isfinite(number), case
        assert row.rel_error == (number - row.items) / row.items or not isfinite(number), case


def as_number(output: Any) -> float:
    """Return an output as a float, an infinite one for what is no number."""
    try:
        value = float(Fraction(*output) if isinstance(output, Exactly) else output)
    except (OverflowError, TypeError, ValueError, ZeroDivisionError):
        return -inf if isinstance(output, int) and output < 0 else inf
    return inf if value != value else value


def hold_verdict(game: Game, case: Any) -> None:
    """Judge a game step by step; within rounding an error is neither above alpha nor below."""
    outputs = dict(game.outputs.itertuples(index=False, name=None))
    output, failing, near, worst = float(game.start), [], [], 0.0
    if len(game.series) and 1 not in outputs:
        output = game.series["output"].iloc[0]
    for step in range(1, game.steps + 1):
        output = as_number(outputs.get(step, output))
        error = abs(output / (game.start + step) - 1)
        worst = max(worst, error)
        if game.alpha is not None and error > game.alpha - 1e-12:
            (near if error < game.alpha + 1e-12 else failing).append(step)
    assert game.max_rel_error == pytest.approx(worst, rel=1e-12, abs=1e-15), case
    failed = round(game.failing_fraction * game.steps)
    assert len(failing) <= failed <= len(failing) + len(near), case
    if game.verdict != "error":
        decided = game.judged and game.alpha is not None
        assert game.verdict == ("failed" if failed else "ok" if decided else "undecided"), case
    if failed:
        assert game.first_failing_step in (failing[:1] + near), case
        assert game.first_failure == game.start + game.first_failing_step, case


def hold_listed(game: Game, protocol: Protocol, adversary: Any, options: dict[str, Any], case: Any) -> None:
    """Play the faults of a game once more, from the list that was made of them, by one of two engines."""
    faults, name = game.listed_network["faults"], ("step", "leap")[options["seed"] % 2]
    assert written(read(faults)) == faults, case
    options["network"] = game.listed_network
    again = play(protocol, adversary, engine=name, record=True, on_error="record", **options)
    assert again.transcript.equals(game.transcript), (faults, case)
    assert again.outputs.equals(game.outputs), (faults, case)
    assert (again.lost_rows or []) == (game.lost_rows or []), (faults, case)
    same = {"engine": "", "seconds": 0}
    assert {**again.row(), **same} == {**game.row(), **same}, (faults, case)


# ---------------------------------------------------------------------- the draw


def drawn(place: int, number: int, draw: random.Random) -> tuple[Protocol, Any, Any, dict[str, int]]:
    """Return a case of a tracker: without a network, with one that compiled forms know, or a hard one, in turn."""
    protocol, adversary = PROTOCOLS[place], draw.choice(FEEDS if number else [*COMPILED, *OTHERS])
    if number % 2 and (faults := faults_of(type(protocol))):
        protocol = broken(protocol, draw.choice(sorted(faults)))
    hard = LATENCIES if protocol.readmission == "none" else HARD  # without a rule for sites that come back
    at_once = draw.choice([None, None, NoDelay()]) if number else None
    network = (at_once, draw.choice(LATENCIES), draw.choice(hard))[number % 3]
    return protocol, adversary, network, {**draw.choice(SIZES), "seed": draw.randrange(100)}


@pytest.mark.skipif(not available(), reason="numba is not installed")
@pytest.mark.parametrize("games", [3, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("place", range(len(PROTOCOLS)))
def test_all_engines_play_one_game_as_its_record_says(uncompiled: None, place: int, games: int, draw: int) -> None:
    """Games of each tracker: the one that is intact and without a network, and two others, or all six kinds."""
    numbers, happened = random.Random(f"{draw} {place} {games}"), Counter[str]()
    for number in (0, *numbers.sample(range(1, 6), games - 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "LISTED", numbers.choice([7, 50, 2**16]))
            if number % 3:  # else they are tried beforehand, as a user's are: a quarter of the time
                patch.setattr(playing, "own_code", lambda side: "")
            if numbers.random() < 0.7:
                patch.setattr(random_streams, "switch", lambda sites: SWITCH)
                patch.setattr(random_streams, "available", lambda: False)
                patch.setattr(oblivious, "CHUNK", 20)
            happened += hold_one_game(*drawn(place, number, numbers))
    assert happened["leap"] == games
    assert happened["left to leap"] < 4
    assert happened["compiled"] or place >= len(TRACKERS)
