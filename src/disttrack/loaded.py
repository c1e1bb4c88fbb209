"""The texts of the user's modules as this process imported them: a file may be edited after its import.

A finder before all others notes the text of each module of the user's that is about to be imported. Modules that were
there before it are noted when it is installed, with the import of `disttrack`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Final

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
SINCE: Final = time.time_ns()
"""When this process began to import `disttrack`, in nanoseconds since the epoch."""
_texts: dict[str, bytes | None] = {}
"""The text of each module of the user's by its name; None if nobody knows it any more."""


def is_installed(path: Path) -> bool:
    """Return whether a file or folder is a library's, and no part of a checkout, whose code is edited."""
    return not _INSTALLED.isdisjoint(path.parts)


def text_of(module: ModuleType) -> bytes | None:
    """Return the text that a module of the user's was imported from; None if it may have changed before it was noted.

    A module that no import statement has loaded is noted when it is first asked for.
    """
    if module.__name__ not in _texts:
        _note_late(module)
    return _texts[module.__name__]


def watch_imports() -> None:
    """Note the user's modules that are there, and from now on each that is imported."""
    if any(isinstance(finder, _Watch) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Watch())
    for name, module in list(sys.modules.items()):
        if _may_be_users(name) and _is_users(getattr(module, "__file__", None)):
            _note_late(module)


class _Watch:
    """A finder of modules that asks all others, and notes the text that is going to be run."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what another finder has found; None for what is not the user's, and for a module that is reloaded."""
        if name in sys.modules or not _may_be_users(name):  # what imported it before still has the old one's members
            return None
        others = (getattr(one, "find_spec", None) for one in list(sys.meta_path) if one is not self)
        spec = next(filter(None, (find(name, path, target) for find in others if find is not None)), None)
        if spec is not None and _is_users(spec.origin):
            with suppress(OSError):
                _texts[name] = Path(str(spec.origin)).read_bytes()
        return spec


def _may_be_users(name: str) -> bool:
    top = name.partition(".")[0]
    return top not in ("disttrack", "__main__", "__mp_main__") and top not in sys.stdlib_module_names


def _is_users(file: str | None) -> bool:
    return file is not None and file.endswith(".py") and not is_installed(Path(file))


def _note_late(module: ModuleType) -> None:
    """Note a module that is there already: its file, if that is what it was when the module was imported."""
    _texts[module.__name__] = None
    with suppress(OSError):
        file = Path(str(module.__file__))
        state = file.stat()
        begins = getattr(module.__spec__, "_initializing", False)  # it imports disttrack itself
        if begins or max(state.st_mtime, state.st_ctime) <= _BEGAN:
            _texts[module.__name__] = file.read_bytes()


def _began() -> float:
    """Return when this process began, in seconds since the epoch; infinite where the system does not say."""
    try:
        ticks = int(Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[19])
        since_boot = (ticks + 1) / os.sysconf("SC_CLK_TCK")  # it has run no code of the user's before the next tick
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot
    except (OSError, ValueError, AttributeError, IndexError):
        return float("inf")


_BEGAN: Final = _began()
"""When this process began, or the one that it is a copy of."""
