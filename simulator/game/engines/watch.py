"""What an engine does for an adversary that sees more than the outputs: notes the traffic, opens the state.

Where an adversary sees outputs only, the way of a message stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adversaries.base import Adversary, View
from adversaries.schedules import Schedule
from adversaries.views import POWERS, Heard, StateView, TrafficView
from protocols.base import Message
from simulator.game.channels import TranscriptRow
from simulator.game.engines.simulated import SETTLE, Simulated


class Tap:
    """Stands where channels keep their transcript, and keeps what has been sent since the adversary was asked.

    Parameters
    ----------
    kept
        The transcript of the game, None if nothing is recorded.
    stir
        Called at each message.
    """

    def __init__(self, kept: list[TranscriptRow] | None, stir: Callable[[], None]) -> None:
        self.kept = kept
        self.fresh: list[Heard] = []
        self._stir = stir

    def append(self, record: TranscriptRow) -> None:
        """Take a message down."""
        if self.kept is not None:
            self.kept.append(record)
        self.fresh.append(Heard(*record[:4]))
        self._stir()


class Watcher(Adversary):
    """The adversary, told before each plan what it has seen."""

    def __init__(self, inner: Adversary, tap: Tap) -> None:
        self.inner = inner
        self._tap = tap
        self.kind, self.source = inner.kind, inner.source  # type: ignore[misc]

    def plan(self, view: View) -> Schedule | None:
        assert isinstance(view, TrafficView)
        view.see(self._tap.fresh)
        self._tap.fresh.clear()
        return self.inner.plan(view)


class Watched(Simulated):
    """A game whose clock is SimPy's, and whose adversary may see more than the outputs."""

    _tap: Tap | None = None

    def _speaker(self) -> Callable[[int, Sequence[Message], int], None]:
        if self.adversary.oblivious or self.adversary.sees == POWERS[0]:
            return super()._speaker()
        self._tap = _tapped(self)
        return _watched_speaker(self)

    @property
    def transcript(self) -> list[TranscriptRow] | None:
        return super().transcript if self._tap is None else self._tap.kept


def _tapped(engine: Simulated) -> Tap:
    """Give the engine's adversary the view that it declares, and have it asked after every step with traffic."""
    adversary, view = engine.adversary, engine.view
    tap = Tap(engine.channels.transcript, lambda: None if engine.network is None else stir())
    engine.channels.transcript = tap  # type: ignore[assignment]
    facts: dict[str, Any] = {name: getattr(view, name) for name in ("sites", "items", "start", "known", "rng")}

    def look(site: int | None) -> Any:
        if site is None:
            return engine.server
        if engine.now:
            engine.sync(site)  # a sleeping site is given the items that have come to it in silence
        return engine.sites[site]

    engine.view = StateView(look=look, **facts) if adversary.sees == POWERS[2] else TrafficView(**facts)
    engine.adversary = Watcher(adversary, tap)
    stir = _stirrer(engine, tap)
    return tap


def _watched_speaker(engine: Simulated) -> Callable[[int, Sequence[Message], int], None]:
    """Return what carries the words of a site in a step, judges the step, and lets the adversary look."""
    channels, instant = engine.channels, engine.network is None

    def speak(site: int, messages: Sequence[Message], step: int) -> None:
        engine._checkpoints(engine.start + engine.sent(step - 1), step - 1)
        channels.send_up(site, messages)
        if not instant:
            return
        if engine.server.output != engine.referee.output:
            engine.settle(step)
        elif (sent := engine.sent(step)) < engine.items:
            engine.ask(step, sent)
        if channels.touched:
            engine.rouse(site)

    return speak


def _stirrer(engine: Simulated, tap: Tap) -> Callable[[], None]:
    """Return what sees to it, on delayed channels, that the adversary is asked at the end of the step."""
    waiting = False

    def look() -> None:
        nonlocal waiting
        if not waiting:
            waiting = True
            engine.at(engine.now, SETTLE, consult)

    def consult(event: Any) -> None:
        nonlocal waiting
        waiting = False
        step = engine.now
        if engine.server.output != engine.referee.output:
            engine._checkpoints(engine.start + engine.sent(step - 1), step - 1)
            engine.settle(step)
        elif tap.fresh and (sent := engine.sent(step)) < engine.items:
            engine.ask(step, sent)

    return look
