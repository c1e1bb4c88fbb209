"""Classes by reference, ``module:Class`` or ``path/to/file.py:Class``, and a user's own file as a value.

Workers are sent the text, not objects: a worker process, or one on another machine, needs no copy of the file.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from io import TextIOBase
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TextIO

from disttrack.loaded import note_modules
from disttrack.simulator.errors import ScenarioError, accepted, cannot_be, nearest


@dataclass(frozen=True)
class Source:
    """A Python file: its path and its text."""

    path: str
    text: str


USERS: Final = "disttrack_user_"
"""Beginning of the names of the modules that files of the user's make."""
PATIENCE: Final = 120.0
"""Seconds that a file or module may take to be imported. Games have limits of their own."""


class TooLong(BaseException):
    """Code of the user's takes too long; no `except Exception` of it may keep this."""


EXITS: Final = (Exception, SystemExit, GeneratorExit, TooLong)
"""What code of the user's may raise; Ctrl-C is the user's own."""


class Dropped(TextIOBase):
    """An output of which only the number of lines is kept."""

    lines = 0

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        return len(text)


_ours = False
"""Whether this process is ours."""


@contextmanager
def ours() -> Iterator[None]:
    """Run a program of ours, such as the command line: within the block, this process is not the user's."""
    global _ours
    before, _ours = _ours, True
    try:
        yield
    finally:
        _ours = before


@contextmanager
def guarded(output: TextIO | TextIOBase | None = None) -> Iterator[None]:
    """Run code of the user's: what it prints is no part of a table, and it leaves the current folder what it is.

    So it is in the main thread of a process of ours. In any other one, streams and folder are the user's, and other
    threads use them: they stay what the user makes them.

    Parameters
    ----------
    output
        What it prints to; standard error if left out.
    """
    if not _ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = os.getcwd()
    try:
        with redirect_stdout(sys.stderr if output is None else output):
            yield
    finally:
        os.chdir(before)


_LOCK: Final = threading.RLock()
"""Held by the thread that imports code of the user's: a module that is half imported is no other thread's."""
_importing: ContextVar[tuple[str, ...]] = ContextVar("importing", default=())
"""The user's files and modules that this thread imports, the innermost last."""


@contextmanager
def importing(name: str, *folders: Path) -> Iterator[None]:
    """Run the code of a user's file or module, for its classes and functions.

    Parameters
    ----------
    name
        The file or module.
    folders
        Where it finds its neighbours, before all other places.

    Raises
    ------
    ScenarioError
        Another thread imports something and does not end.
    """
    if not _LOCK.acquire(timeout=PATIENCE):
        raise ScenarioError(f"{name}: another thread has been importing for {PATIENCE:g} s")
    token = _importing.set((*_importing.get(), name))
    places = [str(folder.resolve()) for folder in folders]
    try:
        note_modules()
        begun = time.time_ns()
        sys.path[:0] = places
        try:
            with guarded(), limited("the import", PATIENCE):
                yield
        finally:
            note_modules(begun)
            for place in places:
                with suppress(ValueError):  # the user's code has taken it away
                    sys.path.remove(place)
    finally:
        _importing.reset(token)
        _LOCK.release()


def refuse_in_import(command: str) -> None:
    """Raise ScenarioError if a file that is imported for its classes starts games: a script would be run twice."""
    names = _importing.get()
    if not names and getattr(_this_process(), "_inheriting", False):
        names = ("the script",)  # by a worker that is being started
    if names:
        raise ScenarioError(f'{command} in the import of {names[-1]}: put it under `if __name__ == "__main__":`')


def refuse_without_processes() -> None:
    """Raise ScenarioError if this process may start no others: one of `multiprocessing.Pool`, for example."""
    if getattr(_this_process(), "daemon", False):
        raise ScenarioError(
            "multiprocessing.Pool starts no processes: use concurrent.futures.ProcessPoolExecutor, or workers=1"
        )


def _this_process() -> object:
    """Return this process as `multiprocessing` knows it; None if nothing has started it."""
    known = sys.modules.get("multiprocessing.process")
    return known.current_process() if known is not None else None


