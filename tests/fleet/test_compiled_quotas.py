"""The compiled form of each kind of quota plays the very game of `leap`, in every field, by drawn cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from small_fleets import SHAPED, Restless, a_quota, churn_at_once, longer, rounded, seldom, timed
from uncompiled import in_python

from disttrack.adversaries import Burst, Rest, RoundRobin, Uniform
from disttrack.fleet import compiled
from disttrack.fleet.book import in_order
from disttrack.fleet.change import Change
from disttrack.fleet.load_rules import GREEDY, NO_RULE
from disttrack.fleet.loads import Autoscaling, Boundary, ChurnOfSites, FlashCrowd, Greedy, Probing, Retrying, Starving
from disttrack.fleet.quotas import BatchQuota, Central, Lease, PeriodicQuota, Quota, SlidingLease, Split
from disttrack.fleet.quotas.sites import QuotaSite
from disttrack.fleet.quotas.state import LEFT
from disttrack.fleet.task import measured
from disttrack.mechanisms.shortcuts import void_by
from disttrack.protocols.base import Message, Protocol
from disttrack.simulator import play
from disttrack.simulator.game import engine_choice
from disttrack.simulator.game.network import Latency
from disttrack.simulator.kinds.faults import broken
from disttrack.simulator.kinds.registry import parameters

FORMED: Final = [(kind, shape) for kind, shape in SHAPED if kind.kernel_form is not Protocol.kernel_form]
FIELDS: Final = (
    *("verdict", "judged", "highest", "lowest", "first_failure", "failing_fraction", "output_changes", "items"),
    *("unsent", "steps", "messages", "words", "words_up", "words_down", "bits", "broadcasts", "messages_of_site"),
    *("coins", "error", "first_failing_step", "max_rel_error"),
)


def named(place: tuple[type[Quota], str]) -> str:
    """Return the name of a kind and shape."""
    return "-".join((place[0].kind, place[1]))


def facts(game: Any) -> dict[str, Any]:
    """Return all that a game says."""
    extra = {name: value for name, value in game.extra.items() if name not in ("book", "quota")}
    book = game.extra.get("book")
    noted = book and (  # leap notes the admissions of one step in the order in which it looks at the sites
        [sorted(zip(*map(np.ndarray.tolist, in_order(pages)), strict=True)) for pages in (book.admitted, book.offered)],
        (book.waited, book.admissions),
    )
    shown = {name: getattr(game, name) for name in FIELDS}
    return {**shown, **extra, "book": noted, "lists": game.lists()}


def hold_same(given: Mapping[str, Any], plain: str = "leap") -> Any:
    """Return the game of the compiled form, which is that of this engine."""
    expected, game = (play(**given, engine=engine, on_error="record") for engine in (plain, "compiled"))
    found = facts(game)
    assert [name for name, fact in facts(expected).items() if repr(fact) != repr(found[name])] == [], given
    return game


def loads(rng: random.Random) -> list[Any]:
    """Return loads, some that react and some that do not."""
    number, pause = rng.randrange(1000), rng.choice([1, 7])

    def stops(view: Any) -> Iterator[Any]:
        yield Rest(pause)
        yield Burst(0, 3)
        yield Change("leave", (0,))
        yield Burst(0)

    back = rng.choice(["none", "exponential", "bucket"])
    return [
        *(Restless(number), ChurnOfSites(rng.choice([1, 3])), Retrying(1.0, "fixed", 1), Greedy(), Uniform(), stops),
        *(Retrying(0.3, back, 5), Probing(), Autoscaling(0.5, True), FlashCrowd(), Boundary(0.3), RoundRobin()),
        *(Restless(number + 1), ChurnOfSites(2, False), churn_at_once, rng.choice([Greedy(5), Starving(number % 3)])),
        Autoscaling(0.3),
    ]


def carried(rng: random.Random, k: int, window: int) -> dict[str, Any]:
    """Return a network that arrays can carry: delays of each distribution, losses, messages that overtake, and cuts."""
    far = rng.choice([1, 1, 2, 3, 5, 9, 2 * window])
    spread = {"uniform": {"from": rng.choice([0, far // 2]), "to": far}}
    given: dict[str, Any] = {"latency": rng.choice([far, spread, spread, {"exponential": far / 2}])}
    if rng.random() < 0.2:
        given = {"latency": {"lognormal": {"median": far, "sigma": 0.5}}}
    if rng.random() < 0.4:
        given["latency_down"] = rng.choice([0, 0, 1, far])
    if rng.random() < 0.3:
        given["far"] = {"sites": k - 1, "latency": rng.choice([0, 7, given["latency"]])}
    chancy = not any(word in str(given) for word in ("exponential", "lognormal"))
    if chancy and rng.random() < 0.4:
        given |= rng.choice([{"loss": 0.2}, {"reordering": 0.3}, {"loss": 0.05, "reordering": 0.2}])
    if rng.random() < 0.2:
        given["partition"] = {"sites": "0-9", "from": 5, "to": 5 + window} if k > 9 else {"from": 5, "to": 5 + window}
    if rng.random() < 0.3:
        given["warm_up"] = rng.choice([1, 10])
    return given


def drawn(number: int, place: tuple[type[Quota], str]) -> dict[str, Any]:
    """Return a game drawn at random; loads and numbers of sites take turns."""
    rng = random.Random(f"compiled {number}")
    rule, some = longer(rng, timed(rng, rounded(rng, a_quota(rng, place)))), loads(rng)
    for more in ({"skew": 0}, {"reserve": 0, "settle": 0}):
        rule = rule if rule.kernel_form(1) else replace(rule, **more)
    items = rng.choice([1, 3, rule.window, 80, 80, 150])
    sizes = {"sites": [2, 3, 5, 9, 1][number % 5], "items": items, "seed": 1}
    network = carried(rng, sizes["sites"], rule.window) if number % 3 < 2 else None
    return {"protocol": rule, "adversary": some[number % len(some)], "network": network, **sizes}


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the loop in Python, which needs no numba."""
    monkeypatch.setattr(compiled, "functions_in_time", lambda loop, types, parts, seconds: in_python(loop, parts))
    monkeypatch.setattr(engine_choice, "available", lambda: True)


