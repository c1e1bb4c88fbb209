"""Compiled forms of plain functions, by numba: kept on disk, as long as none of the code has changed.

numba is optional, and imported with the first function to be compiled.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any, Final

from disttrack.mechanisms.taken import Function, called, callees, names_of, taken

LARGE: Final = "large"
"""Attribute of functions that are not compiled into their callers."""
_LOCK: Final = RLock()
"""Held while a function is compiled: the folder of compiled forms is one setting of numba's for all threads."""


class CompileError(Exception):
    """numba cannot compile a function; the text is all that it says."""


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
    CompileError
        It, or one that it calls, does what numba cannot compile.
    """
    numba: Any = import_module("numba")
    folder = folder_of(function, *parts.items())
    if unknown := parts.keys() - _names_in(function):
        raise ValueError(f"parts: {function.__name__} calls no {', '.join(sorted(unknown))}")
    with _LOCK:
        made = _jit(function, parts, folder)
        try:
            with _loading(made) if _lies_in(folder) else nullcontext():
                made.compile(signature(numba))
        except Exception:  # the disk is full, or what lies there is damaged; a fault of the code is raised again
            made = _jit(function, parts, None)
            try:
                made.compile(signature(numba))
            except Exception as error:
                raise CompileError(str(error)) from error
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
    the values that the code takes from elsewhere. A form with values of unknown kinds is not kept.
    """
    name = "-".join((function.__name__, *(part.__name__ for _, part in parts)))
    try:
        text = repr([Path(__file__).read_bytes(), import_module("numpy").__version__, taken(function, dict(parts))])
    except LookupError:
        return None
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    for place in filter(None, (Path(cache_from_source(__file__)).parent, users_cache())):
        folder = place / "kernels" / f"{name}-{digest}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def users_cache() -> Path | None:
    """Return the project's folder in the user's folder for caches; None if the user has no home.

    Source: the XDG Base Directory Specification.
    """
    with suppress(RuntimeError):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "disttrack"
    return None


def _names_in(function: Function) -> set[str]:
    """Return the names that a function uses, or one in Python that it calls."""
    return {name for one in called(function, {}) for name in names_of(one.__code__)}


def large(function: Function) -> Function:
    """Mark a function that several others call as one to be compiled once, and not into each of them."""
    vars(function)[LARGE] = True
    return function


@cache
def _called_form(function: Function, *parts: tuple[str, Function]) -> Any:
    """Return the compiled form of a function that only compiled ones call, which takes less time to compile.

    A large one that calls a part is compiled into its callers all the same: in a process that reads several kept forms,
    functions of one name and different parts would be taken for each other.
    """
    inlined = LARGE not in vars(function) or bool(parts)
    return _jit(function, dict(parts), None, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=inlined)


def _jit(function: Function, parts: Mapping[str, Function], folder: Path | None, **options: bool) -> Any:
    numba: Any = import_module("numba")
    own = {name: one for name, one in parts.items() if name in names_of(function.__code__)}
    names = {
        name: _called_form(one, *(part for part in parts.items() if part[0] in _names_in(one)))
        for name, one in {**callees(function), **own}.items()
    }
    rest = function.__name__, function.__defaults__, function.__closure__
    copy = FunctionType(function.__code__, {**function.__globals__, **names}, *rest)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=folder is not None, error_model="numpy", _nrt=False, **options)(copy)
    finally:
        numba.config.CACHE_DIR = before
