"""What the compiled form of a plain function has in it: code, and the values that its names had.

numba takes global values, cells and defaults as constants, and compiles what is called with them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
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
