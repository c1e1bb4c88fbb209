"""The file of a recorded game: JSON Lines, a header, a line a row, and a checksum at the end.

========================================================= ==========================================================
line                                                      what it says
========================================================= ==========================================================
``{"format": "disttrack game", "version": 1, ...}``       the game: `GameRecord.about`
``["m", step, sender, receiver, kind, words, bits]``      a message; -1 stands for the server
``["o", step, output]``                                   the output is another one from this step on
``["t", step, sent, output, changes, plan, taken]``       the adversary was asked after this step; see `Asked`
``{"lines": n, "sha256": "..."}``                         the end: number and digest of all lines before this one
========================================================= ==========================================================

Outputs that are no finite number are written as ``"nan"``, ``"inf"`` and ``"-inf"``. Rows of a kind are in the order
in which things happened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any, Final

from simulator.errors import ScenarioError
from simulator.replay.plans import read
from simulator.replay.record import FACTS, Asked, GameRecord, Sent
from simulator.results.files import write_with

FORMAT: Final = "disttrack game"
VERSION: Final = 1

_WHOLE: Final = ("sites", "items", "start", "seed", "steps", "max_lag", "messages", "words")
_WORDS: Final = ("protocol", "adversary", "verdict", "engine")
_FAILURE: Final = ("first_failure", "first_failing_step")
_NO_NUMBERS: Final = ("nan", "inf", "-inf")


class _DamageError(Exception):
    """What is wrong with a file, and in which line."""


def save(record: GameRecord, path: Path) -> None:
    """Write a recorded game into a file."""

    def write(place: Path) -> None:
        digest, lines = hashlib.sha256(), 0
        with open(place, "w", encoding="utf-8", newline="") as file:
            for row in _lines(record):
                line = json.dumps(row, ensure_ascii=False, allow_nan=False, default=str) + "\n"
                digest.update(line.encode())
                file.write(line)
                lines += 1
            file.write(json.dumps({"lines": lines, "sha256": digest.hexdigest()}) + "\n")

    write_with(path, write)


def _lines(record: GameRecord) -> Iterator[Any]:
    about = {key: _number(value) if isinstance(value, float) else value for key, value in record.about.items()}
    yield {"format": FORMAT, "version": VERSION, **about}
    for message in record.messages:
        yield ["m", *message]
    for step, output in record.outputs:
        yield ["o", step, _number(output)]
    for turn in record.asked:
        yield ["t", *turn._replace(output=_number(turn.output))]


def _number(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def is_record(path: Path) -> bool:
    """Tell whether a file begins as that of a recorded game does."""
    try:
        with open(path, "rb") as file:
            return file.read(64).replace(b" ", b"").startswith(b'{"format":"' + FORMAT.replace(" ", "").encode())
    except OSError:
        return False


def load(path: Path) -> GameRecord:
    """Return the game that a file has recorded.

    Raises
    ------
    ScenarioError
        The file can't be read, is none of a recorded game, is of another version, or is damaged; in one line.
    """
    try:
        return _load(path.read_bytes().splitlines(keepends=True))
    except OSError as error:
        raise ScenarioError(f"{path}: cannot be read: {error.strerror or error}") from error
    except _DamageError as error:
        raise ScenarioError(f"{path}: {error}") from error


def _load(lines: list[bytes]) -> GameRecord:
    head = _json(lines[0]) if lines else None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise _DamageError("no recorded game; disttrack play --record FILE writes one")
    if head.get("version") != VERSION:
        raise _DamageError(f"a recorded game of version {head.get('version')!r}; this program reads version {VERSION}")
    last = _json(lines[-1])
    if not isinstance(last, dict) or "sha256" not in last:
        raise _DamageError("damaged: its end is missing; record the game again")
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    if last.get("lines") != len(lines) - 1 or last["sha256"] != digest:
        raise _DamageError("damaged: its contents do not match the checksum in its last line; record the game again")
    about = _about(head)
    messages: list[Sent] = []
    outputs: list[tuple[int, float]] = []
    asked: list[Asked] = []
    for number, line in enumerate(lines[1:-1], 2):
        try:
            _take(_json(line), about, messages, outputs, asked)
        except (ValueError, TypeError) as error:
            raise _DamageError(f"line {number}: no row of a recorded game") from error
    steps = [[row[0] for row in messages], [row[0] for row in outputs], [row[0] for row in asked]]
    for rows in steps:
        if any(later < step for step, later in pairwise(rows)):
            raise _DamageError("its rows are not in order")
    return GameRecord(about, messages, outputs, asked)


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _about(head: dict[str, Any]) -> dict[str, Any]:
    about = {key: value for key, value in head.items() if key not in ("format", "version")}
    wrong = [name for name in FACTS if name not in about]
    wrong += [name for name in _WHOLE if type(about.get(name)) is not int or about[name] < 0]
    wrong += [name for name in _WORDS if not isinstance(about.get(name), str)]
    if not isinstance(about.get("alpha"), int | float | None):
        wrong.append("alpha")
    wrong += [name for name in _FAILURE if type(about.get(name)) not in (int, type(None))]
    if about.get("sites") == 0:
        wrong.append("sites")
    if wrong:
        raise _DamageError(f"line 1: {wrong[0]} is missing or none of a recorded game")
    return about


def _take(
    row: Any, about: dict[str, Any], messages: list[Sent], outputs: list[tuple[int, float]], asked: list[Asked]
) -> None:
    """Take a row of the file in; ValueError or TypeError if it is none."""
    sites, steps = about["sites"], about["steps"]
    match row:
        case ["m", int(step), int(sender), int(receiver), str(kind), int(words), int(bits)]:
            fits = min(sender, receiver) >= -1 and max(sender, receiver) < sites and (sender < 0) != (receiver < 0)
            messages.append(Sent(_within(step, steps, fits), sender, receiver, kind, words, bits))
        case ["o", int(step), output]:
            outputs.append((_within(step, steps), _output(output)))
        case ["t", int(step), int(sent), output, int(changes), plan, int(taken)]:
            _within(step + taken, steps, taken >= 0)
            plan = None if plan is None else read(plan, taken, sites)
            asked.append(Asked(_within(step, steps), sent, _output(output), changes, plan, taken))
        case _:
            raise ValueError("no row")


def _within(step: int, steps: int, fits: bool = True) -> int:
    if not fits or not 0 <= step <= steps:
        raise ValueError("no step of this game")
    return step


def _output(value: Any) -> float:
    if value in _NO_NUMBERS:
        return float(value)
    if type(value) not in (int, float):
        raise ValueError("no output")
    number: float = value
    return number
