"""Reading the files of a result, which may have been cut, damaged or edited by hand since a run wrote them.

Such a file is refused in one line, and a table that was cut short is never taken for a smaller result.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from io import BufferedIOBase, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from disttrack.simulator.experiments.results.files import is_inside, writing
from disttrack.simulator.game.columns import (
    CLAIMS,
    CLAIMS_CSV,
    ENDED,
    KINDS,
    KINDS_CSV,
    NETWORK,
    POINT,
    SERIES,
    SERIES_CSV,
    TRIAL,
    TRIAL_COLUMNS,
    TRIALS,
    TRIALS_CSV,
    VERDICT,
)

if TYPE_CHECKING:
    import pandas as pd

CONTROLS: Final = "controls.csv"
COLUMNS: Final = {
    TRIALS_CSV: TRIALS,
    SERIES_CSV: SERIES,
    KINDS_CSV: KINDS,
    CLAIMS_CSV: CLAIMS,
    CONTROLS: ("claim", "broken", *TRIALS),
}
"""The columns that each table must have; a task's own and swept parameters may follow."""
NAME: Final = "worst_item"
"""The column with the name of an item: a whole number of any size, or a text in quotes."""
MANIFEST: Final = "manifest.json"
"""The file with the origin of a result and the names and digests of its files."""
CHECKSUM: Final = "checksum"
"""The key of a manifest with the digest of all others."""
NUMBERS: Final = ("scenario", "seeds", "points")
"""The keys with numbers that may be too large for JSON, and are texts then."""
SENTENCES: Final = ("name", "question", "finding", "comment")
"""The keys of a scenario whose texts are no numbers."""
ERRORS: Final = "errors.txt"
"""The file in a folder of results with the tracebacks of games that an error ended."""
ANSWERS: Final = "answers.json"
"""The file in a folder of results with the tables that the end of a run shows, as data."""
CAPTIONS: Final = "figures/captions.json"
"""The file beside the figures with their captions, by the names of their files."""
TEXTS: Final = {
    "claim", "broken", "name", "where", "group", "measure", "bound", VERDICT, "note", "kind", "direction", NAME,
    *(column.name for column in TRIAL_COLUMNS if column.holds in ("text", "truth")),
}  # fmt: skip
"""Columns of text, also if it looks like a number: a protocol may be called 1.5. Others hold numbers."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of texts that a spreadsheet takes for a formula."""
LARGEST: Final = 2**53
"""Largest whole number up to which JavaScript, R, jq and spreadsheets, which read numbers as doubles, round none."""
_LONG: Final = re.compile(r"-?[1-9]\d{15,99}")

Simple = str | int | float | None
Plain = dict[str, Any]
"""An object of JSON: a manifest, a scenario, or a part of them."""


class _Lenient(BaseModel, extra="allow"):
    """A part of the file; keys that are not named here are left as they are."""


class _Claim(_Lenient):
    no_control: str | None = None
    source: str | list[str] | None = None


class _Scenario(_Lenient):
    question: str | None = None
    finding: str | None = None
    task: str | None = None
    protocol: str | Plain | list[str | Plain] | None = None
    adversary: str | Plain | list[str | Plain] | None = None
    parts: dict[str, Plain] | None = None
    claims: list[_Claim] | None = None
    plots: list[str | Plain] | None = None


class _Side(_Lenient):
    kind: str = ""
    alpha: Simple = None


class _Point(_Lenient):
    point: int
    protocol: _Side = _Side()
    adversary: _Side = _Side()
    sites: int | None = None
    items: int | None = None
    start: int | None = None
    network: Plain | None = None
    engine_asked: str | None = None
    part: str | None = None
    unusual: dict[str, dict[str, str]] = {}


class _Manifest(_Lenient):
    scenario: _Scenario
    code: dict[str, Simple] = {}
    files: dict[str, str] = {}
    versions: dict[str, Simple] = {}
    machine: dict[str, Simple] = {}
    seconds: float = 0.0
    games: dict[str, int] = {}
    tables: dict[str, str] = {}
    seeds: list[int] = []
    written: list[str] = []
    drawn: dict[str, dict[str, str]] = {}
    points: list[_Point] = []


