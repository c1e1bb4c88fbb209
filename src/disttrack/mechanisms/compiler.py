"""Compiled forms of plain functions, by numba: kept on disk, as long as none of the code has changed.

numba is optional, and imported with the first function to be compiled.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from types import FunctionType
from typing import Any, TypeGuard

Function = Callable[..., Any]


@cache
def available() -> bool:
    """Return whether functions can be compiled here."""
    return find_spec("numba") is not None


@cache
def compiled(function: Function, signature: Function, **parts: Function) -> Function:
    """Return the compiled form of a function, with all of our functions that it calls.

    Parameters
    ----------
    signature
        Maps numba to the types of the arguments.
    parts
        Functions that it calls, or one that it calls, in place of the global ones of these names.

    Raises
    ------
    ValueError
        No function that it calls has the name of a part.
    """
    numba: Any = import_module("numba")
    folder = folder_of(function, *parts.items())
    if unknown := parts.keys() - _names_in(function):
        raise ValueError(f"parts: {function.__name__} calls no {', '.join(sorted(unknown))}")
    made = _jit(function, parts, folder)
    try:
        with _loading(made) if _lies_in(folder) else nullcontext():
            made.compile(signature(numba))
    except Exception:  # the disk is full, or what lies there is damaged; a fault of the code is raised again
        made = _jit(function, parts, None)
        made.compile(signature(numba))
    made.disable_compile()
    return made  # type: ignore[no-any-return]


def is_kept(function: Function, **parts: Function) -> bool:
    """Return whether the compiled form of a function, with these parts, lies on the disk."""
    return _lies_in(folder_of(function, *parts.items()))


def _lies_in(folder: Path | None) -> bool:
    return folder is not None and any(folder.rglob("*.nbc"))


@contextmanager
def _loading(made: Any) -> Iterator[None]:
    """Let numba read a kept form without all that compiling needs, which takes longer to import than the rest.

    Before it reads a form, it refreshes what it knows. That is left out once; if it has to compile after all, it
    refreshes again.
    """
    known = made.targetctx
    known.refresh = lambda: delattr(known, "refresh")  # the method of its class is back
    try:
        yield
    finally:
        vars(known).pop("refresh", None)


@cache
def folder_of(function: Function, *parts: tuple[str, Function]) -> Path | None:
    """Return the folder of the compiled form of a function; None if none can be written.

    It lies beside the compiled form of this file, or in the user's cache, and its name has a digest of the code and of
    the numbers that the code takes from other files.
    """
    name = "-".join((function.__name__, *(part.__name__ for _, part in parts)))
    called = _called(function, dict(parts))
    files = {__file__, *(one.__code__.co_filename for one in called)}
    numbers = sorted(f"{one.__name__} {_numbers_of(one)}" for one in called)
    code = b"".join(Path(file).read_bytes() for file in sorted(files))
    digest = hashlib.sha256(code + repr(numbers).encode()).hexdigest()[:16]
    for place in filter(None, (Path(cache_from_source(__file__)).parent, users_cache())):
        folder = place / "kernels" / f"{name}-{digest}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def _called(function: Function, parts: Mapping[str, Function]) -> set[Function]:
    """Return a function and all functions in Python that it calls."""
    found, waiting = {function}, list({**_callees(function), **parts}.values())
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _callees(one).values()
    return found


def users_cache() -> Path | None:
    """Return the project's folder in the user's folder for caches; None if the user has no home.

    Source: the XDG Base Directory Specification.
    """
    with suppress(RuntimeError):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "disttrack"
    return None


def _callees(function: Function) -> dict[str, Function]:
    """Return the functions in Python that a function calls, by their names in it; of numpy's numba has forms."""
    known = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: one for name, one in known.items() if _is_plain(one)}


def _numbers_of(function: Function) -> dict[str, int | float]:
    """Return the global numbers that a function uses, by name: compiled code has them in it."""
    known = {name: function.__globals__.get(name) for name in sorted(function.__code__.co_names)}
    return {name: value for name, value in known.items() if isinstance(value, int | float)}


def _is_plain(thing: object) -> TypeGuard[Function]:
    return isinstance(thing, FunctionType) and thing.__module__.partition(".")[0] != "numpy"


def _names_in(function: Function) -> set[str]:
    """Return the names that a function uses, or one in Python that it calls."""
    return {name for one in _called(function, {}) for name in one.__code__.co_names}


@cache
def _called_form(function: Function, *parts: tuple[str, Function]) -> Any:
    """Return the compiled form of a function that only compiled ones call, which takes less time to compile."""
    return _jit(function, dict(parts), None, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def _jit(function: Function, parts: Mapping[str, Function], folder: Path | None, **options: bool) -> Any:
    numba: Any = import_module("numba")
    own = {name: one for name, one in parts.items() if name in function.__code__.co_names}
    names = {
        name: _called_form(one, *(part for part in parts.items() if part[0] in _names_in(one)))
        for name, one in {**_callees(function), **own}.items()
    }
    copy = FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=folder is not None, error_model="numpy", _nrt=False, **options)(copy)
    finally:
        numba.config.CACHE_DIR = before
