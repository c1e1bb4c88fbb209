"""Figures and pages that are not made again: a command leaves files alone that it would only write once more.

Nothing here imports pandas or matplotlib.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from disttrack.simulator.experiments.results.files import is_inside
from disttrack.simulator.experiments.results.stored import (
    CHECKSUM,
    MANIFEST,
    digests_of,
    read_captions,
    read_manifest,
    store_manifest,
)
from disttrack.simulator.kinds.code import version_of, versions, whole_code
from disttrack.simulator.kinds.installed import BUILT_IN, compared
from disttrack.simulator.kinds.own_files import foreign, texts

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.folder import Results

_LIBRARIES: Final = ("matplotlib", "pillow", "kiwisolver", "fonttools", "cycler", "pyparsing")
"""What draws, beside the libraries of games; fonts are those that matplotlib brings."""
_KEPT: Final = frozenset({"written", "drawn", CHECKSUM})
"""Keys of a manifest that say which files there are, and its checksum, which moves with them."""
_HOW: Final = frozenset({"begun", "seconds", "workers", "games"})
"""Keys that say how a run went, which a page shows and no figure."""
PAGE: Final = "page"
"""The style of a page about a result, whose files are the figures in it, too."""
_ORIGIN: Final = "origin"


class Drawing:
    """The figures that one command draws of a result, or the page about it, known by all that they depend on.

    The manifest has, for each such command, the digest of its origin and a mark of each file. A mark stands for the
    bytes and for the place on this machine's disk: files that come with a copied or unpacked result are drawn again,
    whatever its manifest says. Code that is not the project's may read anything: with it, figures are always drawn.

    Parameters
    ----------
    results
        The result.
    asked, style
        As for `disttrack.draw`, or `PAGE`.
    """

    def __init__(self, results: Results, asked: Sequence[object] | None, style: str) -> None:
        self._folder = results.dir
        self._hidden = _KEPT if style == PAGE else _KEPT | _HOW
        self._call = json.dumps([style, asked], default=repr)
        scenario = (text for _, text in texts(results.scenario) if ":" not in text)  # results load no file or module
        others = [*scenario, *(text for _, text in texts(list(asked or ())))]
        self._origin = "" if results.own or any(map(foreign, others)) else self._origin_now()

    @property
    def known(self) -> bool:
        """Whether all is known that the files depend on."""
        return bool(self._origin)

    def files(self) -> list[Path]:
        """Return the files that would be written again as they are; empty if they must be written."""
        kept = read_manifest(self._folder / MANIFEST).get("drawn", {}).get(self._call, {})
        names = [name for name in kept if name != _ORIGIN]
        same = self._origin and names and kept == self._kept(names)
        return [self._folder / name for name in names] if same else []

    def keep(self, files: Iterable[Path]) -> None:
        """Remember the files that have been written, unless what they are made from has changed meanwhile."""
        if self._origin and self._origin == self._origin_now():
            manifest = read_manifest(self._folder / MANIFEST)
            kept = self._kept([path.relative_to(self._folder).as_posix() for path in files])
            store_manifest(self._folder, manifest | {"drawn": {**manifest.get("drawn", {}), self._call: kept}})

    def _origin_now(self) -> str:
        """Return the digest of tables, manifest, call, code and libraries."""
        manifest = read_manifest(self._folder / MANIFEST)
        others = sorted({*compared().values()} - {BUILT_IN})
        origin = {
            "folder": self._folder.resolve().name,
            "tables": digests_of(self._folder),
            "manifest": {key: value for key, value in manifest.items() if key not in self._hidden},
            "call": self._call,
            "code": whole_code(),
            "libraries": versions() | {name: version_of(name) for name in (*_LIBRARIES, *others)},
        }
        return hashlib.sha256(json.dumps(origin, sort_keys=True).encode()).hexdigest()

    def _kept(self, names: Iterable[str]) -> dict[str, str]:
        """Return what the manifest keeps of files: the origin, and their marks."""
        captions = read_captions(self._folder)
        return {_ORIGIN: self._origin, **{name: self._mark(name, captions) for name in names}}

    def _mark(self, name: str, captions: Mapping[str, str]) -> str:
        """Return the digest of a file, its place on the disk, and its caption; empty if it is not there."""
        path = self._folder / name
        if not (path.is_file() and is_inside(path, self._folder)):
            return ""
        state = path.stat()
        place = [state.st_ino, state.st_ctime_ns, captions.get(path.stem)]
        return hashlib.sha256(json.dumps(place).encode() + path.read_bytes()).hexdigest()