@contextmanager
def limited(what: str, seconds: float) -> Iterator[None]:
    """Raise TooLong in a block that takes longer; only the main thread, where there are alarms, can do so."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TooLong(f"{what} takes longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again each second, for code that catches all
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)
        signal.signal(signal.SIGALRM, before)


def load_file(source: Source) -> ModuleType:
    """Return the module that a source makes; the same file is run only once a process.

    Raises
    ------
    ScenarioError
        The file does not run; the message names the file, the line and the error.
    """
    both = f"{source.path}\0{source.text}"  # the same text in another place has other helpers
    digest = hashlib.sha256(both.encode("utf-8", "surrogateescape")).hexdigest()
    name = f"{USERS}{digest[:32]}_{Path(source.path).stem}"
    if name not in _executed or name not in sys.modules:
        with importing(source.path, Path(source.path).parent):
            if name not in sys.modules:  # neither another thread was first, nor does the file load itself
                _execute(source, name)
                _executed.add(name)
    return sys.modules[name]


_executed: set[str] = set()
"""The modules of files that have been run to their end."""


def _execute(source: Source, name: str) -> None:
    """Make the module of a source by running it."""
    module = ModuleType(name)
    module.__file__ = source.path
    sys.modules[name] = module  # before it runs: dataclasses look their module up
    try:
        exec(compile(source.text, source.path, "exec"), module.__dict__)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, EXITS):  # Ctrl-C: the next use runs it again
            raise
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno or 0 for frame in frames if frame.filename == source.path]
        if isinstance(error, ScenarioError):  # it is in words already
            raise ScenarioError(f"{source.path}:{(lines or [0])[-1]}: {error}") from error
        line = error.lineno if isinstance(error, SyntaxError) else (lines or [0])[-1]
        what = f"{type(error).__name__}: {error}{_remedy(error)}"
        raise ScenarioError(f"{source.path}:{line}: {what}") from error


def _remedy(error: BaseException) -> str:
    """Return what to write in place of what a file could not be imported for; empty where it cannot be guessed."""
    if isinstance(error, ImportError) and (name := re.match(r"cannot import name '(\w+)'", str(error))):
        return nearest(name[1], dir(sys.modules.get(error.name or "")))
    if "non-frozen dataclass from a frozen one" in str(error):
        return "; write @dataclass(frozen=True)"
    return ""


_TO_A_FILE: Final = "of this session only: write a file (in a cell: %%writefile mine.py) and name 'mine.py"


def session_advice(maker: object) -> str:
    """Return how workers get a class or function that only this session has; empty for one of a file or module.

    Examples
    --------
    >>> session_advice(Path)
    ''
    """
    name = getattr(maker, "__qualname__", "")
    if getattr(maker, "__module__", "") != "__main__" or not name.isidentifier():
        return ""
    try:
        file = Path(inspect.getfile(maker))  # type: ignore[arg-type]
    except (OSError, TypeError):  # a class that was typed in
        file = Path()
    if file.is_file():
        return f"{name} is named with its file: '{os.path.relpath(file)}:{name}'"
    return f"{name} is {_TO_A_FILE}:{name}'"


def is_reference(kind: str) -> bool:
    """Tell whether a kind is ``module:Class`` or ``file.py:Class`` rather than a registered name."""
    return ":" in kind


def source_of(kind: str, folder: Path) -> Source | None:
    """Return the file that defines a kind, None for a registered name or a module.

    Parameters
    ----------
    folder
        Where relative paths are looked for first (the scenario's folder), then the current one.

    Raises
    ------
    ScenarioError
        The file is missing or cannot be read.
    """
    path, _, name = kind.rpartition(":")
    if not path.endswith(".py"):
        return None
    if not name.isidentifier():
        raise ScenarioError(f"{kind!r} names no class: path/to/file.py:Class")
    file = located(path, folder)
    if file is None:
        near = nearest(Path(path).name, [one.name for one in Path(path).parent.glob("*.py")])
        looked = dict.fromkeys(str(one.resolve()) for one in (folder or Path(), Path()))
        raise ScenarioError(f"there is no file {path}{near} (looked in {' and '.join(looked)})")
    try:
        return Source(str(file.resolve()), file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(cannot_be("read", path, error)) from error


def located(name: str, folder: Path) -> Path | None:
    """Return the file of a name, from the scenario's folder or the current; None if there is none."""
    try:
        path = Path(name).expanduser()
        return next((place for place in (folder / path, path) if place.is_file()), None)
    except (OSError, ValueError, RuntimeError):  # no name that a file could have, or no home
        return None


def import_reference(reference: str, folder: Path | None = None) -> Any:
    """Return what ``module:Class`` names; modules of the scenario's and the current folder count too.

    Raises
    ------
    ScenarioError
        There is no such module or name, in which case the message suggests the nearest one; or the module is one of
        Python's own library, which defines no kind and is not imported, or the session, which has no text.
    """
    module_name, _, name = reference.partition(":")
    package = module_name.partition(".")[0]
    if package in sys.stdlib_module_names or package in sys.builtin_module_names:
        raise ScenarioError(f"{reference!r} is of Python's library; name your module or file")
    if package in ("__main__", "__mp_main__") and (maker := getattr(sys.modules.get(package), name, None)):
        raise ScenarioError(session_advice(maker) or f"{reference!r}: name its module")
    names = module_name.split(".")
    if ":" in name or module_name.endswith(".py") or not all(part.isidentifier() for part in names):
        before_last, _, last = re.sub(":+", ":", reference).rpartition(":")
        file = f"{before_last.removesuffix('.py')}.py:{last}"
        raise ScenarioError(f"{reference!r}: did you mean {file!r}?")
    try:
        if module_name in sys.modules or package == "disttrack":  # each point of a scenario asks for it; ours is ours
            module = importlib.import_module(module_name)  # waits for a thread that is importing it
        else:
            with importing(module_name, *([folder] if folder is not None else []), Path.cwd()):
                module = importlib.import_module(module_name)
    except EXITS as error:
        raise ScenarioError(
            f"cannot import {module_name!r} of kind {reference!r}: {type(error).__name__}: {error}"
        ) from error
    return member(module, name, reference)


def member(module: object, name: str, kind: str) -> object:
    """Return what a module calls by a name; `kind` is the reference, for the message if there is no such name."""
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part, None)
    if getattr(value, "__name__", "") == "<lambda>":
        value.__name__ = name  # its name in the file, where tables and messages name it
    if value is None:
        known = public(module)
        if getattr(module, "__name__", "") == "__main__" and not known:
            raise ScenarioError(f"{kind!r} is {_TO_A_FILE}:{name or 'Class'}'")
        raise ScenarioError(f"{kind!r} has no {name!r}{nearest(name, known)} ({accepted(known)})")
    return value


def public(module: Any) -> list[str]:
    """Return the names of the classes and functions that a module defines for others."""
    makers = {key: one for key, one in vars(module).items() if inspect.isclass(one) or inspect.isfunction(one)}
    return [key for key, one in makers.items() if key[0] != "_" and one.__module__ == module.__name__]
