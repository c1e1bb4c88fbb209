"""The file of a recorded game: JSON Lines, a header, a line per row, and a checksum at the end.

========================================================= ==========================================================
line                                                      contents
========================================================= ==========================================================
``{"format": "disttrack game", "version": 1, ...}``       the game: `About`
``["m", step, sender, receiver, kind, words, bits]``      a message, `Sent`; -1 is the server
``["o", step, output]``                                   the output from this step on
``["t", step, sent, output, changes, plan, taken]``       the adversary was asked after this step: `Asked`
``{"lines": n, "sha256": "..."}``                         the end: number and digest of all lines before this one
========================================================= ==========================================================

Outputs that are no finite number are written as ``"nan"``, ``"inf"`` and ``"-inf"``. Rows of a kind are in the order
in which things happened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from disttrack.simulator.errors import ScenarioError, cannot_be
from disttrack.simulator.experiments.results.files import replacing
from disttrack.simulator.experiments.results.stored import from_texts, in_texts
from disttrack.simulator.shown.replay.record import SERVER, GameRecord
from disttrack.simulator.shown.replay.stream import UNFIT, Stream

FORMAT: Final = "disttrack game"
VERSION: Final = 1
_OTHER: Final = "not a recorded game"


def save(record: GameRecord, path: Path) -> None:
    """Write a recorded game into a file."""
    lines = [_line(row) for row in _rows(record)]
    with replacing(path) as part:
        part.write_bytes(b"".join([*lines, _end(lines)]))


def _rows(record: GameRecord) -> Iterator[object]:
    about = {key: _number(value) for key, value in record.about.model_dump(exclude_unset=True).items()}
    yield {"format": FORMAT, "version": VERSION, **about}
    yield from (["m", *message] for message in record.messages)
    yield from (["o", step, _number(output)] for step, output in record.outputs)
    yield from (["t", *turn._replace(output=_number(turn.output))] for turn in record.asked)


def _line(row: object) -> bytes:
    return json.dumps(in_texts(row), ensure_ascii=False, allow_nan=False, default=str).encode() + b"\n"


def _end(lines: Sequence[bytes]) -> bytes:
    return _line({"lines": len(lines), "sha256": hashlib.sha256(b"".join(lines)).hexdigest()})


def _number(value: object) -> Any:
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def load(path: Path) -> GameRecord:
    """Return the game that a file has recorded.

    Raises
    ------
    ScenarioError
        The file can't be read, is none of a recorded game, is of another version, or is damaged; in one line.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
        head = json.loads(lines[0])
    except OSError as error:
        raise ScenarioError(cannot_be("read", path, error)) from error
    except (ValueError, IndexError, RecursionError):  # the last of JSON nested too deep
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ScenarioError(f"{path}: {_OTHER}; see disttrack play --record")
    if head.get("version") != VERSION:
        raise ScenarioError(
            f"{path}: a recorded game of version {head.get('version')!r}, not {VERSION}"
        )
    if lines[-1] != _end(lines[:-1]):
        raise ScenarioError(f"{path}: checksum does not match; record it again")
    try:
        return _record(head, lines[1:-1])
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise ScenarioError(f"{path}: {_OTHER}: {where}: {fault['msg']}") from error
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise ScenarioError(f"{path}: {_OTHER}: {error}") from error


def _record(head: dict[str, object], lines: Sequence[bytes]) -> GameRecord:
    """Return a record; ValueError, TypeError or LookupError if its parts do not fit each other."""
    rows: dict[str, list[Any]] = {"m": [], "o": [], "t": []}
    for line in lines:
        kind, *row = json.loads(line)
        rows[kind].append(row)
    given = {key: from_texts(head.get(key)) for key in ("protocol_parameters", "adversary_parameters", "network")}
    facts = {**head, **{key: value for key, value in given.items() if key in head}}
    parts = {"about": facts, "messages": rows["m"], "outputs": rows["o"], "asked": rows["t"]}
    record = TypeAdapter(GameRecord).validate_python(parts)
    about = record.about
    every: list[Any] = [*record.messages, *record.outputs, *record.asked]
    ends = [sorted((message.sender, message.receiver)) for message in record.messages]
    fits = max([*(row[0] for row in every), about.first_failing_step or 0]) <= about.steps
    fits = fits and (about.alpha is not None or about.first_failing_step is None)
    fits = fits and max(about.lost or [-1]) < len(record.messages)
    if not (fits and all(low == SERVER and 0 <= high < about.sites for low, high in ends)):
        raise ValueError(UNFIT)
    Stream(record)  # refuses plans that do not fit
    return record
