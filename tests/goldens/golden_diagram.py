"""A game as a message diagram in plain text: every step, item, message, output and error of it."""

from __future__ import annotations

import copy
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from disttrack.adversaries import Adversary
from disttrack.protocols import Message, Protocol, Server, Site
from disttrack.simulator import Game, play
from disttrack.simulator.game.engine_choice import rules_of
from disttrack.simulator.game.play import hosted

HEAD = "  step  item to           truth   output    error   messages"
MARGIN = " " * HEAD.index("messages")
WIDEST = 14
"""Characters of the sites that a line of silent steps names at most."""


class Row(NamedTuple):
    """A message: who sent it to whom, its kind, and what it carries."""

    sender: int | str
    receiver: int | str
    kind: str
    value: Any


class Log:
    """What is overheard of a game: the site of each item, and what is carried on each channel, in order."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.carried: defaultdict[tuple[int | str, int | str], deque[Message]] = defaultdict(deque)


class OverheardSite(Site):
    """A site that does what another does, and writes it down."""

    def __init__(self, number: int, inner: Site, log: Log) -> None:
        self.number, self.inner, self.log = number, inner, log

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def silence(self) -> int:
        return self.inner.silence()

    def take(self, items: int) -> Sequence[Message]:
        self.log.items += [self.number] * items
        return self.inner.take(items)

    def hear(self, message: Message) -> Sequence[Message]:
        self.log.carried["server", self.number].append(message)
        return self.inner.hear(message)


class OverheardServer(Server):
    """A server that does what another does, and writes it down."""

    def __init__(self, inner: Server, log: Log) -> None:
        self.inner, self.log = inner, log

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def output(self) -> Any:  # type: ignore[override]
        return self.inner.output

    @property
    def rounds(self) -> int:  # type: ignore[override]
        return self.inner.rounds

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.log.carried[sender, "server"].append(message)
        return self.inner.hear(sender, message)


def overheard(protocol: Protocol, log: Log) -> Protocol:
    """Return the protocol with sites and a server that write down what they do."""

    base: Any = type(protocol)

    class Overheard(base):  # type: ignore[misc]
        def sites(self, *arguments: Any) -> list[Site]:
            return [OverheardSite(number, site, log) for number, site in enumerate(protocol.sites(*arguments))]

        def server(self, *arguments: Any) -> Server:
            return OverheardServer(protocol.server(*arguments), log)

    listened = copy.copy(protocol)
    object.__setattr__(listened, "__class__", Overheard)
    return listened


def diagram(protocol: Protocol, adversary: Adversary, *, sites: int, items: int, start: int = 0, seed: int = 1) -> str:
    """Return the diagram of a game, which the `step` engine plays."""
    log = Log()
    options = {"sites": sites, "items": items, "start": start, "seed": seed, "engine": "step", "record": True}
    with hosted(rules_of(protocol)[1]["step"]):  # no other game is overheard
        game = play(overheard(protocol, log), adversary, **options)  # type: ignore[arg-type]
    begun = f", {start} items counted before" if start else ""
    lines = [
        f"protocol   {_named(protocol, protocol.as_mapping())}",
        f"adversary  {_named(adversary, adversary.as_mapping())}",
        f"game       {sites} {'sites' if sites > 1 else 'site'}, {items} items{begun}, seed {seed}",
        "",
        HEAD,
        *_steps(game, log, start),
        "",
        *_end(game),
    ]
    return "\n".join(lines) + "\n"


def _named(side: Protocol | Adversary, parameters: Mapping[str, Any]) -> str:
    """Return kind and parameters of a side, those left at their defaults left out."""
    defaults = {field.name: field.default for field in fields(side)} if is_dataclass(side) else {}
    given = [f"{name}={value}" for name, value in parameters.items() if value != defaults[name]]
    return " ".join([side.kind, *given])


def _steps(game: Game, log: Log, start: int) -> Iterator[str]:
    """Yield the lines of all steps, silent ones in a row as one."""
    said = defaultdict(list)
    for row in game.transcript.itertuples():
        message = log.carried[row.sender, row.receiver].popleft()
        assert message.kind == row.kind
        said[row.step].append(Row(row.sender, row.receiver, message.kind, message.value))
    assert not any(log.carried.values())
    assert len(log.items) == game.items  # no step is skipped: the n-th item comes in step n
    changes = dict(zip(game.outputs["step"], game.outputs["output"], strict=True))
    output: Any = start
    everyone = set(range(game.sites))
    for silent, group in groupby(range(1, game.items + 1), key=lambda step: step not in said):
        if silent:
            yield from (_line(steps, log.items, start, output, game.alpha, "") for steps in _split(group, log.items))
            continue
        for step in group:
            output = changes.get(step, output)
            first, *more = _messages(said[step], everyone)
            yield _line([step], log.items, start, output, game.alpha, first)
            yield from (MARGIN + text for text in more)


def _split(silent: Iterable[int], items: list[int]) -> Iterator[list[int]]:
    """Yield silent steps in parts whose sites fit into a line."""
    part: list[int] = []
    for step in silent:
        if part and len(_sites([*part, step], items)) > WIDEST:
            yield part
            part = []
        part.append(step)
    yield part


def _sites(steps: Iterable[int], items: list[int]) -> str:
    """Return the sites that get the items of these steps, several in a row as one."""
    runs = [(site, len(list(run))) for site, run in groupby(items[step - 1] for step in steps)]
    return " ".join(f"{site}×{length}" if length > 1 else str(site) for site, length in runs)


def _line(steps: list[int], items: list[int], start: int, output: Any, alpha: float | None, text: str) -> str:
    last = steps[-1]
    when = f"{steps[0]}-{last}" if len(steps) > 1 else str(last)
    truth, value = start + last, Fraction(*output) if isinstance(output, tuple) else Fraction(output)
    error = (value - truth) / truth
    wrong = "!" if alpha is not None and abs(error) > Fraction(str(alpha)) else " "
    shown = f"{float(100 * error):+.1f}" if error else "0.0"
    return f"{when:>6}  {_sites(steps, items):<15}{truth:>7}{float(value):>9.5g}{shown:>8} %{wrong} {text}".rstrip()


def _messages(rows: list[Row], everyone: set[int]) -> Iterator[str]:
    """Yield the messages of a step, those in a row that go the same way with the same kind as one line."""
    for (upward, kind), group in groupby(rows, key=lambda row: (row.receiver == "server", row.kind)):
        same = list(group)
        if upward:
            senders = " ".join(str(row.sender) for row in same)
            values = ", ".join(shown for row in same if (shown := _shown(row.value)))
            yield f"{senders} → server: {kind} {values}".rstrip()
            continue
        for value, part in groupby(same, key=lambda row: _shown(row.value)):
            receivers = {row.receiver for row in part}
            whole = receivers == everyone and len(everyone) > 1
            to = f"all {len(everyone)}" if whole else " ".join(map(str, receivers))
            yield f"server → {to}: {kind} {value}".rstrip()


def _shown(value: Any) -> str:
    """Return what a message carries, nothing for a signal."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return "(" + ", ".join(_shown(part) or "all" for part in value) + ")"
    if isinstance(value, np.ndarray):
        return "[" + " ".join(str(part) for part in value) + "]"
    return str(value)


def _end(game: Game) -> Iterator[str]:
    kinds = ", ".join(f"{row.kind} {row.messages}" for row in game.kinds.itertuples())
    allowed = f", {100 * game.alpha:g} % allowed" if game.alpha is not None else ""
    failing = f", wrong in {100 * game.failing_fraction:.0f} % of the steps" if game.failing_fraction else ""
    yield f"messages   {game.messages} ({kinds}), {game.words} words, {game.bits} bits"
    largest = f"largest error {100 * game.max_rel_error:.1f} %{allowed}"
    yield f"outcome    rounds {game.rounds}, {largest}: {game.verdict}{failing}"