def read_manifest(path: Path) -> Plain:
    """Return the content of a manifest.

    Raises
    ------
    ValueError
        It cannot be read, has a value of the wrong kind, or is not as it was written; the message, one line, names it.
    """
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        content = written
        if isinstance(written, dict):
            content = {name: _numbers(value) if name in NUMBERS else value for name, value in written.items()}
        _Manifest.model_validate(content, strict=True)
        if CHECKSUM in content and content[CHECKSUM] != _checksum(written):  # older versions wrote none
            raise ValueError("edited since it was written")
    except (RecursionError, OSError, ValueError) as error:  # bad JSON and undecodable bytes are ValueErrors
        raise ValueError(_unread(path.name, error)) from error
    return dict(content)


def _unread(name: str, error: Exception) -> str:
    """Return why a file cannot be read, in a line; of the faults of a model the first."""
    fault = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
    why = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" if fault else " ".join(str(error).split())
    return f"{name} cannot be read: {why}"


def read_captions(folder: Path) -> dict[str, str]:
    """Return the captions of a result's figures; none if they cannot be read, or a link leads to them elsewhere."""
    try:
        path = folder / CAPTIONS
        return TypeAdapter(dict[str, str]).validate_json(path.read_bytes()) if is_inside(path, folder) else {}
    except (OSError, ValueError):
        return {}


def store_manifest(folder: Path, manifest: Plain) -> None:
    """Write the manifest of a result, whole or not at all."""
    plain = in_texts(json.loads(json.dumps(manifest, default=str)))
    text = json.dumps({**plain, CHECKSUM: _checksum(plain)}, indent=1, ensure_ascii=False)
    with writing(folder) as start:
        start(MANIFEST).write(text + "\n")


def _numbers(value: Any) -> Any:
    """Return a part of a manifest with its large numbers, which texts stand for; sentences stay as they are."""
    kept = {name: value[name] for name in SENTENCES if name in value} if isinstance(value, dict) else {}
    return {**from_texts(value), **kept} if kept else from_texts(value)


def _checksum(manifest: Plain) -> str:
    """Return the SHA-256 of a manifest without its own checksum."""
    others = {name: value for name, value in manifest.items() if name != CHECKSUM}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()


def listed(folder: Path) -> frozenset[str]:
    """Return the files that runs, figures and pages have written into a folder, as its manifest lists them.

    Nothing else in the folder is ever removed. Without a manifest that can be read, nothing is listed.
    """
    try:
        manifest = read_manifest(folder / MANIFEST)
    except ValueError:
        return frozenset()
    return frozenset({*manifest.get("tables", ()), *manifest.get("written", ())})


def note_written(folder: Path, paths: Iterable[Path]) -> None:
    """Add files of a result, which have just been written, to the list in its manifest."""
    manifest = read_manifest(folder / MANIFEST)
    before = set(manifest.get("written", ()))
    after = before | {path.relative_to(folder).as_posix() for path in paths}
    if after != before:
        store_manifest(folder, {**manifest, "written": sorted(after)})


def table_file(path: Path) -> Path:
    """Return the file of a table: where there is no plain one, the compressed one, as of the reference results."""
    packed = path.with_name(f"{path.name}.gz")
    return packed if packed.is_file() and not path.is_file() else path


def opened_table(path: Path) -> BufferedIOBase:
    """Open a table, plain or compressed, to read the bytes that a run wrote."""
    file = table_file(path)
    return gzip.open(file) if file != path else open(path, "rb")


def guarded(text: str) -> str:
    """Return a text as a cell: after an apostrophe if a spreadsheet would run it as a formula.

    Examples
    --------
    >>> guarded("exact"), guarded("=1+1"), unguarded(guarded("=1+1")), unguarded(guarded("'=1"))
    ('exact', "'=1+1", '=1+1', "'=1")
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def unguarded(cell: Any) -> Any:
    """Return the text of a cell; other values as they are."""
    return cell[1:] if isinstance(cell, str) and cell[:1] == "'" and cell.lstrip("'").startswith(FORMULA) else cell


def text_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, cells as text; none if it is absent."""
    if not table_file(path).is_file():
        return []
    with opened_table(path) as file:
        rows = csv.DictReader(StringIO(file.read().decode("utf-8"), newline=""))
        return [{name: unguarded(cell) for name, cell in row.items()} for row in rows]


