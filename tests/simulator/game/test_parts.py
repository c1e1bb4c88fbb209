"""Wrong parts of a user's tracker: one line each, with the method, its file and line, and what is accepted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from disttrack import Message, Protocol, RoundRobin, Server, Site, play
from disttrack.protocols.base import EVERYONE
from disttrack.simulator.errors import PartError

RIGHT = {"silence": 0, "take": [Message("item", 1)], "site hears": (), "server hears": [(EVERYONE, Message("new"))]}
LATE = 600
"""The item from which on a part is wrong: later than the short game in which parts are examined."""


class OwnSite(Site):
    """Answers what it was given, from the item `since` on."""

    def __init__(self, wrong: dict[str, Any], since: int) -> None:
        self.wrong, self.since, self.taken = wrong, since, 0

    def answer(self, name: str) -> Any:
        return self.wrong.get(name, RIGHT[name]) if self.taken >= self.since else RIGHT[name]

    def silence(self) -> Any:
        return self.answer("silence")

    def take(self, items: int) -> Any:
        self.taken += items
        return self.answer("take")

    def hear(self, message: Message) -> Any:
        return self.answer("site hears")


class OwnServer(Server):
    """The same for a server."""

    def __init__(self, wrong: dict[str, Any], since: int) -> None:
        self.wrong, self.since, self.heard = wrong, since, 0

    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.wrong.get("output", self.heard) if self.heard >= self.since else self.heard

    def hear(self, sender: int, message: Message) -> Any:
        self.heard += 1
        return self.wrong.get("server hears", RIGHT["server hears"]) if self.heard >= self.since else ()


def tracker(wrong: dict[str, Any], since: int = 0, site: Any = OwnSite, server: Any = OwnServer) -> Protocol:
    class Own(Protocol):
        def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
            usual = [site(wrong, since) for _ in range(k)]
            return wrong["sites"](usual) if "sites" in wrong else usual

        def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
            return wrong["server"] if "server" in wrong else server(wrong, since)

    return Own()


def refused(protocol: Protocol, method: str, engine: str = "auto", items: int = 30) -> str:
    """Return the line that says what is wrong with a protocol."""
    with pytest.raises(PartError) as caught:
        play(protocol, RoundRobin(), sites=3, items=items, engine=engine)
    line = str(caught.value)
    assert "\n" not in line
    assert re.search(r" \(test_parts\.py:\d+\)$", line), "and where the method is"
    assert method in line
    return line


def test_right_parts_play() -> None:
    assert play(tracker({}), RoundRobin(), sites=3, items=30).messages == 30 + 3 * 30
    two = tracker({"take": (Message("item", 1), Message("item", 1))})  # as a tuple, which is no pair with a receiver
    assert play(two, RoundRobin(), sites=3, items=30).messages >= 30


MESSAGES = [None, 3, Message("x", 1), [3], ["x"], [(0, Message("x"))], [Message(3, 1)]]  # type: ignore[arg-type]
WRONG = {
    ("OwnSite.take", "take"): MESSAGES,
    ("OwnSite.hear", "site hears"): MESSAGES,
    ("OwnSite.silence", "silence"): [-1, 1.5, "7"],
    ("OwnServer.hear", "server hears"): [None, 3, Message("x"), [Message("x")], (0, Message("x")), [(0, "x")]],
}


@pytest.mark.parametrize(
    ("method", "name", "value"), [(*part, value) for part, values in WRONG.items() for value in values], ids=repr
)
def test_a_wrong_value_of_any_part(method: str, name: str, value: object) -> None:
    line = refused(tracker({name: value}), method, "step" if value is None else "auto")
    assert "must " in line
    assert repr(value if not isinstance(value, list) else value[0]) in line


@pytest.mark.parametrize(
    ("method", "name"), [part for part in WRONG if part[1] != "silence"], ids=lambda name: str(name)
)
def test_a_part_that_is_wrong_later_in_the_game(method: str, name: str) -> None:
    refused(tracker({name: [3]}, LATE), method, items=4 * LATE)


@pytest.mark.parametrize("engine", ["auto", "step"])
@pytest.mark.parametrize("sites", [lambda own: own[:1], lambda own: own * 2, lambda own: None, lambda own: "abc"])
def test_a_wrong_number_of_sites_and_what_is_no_site(sites: Any, engine: str) -> None:
    refused(tracker({"sites": sites}), "Own.sites must return", engine)


@pytest.mark.parametrize("server", [None, OwnServer])
def test_what_is_no_server(server: Any) -> None:
    refused(tracker({"server": server}), "Own.server must return a Server")


def test_no_output() -> None:
    class NoOutput(Server):
        def __init__(self, *given: Any) -> None:
            pass

        def hear(self, sender: int, message: Message) -> Any:
            return ()

    assert "set self.output" in refused(tracker({}, server=NoOutput), "NoOutput.output is missing")


class Takes(OwnSite):
    def take(self) -> Any:  # type: ignore[override]
        return ()


class Hears(OwnSite):
    def hear(self) -> Any:  # type: ignore[override]
        return ()


class Silent(OwnSite):
    def silence(self, items: int) -> Any:  # type: ignore[override]
        return 0


class HearsNoSender(OwnServer):
    def hear(self, message: Message) -> Any:  # type: ignore[override]
        return ()


class MakesSites(Protocol):
    def sites(self, k: int) -> Any:  # type: ignore[override]
        return []

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return OwnServer({}, 0)


class MakesServer(Protocol):
    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
        return [OwnSite({}, 0) for _ in range(k)]

    def server(self) -> Any:  # type: ignore[override]
        return OwnServer({}, 0)


@pytest.mark.parametrize(
    ("protocol", "method", "wanted"),
    [
        (tracker({}, site=Takes), "Takes.take", "write take(self, items)"),
        (tracker({}, site=Hears), "Hears.hear", "write hear(self, message)"),
        (tracker({}, site=Silent), "Silent.silence", "write silence(self)"),
        (tracker({}, server=HearsNoSender), "HearsNoSender.hear", "write hear(self, sender, message)"),
        (MakesSites(), "MakesSites.sites", "write sites(self, k, rng, start=())"),
        (MakesServer(), "MakesServer.server", "write server(self, k, rng, start=())"),
    ],
)
def test_a_method_with_other_arguments(protocol: Protocol, method: str, wanted: str) -> None:
    assert wanted in refused(protocol, method)
