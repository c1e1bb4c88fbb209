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
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.replay.plans import read
from disttrack.simulator.replay.record import SERVER, Asked, GameRecord, Sent
from disttrack.simulator.results.files import write_with

FORMAT: Final = "disttrack game"
VERSION: Final = 1
MOST_SITES: Final = 2**16
"""Sites of a game that can be replayed: each of them is looked at."""
LONGEST: Final = 1000
"""Letters of a name."""

Count = Annotated[int, Field(ge=0, le=2**61)]
Many = Annotated[int, Field(ge=0, le=2**40)]
Site = Annotated[int, Field(ge=SERVER, lt=MOST_SITES)]
Word = Annotated[str, Field(max_length=LONGEST)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Output = Annotated[int, Field(ge=-(2**100), le=2**100)] | Finite | Literal["nan", "inf", "-inf"]
Parameters = dict[str, Any] | None
ROW: Final[TypeAdapter[Any]] = TypeAdapter(
    tuple[Literal["m"], Count, Site, Site, Word, Many, Many]
    | tuple[Literal["o"], Count, Output]
    | tuple[Literal["t"], Count, Count, Output, Count, Parameters, Count],
    config=ConfigDict(strict=True),
)
"""A row of the file."""


class About(BaseModel):
    """What the first line says of a game; further keys are left as they are."""

    model_config = ConfigDict(strict=True, extra="allow")

    protocol: Word
    adversary: Word
    verdict: Word
    engine: Word
    sites: Annotated[int, Field(ge=1, le=MOST_SITES)]
    items: Count
    start: Count
    seed: Annotated[int, Field(ge=0, lt=2**128)]
    steps: Count
    max_lag: Count
    messages: Count
    words: Count
    alpha: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    first_failure: Count | None
    first_failing_step: Count | None
    max_rel_error: Output | None
    error: str | None
    protocol_parameters: Parameters = None
    adversary_parameters: Parameters = None
    network: Parameters = None
    scenario: Word | None = None
    point: Count | None = None
    trial: Count | None = None


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
    rows: dict[str, list[Any]] = {"m": [], "o": [], "t": []}
    for number, line in enumerate(lines[1:-1], 2):
        try:
            kind, step, row = _row(line, about["sites"], about["steps"])
        except ValueError as error:
            raise _DamageError(f"line {number}: no row of a recorded game") from error
        if rows[kind] and rows[kind][-1][0] > step:
            raise _DamageError("its rows are not in order")
        rows[kind].append(row)
    return GameRecord(about, rows["m"], rows["o"], rows["t"])


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _about(head: dict[str, Any]) -> dict[str, Any]:
    about = {key: value for key, value in head.items() if key not in ("format", "version")}
    try:
        About.model_validate(about)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise _DamageError(f"line 1: {fault['loc'][0]}: no value of a recorded game: {fault['msg']}") from error
    failed = about["first_failing_step"]
    if failed is not None and (failed > about["steps"] or about["alpha"] is None):
        raise _DamageError("line 1: first_failing_step: no step of this game that could fail")
    return about


def _row(line: bytes, sites: int, steps: int) -> tuple[str, int, Any]:
    """Return the kind of a row of the file, its step, and the row; ValueError if it is none of this game."""
    row: Any
    kind, step, *rest = ROW.validate_json(line)
    last, fits = step, True
    if kind == "m":
        row = Sent(step, *rest)
        fits = max(row.sender, row.receiver) < sites and (row.sender < 0) != (row.receiver < 0)
    elif kind == "o":
        row = (step, _output(rest[0]))
    else:
        sent, output, changes, plan, taken = rest
        last = step + taken
        row = Asked(step, sent, _output(output), changes, None if plan is None else read(plan, taken, sites), taken)
    if not fits or last > steps:
        raise ValueError("no step of this game")
    return kind, step, row


def _output(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value
