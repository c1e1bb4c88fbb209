"""A user's own Python file as a value: its path and its text.

Workers are sent the text, not objects: a worker process, or one on another machine, needs no copy of
the file, and a finished game is recognised by the text that played it.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from simulator.errors import ScenarioError


@dataclass(frozen=True)
class Source:
    """A Python file: where it was and what it said."""

    path: str
    text: str

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def load_file(source: Source) -> ModuleType:
    """Return the module that a source makes; the same text is run only once a process.

    Raises
    ------
    ScenarioError
        The file does not run; the message names the file, the line and the error.
    """
    name = f"disttrack_user_{source.digest[:16]}_{Path(source.path).stem}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = source.path
    sys.modules[name] = module  # before it runs: dataclasses look their module up
    if source.path not in linecache.cache and not Path(source.path).is_file():
        lines = source.text.splitlines(keepends=True)
        linecache.cache[source.path] = (len(source.text), None, lines, source.path)
    folder = str(Path(source.path).parent)
    sys.path.insert(0, folder)  # the file may import its neighbours
    try:
        exec(compile(source.text, source.path, "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[name]
        line = error.lineno if isinstance(error, SyntaxError) else _line(error, source.path)
        raise ScenarioError(f"{source.path}:{line}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(folder)
    return module


def _line(error: BaseException, path: str) -> int:
    """Return the last line of a file that an error passed through."""
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else 0