def read_table(path: Path, digests: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a table; one that is absent or has no header is empty.

    Parameters
    ----------
    path
        The file, `.csv` also where the folder has it compressed.
    digests
        The SHA-256 of each table of the result by its name, if they are known.

    Raises
    ------
    ValueError
        It cannot be read, or is not as a run writes it; the message is one line.
    """
    import pandas as pd  # only here: figures that need not be drawn again need no tables

    name, known, file = path.name, COLUMNS[path.name], table_file(path)
    try:
        _refuse_other(path, digests)
        # only blank cells are missing: a claim may be called NA
        texts = dict.fromkeys(TEXTS.intersection({*known, NAME}), str)
        # older versions of pandas round numbers unless they are asked not to, newer ones deprecate the question
        older = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
        exact: dict[str, Any] = {"float_precision": "round_trip"} if older else {}
        table: pd.DataFrame = pd.read_csv(file, keep_default_na=False, na_values=[""], dtype=texts, **exact)
        others = [column for column in table if column not in known and table[column].dtype.kind in "iuf"]
        if others and POINT in known:
            # a parameter whose values are 007 and 7 is one of texts
            written = pd.read_csv(file, usecols=others, keep_default_na=False, na_values=[""], dtype=str)
            for column in others:
                if written[column].str.match(r"[+-]?0\d|\+", na=False).any():
                    table[column] = written[column]
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return pd.DataFrame(columns=known)
    except (OSError, ValueError, OverflowError, EOFError, zlib.error) as error:  # of bad rows and bytes: ValueError
        raise ValueError(_unread(name, error)) from error
    for column in known:
        if column not in table:
            raise ValueError(f"{name} has no column {column}")
    for column in table.columns.intersection([*known, *NETWORK, *ENDED]):
        _check(name, table[column])
    for column in table.columns:
        texts_of = table[column].unique() if table[column].dtype.kind not in "iufb" else ()
        if any(unguarded(text) is not text for text in texts_of):
            table[column] = table[column].map(unguarded)
    if "ok" in table:
        table["ok"] = table["ok"] == "True"
    return table


def _refuse_other(path: Path, digests: Mapping[str, str] | None) -> None:
    """Refuse a table that has been cut, or that is another one than its manifest was written with."""
    there = table_file(path).exists()
    if digests is not None:
        if there and path.name not in digests:
            raise ValueError("no table of the result; move it")
        left_out = path.name == SERIES_CSV and not there  # it is large, and only some figures need it
        if not left_out and _digest(path) != digests.get(path.name):
            raise ValueError("not that of manifest.json")
    elif path.is_file() and not path.read_bytes().endswith(b"\n"):
        raise ValueError("it is not whole")


def _check(table: str, values: pd.Series[float]) -> None:
    """Refuse a column of numbers that contains something else, and a point or trial that is no whole number."""
    kinds = "iu" if values.name in (POINT, TRIAL) else "iuf"
    if values.name not in TEXTS and values.dtype.kind not in kinds and len(values.dropna()):
        raise ValueError(f"{table}, column {values.name}: not all are {'whole ' * (len(kinds) == 2)}numbers")


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each table of a folder, to which `read_table` holds it."""
    return {name: digest for name in COLUMNS if (digest := _digest(folder / name)) is not None}


def _digest(path: Path) -> str | None:
    if not table_file(path).is_file():
        return None
    with opened_table(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def in_texts(value: Any) -> Any:
    """Return plain values with the whole numbers beyond `LARGEST` as texts.

    >>> in_texts({"seed": 2**53 + 1, "items": [2**53]})
    {'seed': '9007199254740993', 'items': [9007199254740992]}
    """
    if isinstance(value, dict):
        return {name: in_texts(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_texts(one) for one in value]
    return str(value) if isinstance(value, int) and abs(value) > LARGEST else value


def from_texts(value: Any) -> Any:
    """Return plain values with the texts of `in_texts` as whole numbers again.

    >>> from_texts({"seed": "9007199254740993", "items": ["12", 9007199254740992]})
    {'seed': 9007199254740993, 'items': ['12', 9007199254740992]}
    """
    if isinstance(value, dict):
        return {name: from_texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [from_texts(one) for one in value]
    long = isinstance(value, str) and _LONG.fullmatch(value) and abs(int(value)) > LARGEST
    return int(value) if long else value
