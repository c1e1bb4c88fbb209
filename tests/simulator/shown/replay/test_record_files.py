"""Files of recorded games: what is read is what was written, and anything else is refused in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hostile import sealed
from recorded_games import Motley, recorded

from disttrack.adversaries import Adversary, Burst, Freeze, RoundRobin, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Deterministic, Message, Protocol, Randomized, Server, Site
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.network import Latency
from disttrack.simulator.shown.replay.drawing import drawing
from disttrack.simulator.shown.replay.files import load, save
from disttrack.simulator.shown.replay.frames import on_one_clock
from disttrack.simulator.shown.replay.page import page
from disttrack.simulator.shown.replay.record import GameRecord, record_of


class Lost(Server):
    """Shows no number, then infinity, then a number."""

    output: Any = 0

    def hear(self, sender: int, message: Message) -> list[Any]:
        self.output = {0: float("nan")}.get(self.output, float("inf")) if self.output != float("inf") else 2.5
        return []


class Talker(Site):
    """Says something at each item."""

    def take(self, items: int) -> list[Message]:
        return [Message("“new”")] * items

    def hear(self, message: Message) -> list[Message]:
        return []

    def silence(self) -> int:
        return 0


class NoNumbers(Protocol):
    """Its outputs are no numbers."""

    alpha = 0.1

    def sites(self, k: int, rng: Any, start: Any = ()) -> list[Site]:
        return [Talker() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Any = ()) -> Server:
        return Lost()


@pytest.fixture
def game() -> GameRecord:
    return recorded(Randomized(alpha=0.1), Freeze(), sites=8, items=400)[1]


@pytest.mark.parametrize(
    ("protocol", "adversary", "sizes"),
    [
        (Randomized(alpha=0.1), Freeze(), {"sites": 8, "items": 400, "start": 30}),
        (Randomized(alpha=0.1), Motley(), {"sites": 5, "items": 400}),
        (Deterministic(alpha=0.1), RoundRobin(), {"sites": 1, "items": 1}),
        (Deterministic(alpha=0.1), RoundRobin(), {"sites": 2, "items": 0}),
        (NoNumbers(), RoundRobin(), {"sites": 2, "items": 5}),
        (Randomized(alpha=0.1), Freeze(), {"sites": 4, "items": 200, "network": Latency(constant=3)}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_was_written_is_read(tmp_path: Path, protocol: Any, adversary: Any, sizes: dict[str, Any]) -> None:
    _, record = recorded(protocol, adversary, **sizes)
    path = tmp_path / "game.jsonl"
    save(record, path)
    again = load(path)
    assert (again.messages, again.asked) == (record.messages, record.asked)
    assert repr(again.outputs) == repr(record.outputs)  # no number equals itself
    assert repr(again.about) == repr(record.about)
    save(again, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


def test_without_recording_there_is_no_record() -> None:
    game = play(Deterministic(alpha=0.1), RoundRobin(), sites=2, items=10)
    with pytest.raises(ValueError, match="record=True"):
        record_of(game)


def refused(path: Path) -> str:
    with pytest.raises(ScenarioError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


@pytest.mark.parametrize("text", ["", "step,sender\n1,2\n", '{"format": "another"}\n', "\x00\xff"])
def test_a_foreign_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "foreign"
    path.write_text(text)
    assert "not a recorded game" in refused(path)
    assert "cannot be read" in refused(tmp_path / "missing")
    assert "cannot be read" in refused(tmp_path)


def crosses(svg: str) -> int:
    """Return the number of crosses of a drawing."""
    marks = re.findall(r'<path id="(\w+)" d="M -1.75 1.75', svg)
    return sum(svg.count(f'xlink:href="#{mark}"') for mark in marks)


def test_lost_messages_are_broken_off_and_of_an_older_file_are_not_known(tmp_path: Path) -> None:
    """They looked like messages that arrived."""
    network = {"latency": 3, "partition": {"sites": "0-1", "from": 20, "to": 60}}
    game = play(Deterministic(alpha=0.1), Freeze(), sites=4, items=100, network=network, record=True)
    save(record_of(game), tmp_path / "game.jsonl")
    record = load(tmp_path / "game.jsonl")
    cut = [
        row for row, one in enumerate(record.messages) if 20 <= one.step <= 60 and {one.sender, one.receiver} & {0, 1}
    ]
    assert record.about.lost == cut
    assert len(cut) == game.lost > 5
    (frames,), folded = on_one_clock([record])
    assert not folded
    picture = drawing([record])
    assert frames.arrows.lost.sum() == crosses(picture) == len(cut)
    assert crosses(drawing([record], 70)) == 0
    assert f"messages take time; {len(cut)} of them lost; only" in page([record])
    assert "lost ones: a cross" in " ".join(re.findall(r">([^<]+)</text>", picture))

    head, *rows = [json.loads(line) for line in (tmp_path / "game.jsonl").read_text().splitlines()[:-1]]
    del head["lost"]
    (tmp_path / "game.jsonl").write_bytes(sealed([head, *rows]))
    old = load(tmp_path / "game.jsonl")
    assert crosses(drawing([old])) == 0
    assert "messages take time; lost ones unknown; only" in page([old])


def test_an_estimate_beyond_the_chart_is_said_to_be_at_its_edge() -> None:
    _, within = recorded(Deterministic(alpha=0.1), Freeze(), sites=4, items=100)
    _, beyond = recorded(NoNumbers(), RoundRobin(), sites=2, items=5)
    foot = "Estimates beyond the chart: at its edge."
    assert [foot in drawing([record]) for record in (within, beyond)] == [False, True]


class Failing(Adversary):
    """Raises in the course of the game, or at once."""

    def __init__(self, after: int) -> None:
        self._after = after

    def plan(self, view: View) -> Schedule:
        if view.steps >= self._after:
            raise RuntimeError("no </script> more")
        return Burst(view.steps % view.sites, 10)


def test_a_game_that_an_error_ended_is_recorded_up_to_there(tmp_path: Path) -> None:
    game, record = recorded(Deterministic(alpha=0.1), Failing(30), sites=3, items=200, on_error="record")
    assert 0 < game.steps < 200
    save(record, tmp_path / "game.jsonl")
    assert load(tmp_path / "game.jsonl").messages == record.messages
    shown = page([record])
    assert "ended by an error: RuntimeError: no &lt;/script&gt; more" in shown
    assert "no </script> more" not in shown
    with pytest.raises(ScenarioError, match="no step was played: RuntimeError"):
        recorded(Deterministic(alpha=0.1), Failing(0), sites=3, items=200, on_error="record")


def test_numbers_that_a_browser_would_round_are_written_out() -> None:
    _, record = recorded(Randomized(alpha=0.1), Freeze(), sites=4, items=30, start=2**60)
    assert f'"{2**60 + 30:,}"' in page([record])
    assert f"{2**60:,}" in page([record])
