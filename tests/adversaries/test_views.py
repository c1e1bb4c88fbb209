"""Each power sees what it declares, at the right moments, and no more; looking changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from read_only_views import hold_read_only, views_of

from disttrack.adversaries import Adversary, Burst, Schedule, StateView, TrafficView, View
from disttrack.adversaries.base import NOT_SHOWN, BlindView, Facts
from disttrack.adversaries.views import behind_glass
from disttrack.protocols import Block, Deterministic, Exact, Martingale, Protocol, Randomized, Robust
from disttrack.simulator import play
from disttrack.simulator.game.network import Latency

RNG = np.random.default_rng(0)
SIZES: dict[str, Any] = {"sites": 2, "items": 9, "rng": RNG, "known": {"alpha": 0.1}}
VIEWS: list[Facts] = [
    View(**SIZES),
    BlindView(**SIZES),
    TrafficView(**SIZES),
    StateView(look=lambda site: site, **SIZES),
]
PAGE = (Path(__file__).parents[2] / "docs/adversaries.md").read_text(encoding="utf-8")
DELAYS = [None, Latency(constant=5), Latency(mean=3.0)]
NOTES: dict[str, list[Any]] = {"heard": [], "asked": [], "views": []}


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: type(view).__name__)
def test_a_view_is_read_only(view: Facts) -> None:
    hold_read_only(view)


def test_every_class_of_views_is_tried() -> None:
    assert views_of("simulator", "adversaries") == {type(view) for view in VIEWS}


@dataclass
class Blinkered(Adversary):
    """Says that it is oblivious, and looks."""

    kind = "blinkered"
    source = "the test"
    oblivious = True
    name: str = "steps"

    def plan(self, view: View) -> Schedule:
        return Burst(int(bool(getattr(view, self.name))) % view.sites, 2)


@pytest.mark.parametrize(
    ("engine", "name"), [("step", "output"), ("leap", "changes"), ("leap", "changed_at"), ("auto", "answers")]
)
def test_who_says_that_it_is_oblivious_is_shown_no_output(engine: str, name: str) -> None:
    game = play(Randomized(alpha=0.2), Blinkered(name), sites=3, items=50, engine=engine, on_error="record")
    assert game.verdict == "error"
    assert f"view.{name} is not shown to an adversary that says oblivious = True" in game.error
    assert "test_views.py" in game.error


@pytest.mark.parametrize("name", ["steps", "sent", "left", "sites"])
def test_what_is_no_output_is_shown_to_it(name: str) -> None:
    game = play(Randomized(alpha=0.2), Blinkered(name), sites=3, items=50, engine="step")
    assert game.verdict in ("ok", "failed")


class Listener(Adversary):
    """Moves by what it hears, and notes it where the test can read it: each game plays a copy of the adversary."""

    kind = "listener"
    source = "the test"
    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "traffic"

    def plan(self, view: View) -> Schedule:
        assert isinstance(view, TrafficView)
        if not view.steps:
            for notes in NOTES.values():
                notes.clear()
        NOTES["heard"].extend(view.heard)
        NOTES["asked"].append(view.steps)
        NOTES["views"].append(view)
        return Burst((int(view.spoken.sum()) + 7 * len(view.heard)) % view.sites, 50)


class Looker(Listener):
    """The same moves, but looks at everything first."""

    kind = "looker"
    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "state"

    def plan(self, view: View) -> Schedule:
        assert isinstance(view, StateView)
        _ = view.server.output
        counted = sum(view.site(number).count for number in range(view.sites))
        assert counted == view.sent if view.known["kind"] == "block" else counted <= view.sent
        return super().plan(view)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("delay", DELAYS, ids=str)
@pytest.mark.parametrize("protocol", [Exact(), Randomized(alpha=0.2), Robust(alpha=0.5)], ids=lambda one: one.kind)
@pytest.mark.parametrize("engine", ["step", "leap"])
def test_traffic_is_what_the_transcript_says(engine: str, protocol: Protocol, delay: Latency | None) -> None:
    options: dict[str, Any] = {"sites": 5, "items": 2000, "seed": 3, "network": delay}
    game = play(protocol, Listener(), engine=engine, record=True, sees="traffic", **options)
    sent = game.transcript[["step", "sender", "receiver", "kind"]]
    rows = [tuple(row) for row in sent.itertuples(index=False)]
    assert len(NOTES["heard"]) > 20
    # what is sent in the last step is not shown any more: nobody is asked when all items are out
    assert [tuple(message) for message in NOTES["heard"]] == rows[: len(NOTES["heard"])]
    assert all(row[0] >= game.items for row in rows[len(NOTES["heard"]) :])
    # asked after every step in which a message was sent
    assert {row[0] for row in rows if row[0] < game.items} <= set(NOTES["asked"])
    view = NOTES["views"][-1]
    for site in range(5):
        steps = [message.step for message in NOTES["heard"] if message.sender == site]
        assert view.spoken[site] == len(steps)
        assert view.spoke_at[site] == max(steps, default=0)


@pytest.mark.parametrize("protocol", [Block(alpha=0.3), Robust(alpha=0.5), Martingale(alpha=0.3)], ids=lambda p: p.kind)
@pytest.mark.parametrize("engine", ["step", "leap"])
def test_looking_changes_nothing(engine: str, protocol: Protocol) -> None:
    """`Looker` also checks that sites have all of their items when they are looked at: in block's one round, all."""
    options: dict[str, Any] = {"sites": 5, "items": 900, "start": 1000, "seed": 3, "engine": engine, "record": True}
    listened = play(protocol, Listener(), sees="traffic", **options)
    looked = play(protocol, Looker(), sees="state", **options)
    assert listened.transcript.equals(looked.transcript)
    assert listened.outputs.equals(looked.outputs)
    assert len(looked.transcript) >= 15


