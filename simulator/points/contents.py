"""The files of the user's that a part of a point is made of, code and data: they belong to the identity of its games.

Code is the file or module of the part's kind, those of kinds that its parameters name (``of: mine:Mine``), and what
they import. Data are the files that a parameter `file` names, at any depth. What a class opens otherwise is not seen.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from disttrack.simulator.points.code import bare_digest, digest_of, helpers, is_ours, module_file, refuse_stale
from disttrack.simulator.points.registry import FAMILIES, kinds
from disttrack.simulator.points.source import Source, is_reference

_REFERENCE: Final = re.compile(r"(?P<module>[A-Za-z_][\w.]*|[^\n]*\.py):[A-Za-z_][\w.]*")


class Content(NamedTuple):
    """A file: where it is, and its digest: of code without docstrings and comments, of data as it is."""

    path: str
    digest: str


def contents(reference: str, source: Source | None, arguments: Any, folder: Path) -> dict[str, Content]:
    """Return the files of the user's that a part is made of, by names that stay when the folder moves.

    Parameters
    ----------
    reference
        The ``module:Class`` of its kind, which has been imported.
    source
        The file of its kind, if it is one.
    arguments, folder
        Its parameters, and where the files that they name are looked for before the current folder.

    Raises
    ------
    ScenarioError
        A module is not the one that this process has loaded.
    """
    if source is not None:
        path = Path(source.path)
        found = {"class": Content(source.path, bare_digest(source.text.encode()))}
        found |= _modules(helpers(path, source.text, [path.parent]))
    else:
        found = _code("class", reference, folder)
    for place, text in _texts(arguments):
        if place.rpartition(".")[2] == "file":
            if (file := _located(text, folder)) is not None:
                found[place] = Content(str(file.resolve()), digest_of(file))
        elif reference := foreign(text):
            found |= _code(place, reference, folder)
    return found


def foreign(text: str) -> str:
    """Return the reference of a kind that a parameter may name, if its code is no part of this project."""
    if not is_reference(text):
        text = next((kind.reference for family in FAMILIES if (kind := kinds(family).get(text)) is not None), "")
    return "" if is_ours(text.partition(":")[0]) else text


def with_files(arguments: Any, folder: Path, put: Callable[[Path], str]) -> Any:
    """Return parameters with something put in the place of each file that is there and that a `file` names."""
    if isinstance(arguments, list):
        return [with_files(inner, folder, put) for inner in arguments]
    if not isinstance(arguments, Mapping):
        return arguments
    made = {key: with_files(inner, folder, put) for key, inner in arguments.items()}
    if isinstance(made.get("file"), str) and (file := _located(made["file"], folder)) is not None:
        made["file"] = put(file)
    return made


def texts(value: Any) -> Iterator[str]:
    """Yield the texts in a parameter, at any depth."""
    yield from (text for _, text in _texts(value))


def _texts(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a parameter, each with its place: `of.file`."""
    if isinstance(value, str):
        yield place, value
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, one in inner:
        yield from _texts(one, f"{place}.{key}".lstrip("."))


def _code(place: str, reference: str, folder: Path) -> dict[str, Content]:
    """Return the file in which a reference stands, and what it imports; nothing of the project's own."""
    match = _REFERENCE.fullmatch(reference)
    module = match["module"] if match is not None else ""
    if not module or is_ours(module):
        return {}
    before = [folder, Path.cwd()]
    if module.endswith(".py"):
        name, file, before = place, _located(module, folder), []
    else:
        there = getattr(sys.modules.get(module), "__file__", None)
        name, file = module, Path(there) if there is not None else module_file(module, before)
        refuse_stale(name, file)
    if file is None:
        return {}
    text = file.read_text(encoding="utf-8", errors="replace")
    return _modules({name: file, **helpers(file, text, before or [file.parent])})


def _modules(files: Mapping[str, Path]) -> dict[str, Content]:
    return {name: Content(str(file), digest_of(file)) for name, file in files.items()}


def _located(name: str, folder: Path) -> Path | None:
    """Return the file that a parameter names, from the scenario's folder or the current; None if there is none."""
    try:
        path = Path(name).expanduser()
        return next((place for place in (folder / path, path) if place.is_file()), None)
    except (OSError, ValueError, RuntimeError):  # no name that a file could have, or no home
        return None
