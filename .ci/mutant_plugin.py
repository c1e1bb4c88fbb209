"""What `make mutants` hands to pytest: mutants at the speed of the code, limits on each test, no doctests of copies.

mutmut puts a call between each function and its mutants, which looks up at every call which mutant it is: games call
such functions at every step. Here a function is left as it is, and the process that tries a mutant gives it
the mutant's code, once. While it is found out which tests reach a function, the first call in each test tells so.
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
"""What one test may take of processor time, twenty times more than any takes without a fault: a loop that never ends
is ended. Waiting for a busy machine is none of it."""
ALL_SECONDS: Final = int(os.environ.get("MUTANT_SECONDS", "30"))
"""What all tests of a mutant may take of processor time: what the fastest ones do not find in it passes for missed."""
BYTES: Final = 6 << 30
"""What the process may take of memory: a list that grows for ever ends there, in a MemoryError."""
ONE: Final = re.compile(r"__mutmut_\d+$")
COPY: Final = re.compile(r"__mutmut_(\d+|orig)$")
MUTANT: Final = "MUTANT_UNDER_TEST"  # mutmut puts the name there, or what else it is about: stats, fail
MARK: Final = 987654321


def under_test() -> str:
    """Return the name of the mutant, or what else the tests are run for."""
    return os.environ.get(MUTANT, "")


def _first_call() -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(f"lambda *args, **kwargs: {MARK}(*args, **kwargs)", "<first call>", "eval").co_consts[0]


FIRST_CALL: Final = _first_call()


def _by_file(function: Any) -> str:
    """Return the module of a function by its place in the tree, as mutmut names it."""
    return str(function.__module__).removeprefix("disttrack.")


class Mutated:
    """A function that has mutants."""

    def __init__(self, function: FunctionType, mutants: dict[str, Any]) -> None:
        self.function = function
        self.code = function.__code__
        self.mutants = mutants
        """by name, filled by the module that is mutated, after the function"""
        consts = tuple(self if const == MARK else const for const in FIRST_CALL.co_consts)
        self.first_call = FIRST_CALL.replace(co_consts=consts, co_freevars=self.code.co_freevars)
        self.plain = FunctionType(
            self.code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.plain.__kwdefaults__ = function.__kwdefaults__
        self.plain.__annotations__ = function.__annotations__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take the place of the first call."""
        if under_test() == "fail":
            raise MutmutProgrammaticFailException("a test has to fail where every function does")
        self.disarm()
        called = self.mutants["_mutmut_orig"]
        record_trampoline_hit(f"{_by_file(called)}.{mangled_name_from_mutant_name(called.__name__)}")
        HIT.append(self)
        return self.function(*args, **kwargs)

    def arm(self) -> None:
        """Let the next call be told of."""
        self.function.__code__ = self.first_call
        self.function.__wrapped__ = self.plain  # type: ignore[attr-defined]  # for what asks for the signature

    def disarm(self) -> None:
        """Be the code itself."""
        self.function.__code__ = self.code
        self.function.__dict__.pop("__wrapped__", None)

    def become(self, name: str) -> None:
        """Be this mutant."""
        mutant = getattr(self.mutants[name], "__func__", self.mutants[name])
        # one that uses `super` no more has no cell for it
        self.function.__code__ = mutant.__code__.replace(co_freevars=self.code.co_freevars)
        self.function.__defaults__, self.function.__kwdefaults__ = mutant.__defaults__, mutant.__kwdefaults__


MUTATED: Final[list[Mutated]] = []
HIT: Final[list[Mutated]] = []
STARTED: Final = [0.0]


def wrap(mutants: dict[str, Any], is_classmethod: bool = False) -> Callable[[FunctionType], FunctionType]:
    """Take the place of mutmut's decorator of the same arguments."""

    def note(function: FunctionType) -> FunctionType:
        MUTATED.append(mutated := Mutated(function, mutants))
        if under_test() == "stats":
            mutated.arm()
        return function

    return note


trampoline.wrap_in_trampoline = wrap


@cache
def caches(modules: int) -> list[Callable[[], None]]:
    """Return what empties the caches of the packages, of which there are so many modules with all others."""
    found = []
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "disttrack":
            for value in list(vars(module).values()):
                inside = list(vars(value).values()) if isinstance(value, type) else []
                for held in (value, *inside):
                    if callable(clear := getattr(getattr(held, "__func__", held), "cache_clear", None)):
                        found.append(clear)
    return found


def forget() -> None:
    """Empty the caches, which hold what the code said before it was a mutant, or in another test."""
    for clear in caches(len(sys.modules)):
        clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the doctests of the functions themselves: their mutants have the same ones."""
    items[:] = [item for item in items if not COPY.search(item.nodeid)]


def pytest_configure() -> None:
    """Make every function what it is to be in this run; what is not imported yet will be."""
    name = under_test()
    for mutated in MUTATED:
        mutated.arm() if name in ("stats", "fail") else mutated.disarm()
    if ONE.search(name):
        activate(name)


def activate(name: str) -> None:
    """Put the mutant in the place of its function, and limit what the process may take of memory."""
    module, _, short = name.rpartition(".")
    found = [each for each in MUTATED if _by_file(each.function) == module and short in each.mutants]
    if not found:
        os._exit(35)  # for mutmut this is suspicious; an exception would pass for a test that fails
    for mutated in found:
        mutated.become(short)
    forget()
    STARTED[0] = process_time()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave tests out after so much time; let the kernel end one that takes too much; tell anew of calls in each."""
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
