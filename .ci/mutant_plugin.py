"""The pytest plugin of `make mutants`: mutants at the speed of the code, limits on each test, no doctests of copies.

mutmut puts a call between each function and its mutants, which selects the mutant at every call: games call
such functions at every step. Here a function is left unchanged, and the process that tests a mutant gives it
the mutant's code, once. While mutmut records which tests reach a function, the first call in each test is reported.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import warnings
from collections.abc import Callable
from functools import cache
from time import process_time
from types import CodeType, FunctionType
from typing import Any, Final

import pytest
from mutmut.core import MutmutProgrammaticFailException
from mutmut.mutation import trampoline
from mutmut.stats import record_trampoline_hit
from mutmut.utils.format_utils import mangled_name_from_mutant_name

SECONDS: Final = 20
"""Limit on the processor time of one test, twenty times more than any needs without a fault, which ends infinite
loops. Waiting for a busy machine does not count."""
ALL_SECONDS: Final = int(os.environ.get("MUTANT_SECONDS", "30"))
"""Limit on the processor time of all tests of a mutant: a mutant not caught within it counts as missed."""
BYTES: Final = 6 << 30
"""Limit on the memory of the process, beyond which it raises MemoryError."""
ONE: Final = re.compile(r"__mutmut_\d+$")
COPY: Final = re.compile(r"__mutmut_(\d+|orig)$")
MUTANT: Final = "MUTANT_UNDER_TEST"  # mutmut puts the mutant's name there, or a mode: stats, fail
MARK: Final = 987654321


def under_test() -> str:
    """Return the name of the mutant, or the mode of the run."""
    return os.environ.get(MUTANT, "")


def _first_call() -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(f"lambda *args, **kwargs: {MARK}(*args, **kwargs)", "<first call>", "eval").co_consts[0]


FIRST_CALL: Final = _first_call()


def _by_file(function: Any) -> str:
    """Return the module of a function by its place in the tree, as named by mutmut."""
    return str(function.__module__).removeprefix("disttrack.")


class Mutated:
    """A function that has mutants."""

    def __init__(self, function: FunctionType, mutants: dict[str, Any]) -> None:
        self.function = function
        self.code = function.__code__
        self.mutants = mutants
        """by name, filled by the mutated module, after the function"""
        consts = tuple(self if const == MARK else const for const in FIRST_CALL.co_consts)
        self.first_call = FIRST_CALL.replace(co_consts=consts, co_freevars=self.code.co_freevars)
        self.plain = FunctionType(
            self.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.plain.__kwdefaults__ = function.__kwdefaults__
        self.plain.__annotations__ = function.__annotations__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Replace the first call."""
        if under_test() == "fail":
            raise MutmutProgrammaticFailException("a test has to fail where every function does")
        self.disarm()
        called = self.mutants["_mutmut_orig"]
        record_trampoline_hit(f"{_by_file(called)}.{mangled_name_from_mutant_name(called.__name__)}")
        HIT.append(self)
        return self.function(*args, **kwargs)

    def arm(self) -> None:
        """Report the next call."""
        self.function.__code__ = self.first_call
        self.function.__wrapped__ = self.plain  # type: ignore[attr-defined]  # for callers that read the signature

    def disarm(self) -> None:
        """Restore the code itself."""
        self.function.__code__ = self.code
        self.function.__dict__.pop("__wrapped__", None)

    def become(self, name: str) -> None:
        """Take the code of this mutant."""
        mutant = getattr(self.mutants[name], "__func__", self.mutants[name])
        # a mutant that does not use `super` any more has no cell for it
        self.function.__code__ = mutant.__code__.replace(co_freevars=self.code.co_freevars)
        self.function.__defaults__, self.function.__kwdefaults__ = mutant.__defaults__, mutant.__kwdefaults__


MUTATED: Final[list[Mutated]] = []
HIT: Final[list[Mutated]] = []
STARTED: Final = [0.0]


def wrap(mutants: dict[str, Any], is_classmethod: bool = False) -> Callable[[FunctionType], FunctionType]:
    """Replace mutmut's decorator of the same arguments."""

    def note(function: FunctionType) -> FunctionType:
        MUTATED.append(mutated := Mutated(function, mutants))
        if under_test() == "stats":
            mutated.arm()
        return function

    return note


trampoline.wrap_in_trampoline = wrap


@cache
def caches(modules: int) -> list[Callable[[], None]]:
    """Return the functions that clear the caches of the packages; `modules` is the number of modules loaded."""
    clearers = []
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "disttrack":
            for value in list(vars(module).values()):
                inside = list(vars(value).values()) if isinstance(value, type) else []
                for held in (value, *inside):
                    if callable(clear := getattr(getattr(held, "__func__", held), "cache_clear", None)):
                        clearers.append(clear)
    return clearers


def forget() -> None:
    """Clear the caches, which contain results of the code before the mutation, or of another test."""
    for clear in caches(len(sys.modules)):
        clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep only the doctests of the functions themselves: their mutants have the same ones."""
    items[:] = [item for item in items if not COPY.search(item.nodeid)]


def pytest_configure() -> None:
    """Set up every function for this run; modules imported later set up their own."""
    name = under_test()
    for mutated in MUTATED:
        mutated.arm() if name in ("stats", "fail") else mutated.disarm()
    if ONE.search(name):
        activate(name)


def activate(name: str) -> None:
    """Replace the function by its mutant, and limit the memory of the process."""
    module, _, short = name.rpartition(".")
    matches = [each for each in MUTATED if _by_file(each.function) == module and short in each.mutants]
    if not matches:
        os._exit(35)  # mutmut counts this as suspicious; an exception would count as a failing test
    for mutated in matches:
        mutated.become(short)
    forget()
    STARTED[0] = process_time()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Skip tests after the time limit; let the kernel end a test that takes too long; report calls in each test."""
    name = under_test()
    if name == "stats":
        forget()
        while HIT:
            HIT.pop().arm()
    elif ONE.search(name):
        now = process_time()
        if now > STARTED[0] + ALL_SECONDS:
            return True
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        limit = int(now) + 1 + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit if most < 0 else min(limit, most), most))
    return None
