"""Compiled forms of plain functions, by numba: kept on disk, as long as none of the code in them has changed.

numba takes global values, cells and defaults as constants, and compiles what is called with them. It is optional, and
imported with the first function to be compiled.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeGuard

Function = Callable[..., Any]
Seen = dict[tuple[object, ...], object]
_COMPILED: Final = ("numpy", "numba")
"""Libraries whose functions numba has forms of."""


def called(function: Function, parts: Mapping[str, Function]) -> set[Function]:
    """Return a function and all functions in Python that it calls."""
    found, waiting = {function}, list({**callees(function), **parts}.values())
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += callees(one).values()
    return found


def callees(function: Function) -> dict[str, Function]:
    """Return the functions in Python that a function calls, by their names in it; of numpy's numba has forms."""
    return {name: one for name, one in _globals_of(function).items() if _is_plain(one)}


def names_of(code: CodeType) -> list[str]:
    """Return the names that code uses, also in the functions that are written in it."""
    inner = (name for const in code.co_consts if isinstance(const, CodeType) for name in names_of(const))
    return sorted({*code.co_names, *inner})


def _globals_of(function: Function) -> dict[str, Any]:
    """Return the global values that a function uses, by name."""
    return {name: function.__globals__[name] for name in names_of(function.__code__) if name in function.__globals__}


def _is_plain(thing: object) -> TypeGuard[FunctionType]:
    return isinstance(thing, FunctionType) and thing.__module__.partition(".")[0] != "numpy"


def taken(function: Function, parts: Mapping[str, Function]) -> list[Any]:
    """Return all that the compiled form of a function has in it as nested lists, whose `repr` is the same in processes.

    Raises
    ------
    LookupError
        It uses a value of which nobody knows what numba makes of it.
    """
    seen: Seen = {}
    return [_of(function, seen), *([name, _of(part, seen)] for name, part in sorted(parts.items()))]


def _of(value: Any, seen: Seen, names: Sequence[str] = ()) -> list[Any]:
    """Return a value as nested lists.

    Parameters
    ----------
    seen
        The functions, modules and lists that were met before, by identity, modules also by the names that are used.
    names
        The names that the function uses: attributes of a module are among them.
    """
    value = getattr(value, "py_func", value)  # of a function that is compiled already
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, FunctionType | ModuleType | list | Mapping):  # it may lead back to itself
        # of a module, each function has what it uses of it
        key = (id(value), *names) if isinstance(value, ModuleType) else (id(value),)
        if key in seen:
            return [kind, list(seen).index(key)]
        seen[key] = value
    if _is_plain(value):
        return [kind, *_of_function(value, seen)]
    if isinstance(value, ModuleType):
        used = [name for name in names if hasattr(value, name)]
        return [kind, value.__name__, *([name, _of(getattr(value, name), seen, names)] for name in used)]
    if isinstance(value, tuple | list):
        return [kind, *(_of(one, seen) for one in value)]
    if isinstance(value, frozenset | set):
        return [kind, *sorted(repr(_of(one, seen)) for one in value)]
    if isinstance(value, Mapping):
        return [kind, *([_of(key, seen), _of(one, seen)] for key, one in value.items())]
    return [kind, *_of_single(value, seen)]


def _of_function(function: FunctionType, seen: Seen) -> list[Any]:
    cells = [_of(cell.cell_contents, seen) for cell in function.__closure__ or ()]
    used = names_of(function.__code__)
    known = [[name, _of(one, seen, used)] for name, one in _globals_of(function).items()]
    defaults = [_of(one, seen) for one in (function.__defaults__, function.__kwdefaults__)]
    return [_of_code(function.__code__, seen), cells, known, defaults]


def _of_code(code: CodeType, seen: Seen) -> list[Any]:
    """Return code without its place."""
    numbers = [code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount]
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    consts = [_of_code(one, seen) if isinstance(one, CodeType) else _of(one, seen) for one in code.co_consts]
    return [code.co_code, code.co_exceptiontable, numbers, names, consts]


def _of_single(value: Any, seen: Seen) -> list[Any]:
    """Return a value without parts, or a part of a library by its name."""
    if value is None or value is ... or isinstance(value, bool | int | float | complex | str | bytes):
        return [repr(value)]
    if type(value).__module__ == "numpy" and hasattr(value, "tobytes") and not value.dtype.hasobject:
        return [str(value.dtype), value.shape, value.tobytes()]
    if isinstance(value, Enum):
        return [value.name, _of(value.value, seen)]
    if isinstance(value, type) and issubclass(value, Enum):
        return [_of(one, seen) for one in value]
    home = str(getattr(value, "__module__", None) or type(value).__module__).partition(".")[0]
    if home in sys.stdlib_module_names or home in _COMPILED:
        return [home, str(getattr(value, "__name__", value))]
    raise LookupError(f"{type(value).__qualname__}: unknown to the digest of compiled code")


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


def unchecked(function: Function) -> Function:
    """Return a compiled function that takes all arguments for those of its signature; another one as it is.

    To find their types takes longer than a short game between two questions. The caller has called the function with
    arrays of these types before.
    """
    forms = getattr(function, "overloads", None)
    return next(iter(forms.values())).entry_point if forms else function


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
