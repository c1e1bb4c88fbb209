"""Compiled forms are kept on the disk, until their code changes, and give what the functions give as written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from disttrack.mechanisms import compiler


def twice(number: Any) -> Any:
    return part(number) * 2


def part(number: Any) -> Any:
    return number


def plus_one(number: Any) -> Any:
    return number + 1


def of_one(numba: Any) -> Any:
    return (numba.int64,)


def test_compiled_code_is_kept_or_not_and_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def forget() -> None:
        for kept in (compiler.compiled, compiler.folder_of):
            kept.cache_clear()

    forget()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiler, "cache_from_source", lambda file: "/proc/none/here")
    assert not compiler.is_kept(twice, part=plus_one)
    assert compiler.compiled(twice, of_one, part=plus_one)(4) == 10
    assert compiler.is_kept(twice, part=plus_one)
    assert not compiler.is_kept(twice)
    forget()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert not compiler.is_kept(twice, part=plus_one)
    assert compiler.compiled(twice, of_one, part=plus_one)(4) == 10
    forget()


def test_what_another_numba_has_kept_is_compiled_anew(tmp_path: Path) -> None:
    """In a new process, where numba has imported nothing that only compiling needs."""
    (tmp_path / "mine.py").write_text("def twice(number):\n    return number * 2\n")
    script = (
        "from mine import twice\nfrom disttrack.mechanisms import compiler\n"
        "compiler.cache_from_source = lambda file: '/proc/none/here'\n"
        "(compiler.folder_of(twice) / 'of_another.nbc').write_bytes(b'')\n"
        "print(compiler.is_kept(twice), compiler.compiled(twice, lambda numba: (numba.int64,))(4))\n"
        "print(len([*compiler.folder_of(twice).rglob('*.nbc')]))\n"
    )
    place = {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    for _ in range(2):  # the second one reads what the first one has compiled
        done = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, **place}, capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == ("True 8\n2\n", "")


def test_a_part_that_nothing_calls_is_refused() -> None:
    with pytest.raises(ValueError, match="parts: twice calls no halves"):
        compiler.compiled(twice, of_one, halves=plus_one)


RULES = """
from __future__ import annotations
from enum import IntEnum
import numpy as np
import helper
class Level(IntEnum):
    low = {0}
TABLE, LIST, NAMED, ARRAY, WHOLE = (1, {0}), [1, {0}], (("a", {0}),), np.array([1, {0}]), np.int64({0})
helper.FIXED, helper.LIMIT, PLAIN = 1, {0}, {0}
def reads_plain(n): return n + PLAIN
def reads_tuple(n): return n + TABLE[1]
def reads_list(n): return n + LIST[1]
def reads_nested(n): return n + NAMED[0][1]
def reads_array(n): return n + ARRAY[1]
def reads_number_of_numpy(n): return n + WHOLE
def reads_level(n): return n + Level.low
def reads_member(n, level=Level.low): return n + level
def reads_module(n): return n + helper.LIMIT
def reads_more_of_a_module(n): return reads_module(n) if n < helper.FIXED else n
def reads_default(n, more={0}): return n + more
def reads_inside(n): return sum([WHOLE for _ in range(n)])
def states(n): return n + {0}
def made_of(value):
    def inner(n): return n + value
    return inner
reads_cell = made_of({0})
class Compiled:
    def __init__(self, function): self.py_func = function
compiled = Compiled(states)
def calls_compiled(n): return compiled(n)
def calls(n): return states(n)
def calls_with_default(n): return reads_default(n)
"""
"""Rules, each of which depends on one number, in all ways in which a rule may take one from elsewhere."""


def test_code_with_another_value_of_any_kind_is_compiled_anew() -> None:
    def folders(number: int) -> dict[str, Path | None]:
        names: dict[str, Any] = {"__name__": "rules"}
        exec(RULES.format(number), names)
        rules = [name for name, one in names.items() if isinstance(one, FunctionType) and name != "made_of"]
        return {name: compiler.folder_of(names[name]) for name in rules}

    sys.modules["helper"] = ModuleType("helper")
    try:
        first, again, other = folders(2), folders(2), folders(3)
    finally:
        del sys.modules["helper"]
    assert len(first) >= 14
    assert None not in first.values()
    assert first == again
    assert {name for name in first if first[name] == other[name]} == set()


def test_a_form_with_a_value_of_an_unknown_kind_is_not_kept() -> None:
    names = {"part": Path, "__name__": "mine"}
    assert compiler.folder_of(FunctionType(twice.__code__, names, "twice"))  # a class of Python's library
    names["part"] = type("Mine", (), {"__module__": "mine"})
    assert compiler.folder_of(FunctionType(twice.__code__, names, "twice")) is None


def test_the_digest_is_of_what_runs_and_not_of_what_its_file_has_become(tmp_path: Path) -> None:
    def loaded() -> Any:
        names: dict[str, Any] = {"__name__": "mine"}
        exec(compile(file.read_text(), str(file), "exec"), names)
        return names["rule"]

    file = tmp_path / "mine.py"
    file.write_text("def rule(n): return n + 1\n")
    first, again = loaded(), loaded()
    before = compiler.folder_of(first)
    file.write_text("def rule(n): return n + 2\n")
    assert compiler.folder_of(again) == before != compiler.folder_of(loaded())
    file.unlink()  # that of a notebook's cell is nowhere
    assert compiler.folder_of(FunctionType(first.__code__, first.__globals__, "rule")) == before


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_home(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiler.users_cache() == tmp_path / ".cache" / "disttrack"
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert compiler.users_cache() is None