@pytest.mark.drawn(4)
@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("place", FORMED, ids=named)
def test_it_plays_the_game_of_leap(place: tuple[type[Quota], str]) -> None:
    """Also with one site and one request, no site, sites that die, costs known late, and networks with all faults.

    And with settings of deployed limiters, where a kind has them: late clocks that number windows, sites that are cut
    off, several limits.
    """
    met: Counter[str] = Counter()
    rare = {"one site", "one request", "deaths", "away", "costs known late", "both answers", "ended early", "waited"}
    rare |= {"loss", "reordering", "partition", "far", "warm_up", "uniform", "exponential", "lognormal"}
    rare |= {"lost", "on their way"}
    if place[1] == "window":
        rare |= {"late clocks"} | {"clock", "timeout", "limits"} & {*parameters(place[0])}
    for number in range(38):  # each load once, and again while something rare has not happened
        if number >= 19 and rare <= (+met).keys():
            break
        given = drawn(number, place)
        game = hold_same(given, ("step", "leap")[number % 2])
        looks, rule = game.extra.get("looks", [{}]), given["protocol"]
        met["late clocks"] += rule.skew > 0 and given["sites"] > 1 and game.items > rule.window
        met["clock"] += rule.clock == "client" and rule.skew > 0
        met["timeout"] += getattr(rule, "timeout", 0) > 0 and given["network"] is not None
        met["limits"] += bool(rule.limits)
        met["one site"] += given["sites"] == 1
        met["one request"] += given["items"] == 1
        met["deaths"] += game.extra.get("restarts", 0) > 0
        met["away"] += looks[-1].get("away", False)
        late = place[0] is PeriodicQuota and place[1] != "window"  # then it has no form
        met["costs known late"] += late or (given["protocol"].reserve > 0 and given["items"] > given["protocol"].settle)
        met["both answers"] += 0 < looks[-1].get("rejected", 0) < game.items
        met["ended early"] += game.unsent > 0
        met["waited"] += game.extra["book"].waited > 0
        network = given["network"] or {}
        met |= Counter({fact: 1 for fact in ("loss", "reordering", "partition", "far", "warm_up") if network.get(fact)})
        met |= Counter({word: 1 for word in ("uniform", "exponential", "lognormal") if word in str(network)})
        silent = place[0] is Split
        met["lost"] += silent or (game.extra.get("lost", 0) > 0 and "loss" in network)
        met["on their way"] += silent or game.extra.get("max_lag", 0) > 1
    assert rare <= (+met).keys(), met