class Keeping(Adversary):
    """Keeps what it was shown of a site, and leaves the site when it has seven items."""

    kind = "keeping"
    source = "the test"
    sees: ClassVar[Literal["outputs", "traffic", "state"]] = "state"

    def plan(self, view: Any) -> Schedule:
        if not view.steps:
            self.site = view.site(0)
        return Burst(int(self.site.count >= 7), 1)


def test_what_is_kept_of_a_site_shows_the_present_in_every_engine() -> None:
    """Seen: by `leap` it was the site of the step in which the view was asked for it."""
    sizes: dict[str, Any] = {"sites": 2, "items": 40, "sees": "state", "record": True}
    step, leap = (play(Deterministic(alpha=0.9), Keeping(), engine=engine, **sizes) for engine in ("step", "leap"))
    assert step.transcript.equals(leap.transcript)


def test_state_shows_thresholds_but_no_coins_of_the_future() -> None:
    class Curious(Adversary):
        """Tries everything."""

        kind, source = "curious", "the test"
        sees: ClassVar[Literal["outputs", "traffic", "state"]] = "state"

        def plan(self, view: View) -> Schedule:
            assert isinstance(view, StateView)
            site = view.site(0)
            assert site.count >= 0
            if view.known["kind"] == "block":
                assert site.due > site.count
                assert site.rule.size >= 1
            else:
                with pytest.raises(AttributeError, match="due is not shown"):
                    _ = site.due
            for hidden in ("silence", "_rule_of", "take", "coins", "rng", "rule._coins", "rule.gap"):
                with pytest.raises(AttributeError):
                    attrgetter(hidden)(site)
            with pytest.raises(AttributeError, match="can be looked at, not set"):
                site.count = 0
            with pytest.raises(IndexError):
                view.site(view.sites)
            return Burst(view.steps % view.sites, 97)

    for protocol in (Block(alpha=0.3), Randomized(alpha=0.3), Martingale(alpha=0.3)):
        game = play(protocol, Curious(), sites=3, items=2000, start=1000, sees="state")
        assert game.messages > 10


def test_glass_copies_what_could_be_changed() -> None:
    class Thing:
        """Holds one of each."""

        def __init__(self) -> None:
            self.numbers = [1, [2, 3]]
            self.array = np.arange(3)
            self.rng = np.random.default_rng(1)
            self.part = self.other()

        def other(self) -> Any:
            return object()

    thing = Thing()
    with pytest.raises(AttributeError, match="Thing is not shown"):
        behind_glass(thing)  # it holds a generator
    del thing.rng
    glass = behind_glass(thing)
    assert glass.numbers == (1, (2, 3))
    glass.array.flags.writeable  # noqa: B018 - shown
    with pytest.raises(ValueError, match="read-only"):
        glass.array[0] = 5
    assert thing.array[0] == 0
    with pytest.raises(AttributeError):
        glass.other  # noqa: B018 - a method


def test_items_by_site_are_a_tally_of_ones_own() -> None:
    """The one of the handbook: each item is a message of `exact`, so the ledger has the items of each site."""
    scope: dict[str, Any] = {}
    exec(compile(PAGE.partition("```python fewest.py\n")[2].partition("```")[0], "adversaries.md", "exec"), scope)
    items = play(Exact(), scope["fewest"], sites=3, items=395).messages_of_site[0]
    assert sum(items) == 395
    assert 0 < max(items) - min(items) <= 10


def test_the_handbook_names_all_that_views_with_more_power_have() -> None:
    table = PAGE.partition("## Views with more power")[2].partition("```")[0]
    names = {name for name in {*dir(StateView)} - {*dir(View)} - NOT_SHOWN if name[0] != "_"}
    assert names == {"heard", "server", "site", "spoke_at", "spoken"}
    assert [name for name in {*names, "answers"} if f"`{name}" not in table] == []
