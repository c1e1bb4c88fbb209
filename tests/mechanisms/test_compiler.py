"""Compiled forms are kept on the disk, until their code changes, and give what the functions give as written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from disttrack.mechanisms import compiler
from disttrack.protocols.deterministic_kernel import thresholds_turn
from disttrack.protocols.kernel import next_coin
from disttrack.protocols.rounds.kernel import round_turn
from disttrack.protocols.sampling.kernel import sampling_turn
from disttrack.simulator.game.engines.kernel import play_on


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


@pytest.mark.parametrize("function", [play_on, round_turn, sampling_turn, thresholds_turn, next_coin])
def test_code_with_another_number_of_another_file_is_compiled_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, function: Any
) -> None:
    """The layout of the arrays is in one file and the compiled functions in others."""
    monkeypatch.setattr(compiler, "cache_from_source", lambda file: str(tmp_path / "compiler.pyc"))
    compiler.folder_of.cache_clear()
    numbers = {name for name in function.__code__.co_names if isinstance(function.__globals__.get(name), int)}
    folder = compiler.folder_of(function)
    assert folder
    assert numbers
    for name in numbers:
        for moved in (0, 1):
            names = {**function.__globals__, name: function.__globals__[name] + moved}
            copy = FunctionType(function.__code__, names, function.__name__)
            assert (compiler.folder_of(copy) == folder) == (moved == 0)
    caller = FunctionType(twice.__code__, {"part": function, "__name__": "disttrack.mine"}, "twice")
    other = FunctionType(twice.__code__, {"part": copy, "__name__": "disttrack.mine"}, "twice")
    assert compiler.folder_of(caller) != compiler.folder_of(other)
    compiler.folder_of.cache_clear()


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_home(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiler.users_cache() == tmp_path / ".cache" / "disttrack"
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert compiler.users_cache() is None
