"""The texts of the user's modules as this process imported them: a file may be edited after its import.

Python does not keep when it imported a module, nor from which text. The text is that of the file if this has not
changed since a time at which the module was not there, or if the file that Python compiled is of the same text. It is
looked up early: with the import of `disttrack`, when a module extends a class of ours, and around our own imports.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from struct import pack
from types import ModuleType
from typing import Final
from weakref import WeakKeyDictionary, WeakSet

SINCE: Final = time.time_ns()
"""When this process began to import `disttrack`, in nanoseconds since the epoch."""
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_texts: WeakKeyDictionary[ModuleType, bytes | None] = WeakKeyDictionary()
"""The text of each module of the user's; None if nobody knows it any more."""
_libraries: WeakSet[ModuleType] = WeakSet()
"""Modules that were found to be installed: all are asked for again around each import."""


def is_installed(path: Path) -> bool:
    """Return whether a file or folder is a library's, and no part of a checkout, whose code is edited."""
    return not _INSTALLED.isdisjoint(path.parts)


def note_modules(since: int = SINCE) -> None:
    """Note the texts of the user's modules that were not noted yet.

    Parameters
    ----------
    since
        A time at which none of them was imported, in nanoseconds since the epoch.
    """
    for name in list(sys.modules):
        note_module(name, since)


def note_module(name: str, since: int = SINCE) -> None:
    """Note the text of a module, if it is the user's and was not noted yet: best while it is being imported."""
    top, module = name.partition(".")[0], sys.modules.get(name)
    if top == "disttrack" or top in sys.stdlib_module_names or not isinstance(module, ModuleType):
        return
    if module in _libraries or module in _texts:
        return
    file = ModuleType.__getattribute__(module, "__dict__").get("__file__")  # a lazy module stays as it is
    if not isinstance(file, str):
        return
    if is_installed(Path(file)):
        _libraries.add(module)
    elif file.endswith(".py"):
        _texts[module] = _text(module, since)


def text_of(module: ModuleType) -> bytes | None:
    """Return the text that a module of the user's was imported from; None if its file may have been another then."""
    if module not in _texts:
        _texts[module] = _text(module, SINCE)
    return _texts[module]


def _text(module: ModuleType, since: int) -> bytes | None:
    spec = module.__spec__
    with suppress(OSError):
        file = Path(str(module.__file__))
        state = file.stat()
        if (
            max(state.st_mtime_ns, state.st_ctime_ns) <= since
            or getattr(spec, "_initializing", False)  # its import has just begun
            or _compiled_from(spec.cached if spec is not None else None, state)
        ):
            return file.read_bytes()
    return None


def _compiled_from(cached: str | None, state: os.stat_result) -> bool:
    """Return whether the file that Python compiled is of a text with this state."""
    text = pack("<III", 0, int(state.st_mtime) & 0xFFFFFFFF, state.st_size & 0xFFFFFFFF)
    with suppress(OSError):
        return cached is not None and Path(cached).read_bytes()[:16] == MAGIC_NUMBER + text
    return False


def _began() -> int:
    """Return when this process began, in nanoseconds since the epoch; 0 where the system does not say."""
    try:
        ticks = int(Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()[19])
        since_boot = (ticks + 1) / os.sysconf("SC_CLK_TCK")  # it has run no code of the user's before the next tick
        return int(1e9 * (time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot))
    except (OSError, ValueError, AttributeError, IndexError):
        return 0


note_modules(_began())