EARLY: Final = {
    "batch-quota": {"stop": 2, "asks again": 2},
    "countdown-quota": {"stop": 2, "size": 1, "asks again": 2},
    "fair-lease": {"share": 25, "two ahead": 2},
    "gossip": {"gossip": 25},
    "weighted-split": {"share": 25, "two ahead": 2},
}
"""What late clocks meet in a few games, and how often at least: messages that come before their window begins at a
site, with one of a window after that, and sites that ask again, as a stop may have passed while they were away."""


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("place", [one for one in FORMED if one[0].kind in EARLY], ids=lambda place: place[0].kind)
def test_messages_that_come_before_their_window_count_in_it(
    monkeypatch: pytest.MonkeyPatch, place: tuple[type[Quota], str]
) -> None:
    met: Counter[str] = Counter()
    hear, turn = QuotaSite.hear, QuotaSite.turn

    def hears(site: Any, message: Message) -> Any:
        met[message.kind] += message.value[0] > site.window
        met["two ahead"] += message.value[0] > site.window + 1
        return hear(site, message)

    def turns(site: Any) -> Any:
        sent = turn(site)
        met["asks again"] += any(message.kind == "join" for message in sent)
        return sent

    monkeypatch.setattr(QuotaSite, "hear", hears)
    monkeypatch.setattr(QuotaSite, "turn", turns)
    for number in (*range(18), 40, 78):
        given = drawn(number, place)
        rule = replace(given["protocol"], limits="") if given["protocol"].limits else given["protocol"]
        given |= {"protocol": replace(rule, skew=(rule.window - 1) // (1 + number % 2)), "items": 3 * rule.window}
        hold_same(given)
    assert {name: met[name] for name, least in EARLY[place[0].kind].items() if met[name] < least} == {}


@pytest.mark.usefixtures("uncompiled")
def test_what_a_lease_returns_is_left_of_a_longer_limit() -> None:
    """One request in a window, at one of three sites that have leases from the windows before."""
    rule = Lease(9, 10, limits="20/300", fraction=1)
    assert hold_same({"protocol": rule, "adversary": seldom, "sites": 3, "items": 30}).looks[-1]["admitted"] == 20


@pytest.mark.drawn(8)
@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("place", SHAPED, ids=named)
def test_notes_that_are_added_up_on_the_way_give_the_same_measures(
    monkeypatch: pytest.MonkeyPatch, place: tuple[type[Quota], str]
) -> None:
    """In all engines, with letters on their way: of a few notes at a time."""
    rule = replace(a_quota(random.Random(2), place), skew=0, window=40, limit=30)
    given: dict[str, Any] = {"sites": 3, "items": 210, "seed": 2, "network": {"latency": 7}}
    engines = ("step", "leap", *(["compiled"] if rule.kernel_form(3, None, None) else []))  # type: ignore[arg-type]
    whole = [measured(play(rule, Uniform(), engine=engine, **given)) for engine in engines]
    monkeypatch.setattr("disttrack.fleet.book.KEPT", 3)
    monkeypatch.setattr("disttrack.fleet.compiled.NOTES_AT_ONCE", 5)
    games = [play(rule, Uniform(), engine=engine, **given) for engine in engines]
    assert [measured(game) for game in games] == whole
    for book in (game.book for game in games):
        assert book.sums.offered + book.sums.admitted > sum(book.offered[1]) + sum(book.admitted[1])


def hold_compiled(place: tuple[type[Quota], str]) -> None:
    """Hold a compiled form where more letters, chains, draws and requests wait than there is room for at first."""
    pytest.importorskip("numba")
    rule = replace(a_quota(random.Random(1), place), skew=7 * (place[1] == "window"), window=40, limit=30)
    slow = {"latency": {"uniform": {"from": 100, "to": 150}}, "latency_down": 3, "loss": 0.02}
    for load, network in ((Restless(2), None), (Uniform(), slow), (Restless(3), {"latency": {"exponential": 4}})):
        hold_same({"protocol": rule, "adversary": load, "network": network, "sites": 5, "items": 1000, "seed": 3})


QUICK: Final = (BatchQuota, "window")
"""Of this one the quick tests play the compiled form, on each day the same: it takes seconds only until it is kept."""


def test_compiled_it_plays_the_same() -> None:
    hold_compiled(QUICK)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("place", [one for one in FORMED if one != QUICK], ids=named)
def test_compiled_others_play_the_same(place: tuple[type[Quota], str]) -> None:
    """Seen: forms of two kinds in one process took each other's functions."""
    hold_compiled(QUICK)
    hold_compiled(place)


def test_all_kinds_with_a_form_are_among_these() -> None:
    assert len(FORMED) >= 8
    assert LEFT == 0  # the first of a site's numbers


def test_each_site_says_its_silence() -> None:
    """Seen: four kinds had lost it by rules of their own, and each request cost an event."""
    sites = [a_quota(random.Random(1), place).sites(2, np.random.default_rng(1))[0] for place in SHAPED]
    assert {void_by(type(site), "silence") for site in sites} == {""}


def test_a_class_with_another_rule_has_no_form() -> None:
    class Stingy(Lease):
        def granted(self, sites: int, left: int, price: int) -> int:
            return min(1, left)

    class Renamed(Lease):
        kind = "renamed"

    assert Stingy.kernel_form is Protocol.kernel_form
    assert Renamed.kernel_form is Lease.kernel_form

    class Patient(Greedy):
        def script(self, view: Any) -> Iterator[Any]:
            yield Rest(5)
            yield from super().script(view)

    assert (Greedy.ruled, Patient.ruled) == (GREEDY, NO_RULE)
    coarse = broken(Split(9, 30), "coarse")
    assert engine_choice.no_compiled_form(coarse)


class Doubled(Latency):
    """A rule of a user's own."""

    def sampler(self, rng: np.random.Generator) -> Callable[[], int]:
        draw = super().sampler(rng)
        return lambda: 2 * draw()


UNCARRIED: Final[tuple[Any, ...]] = (
    {"latency": 1, "duplication": 0.2},
    {"loss": 0.2, "link": "reliable"},
    {"latency": {"exponential": 3}, "loss": 0.2},
    {"latency": {"exponential": 3}, "latency_down": {"uniform": {"from": 1, "to": 3}}},
    {"latency": {"lognormal": {"median": 2, "sigma": 1}}, "latency_down": {"lognormal": {"median": 3, "sigma": 1}}},
    {"latency": 2**41},
    {"latency": 1, "faults": "message 3 from 0 lost"},
    Doubled(constant=2),
)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    ("rule", "network"),
    [
        (PeriodicQuota(9, 30, shape="sliding", reserve=2, settle=5), None),
        (SlidingLease(9, 30), None),
        *((Central(9, 30), network) for network in UNCARRIED),
    ],
    ids=str,
)
def test_what_has_no_form_or_no_network_that_arrays_carry_is_played_by_leap(rule: Quota, network: Any) -> None:
    given: dict[str, Any] = {"adversary": Greedy(), "sites": 3, "items": 90, "network": network}
    assert facts(play(rule, **given)) == facts(play(rule, **given, engine="leap"))
    with pytest.raises(ValueError, match="compiled can't play this game"):
        play(rule, **given, engine="compiled")


LARGE: Final = (2**62, 2**63 - 1, 2**64)
"""Numbers about the largest of an array."""
AT_THE_EDGE: Final = [
    (Lease(9, 30), Greedy),
    (Lease(9, 30), ChurnOfSites),
    *((PeriodicQuota(9, 30, every=number), Uniform) for number in LARGE),
    *((Lease(9, 30, reserve=2, settle=number), Uniform) for number in LARGE),
    *((BatchQuota(9, 30, size=number), Uniform) for number in LARGE),
    (Central(9, 10**12, shape="sliding", slots=10**12), Uniform),
]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("rule", "load"), AT_THE_EDGE, ids=str)
def test_numbers_that_no_array_takes_are_played_all_the_same(rule: Quota, load: Any) -> None:
    """Seen: `auto` ended with an OverflowError, and a site stayed for no time in place of ever."""
    for number in LARGE:
        given: Any = load() if load is Uniform else load(stay=number)
        games = [play(rule, given, sites=3, items=200, engine=engine) for engine in ("leap", "auto")]
        assert facts(games[0]) == facts(games[1])
        if load is Uniform:
            break
