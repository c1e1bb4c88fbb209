"""What marks of tests mean: how likely one fails though all is right, and how many of its cases are quick.

``@pytest.mark.false_alarm(1e-6)`` is the probability that the test fails under a fresh seed though the code is right;
of a test with parameters, for each of them. The alternative that it would catch stands in its docstring. The sum is
printed at the end.

``@pytest.mark.quick_cases(2)``: two cases of a test with parameters are quick, and the others are slow; with 0 all are
slow. What opens a browser, by a fixture of that name, is slow too. With ``--one-case 3`` one case of every third test,
drawn, is quick. Tests of `LONG` are begun first, so that no worker waits for the last one.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any, Final

import pytest

MOST: Final = 1e-3
"""What the rates of all tests may add up to."""
LONG: Final = (
    "tests/e2e/test_wheel.py", "tests/e2e/test_wings.py", "tests/documents/test_handbook.py::test_the_site",
    "tests/fleet/test_long_faults.py::test_reserves", "tests/e2e/test_cluster.py", "tests/e2e/test_kills.py",
    "tests/fleet/test_other_distribution.py", "tests/documents/test_documents.py", "tests/fleet/test_long_faults.py",
    "tests/conformance/test_registered.py::test_a_declared_package", "tests/fleet/simulated",
    "tests/fleet/test_every_game.py",
)  # fmt: skip
"""Where the ids of the longest tests begin."""
MEMORY: Final = Path("/dev/shm")
"""The folder of Linux whose files are in memory."""
ROOM: Final = 4 * 2**30
"""Bytes that are free there if tests write into it."""
KEY: Final = "false_alarms"
RATES: Final[pytest.StashKey[list[float]]] = pytest.StashKey()


def rates_of(items: Iterable[pytest.Item]) -> list[float]:
    """Return the rates that tests state.

    Raises
    ------
    UsageError
        A rate is no number between 0 and 1e-4.
    """
    found = []
    for item in items:
        for mark in item.iter_markers("false_alarm"):
            rate = mark.args[0] if len(mark.args) == 1 and not mark.kwargs else None
            if not isinstance(rate, float) or not 0 < rate <= 1e-4:
                raise pytest.UsageError(f"{item.nodeid}: false_alarm takes a rate above 0 and at most 1e-4")
            found.append(rate)
    return found


def spread(count: int, number: int) -> set[int]:
    """Return `number` of the places 0 to count - 1, or all of them, evenly spread: the first, and with two the last.

    >>> sorted(spread(9, 3)), sorted(spread(2, 5)), sorted(spread(4, 1)), spread(4, 0)
    ([0, 4, 8], [0, 1], [0], set())
    """
    if number >= count:
        return set(range(count))
    return {round(place * (count - 1) / max(1, number - 1)) for place in range(number)}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the options by which a whole suite is played once more, in less time or more."""
    parser.addoption("--one-case", type=int, help="mark all cases but one of each quick test slow; of every n-th test")
    parser.addoption("--every-case", action="store_true", help="play all cases of the tests of which some are drawn")
    parser.addoption("--draw", type=int, help="the seed of what is drawn; of the day if left out")
    parser.addoption("--whole", action="store_true", help="test the core without wings by all of its quick tests")


def _cases(items: Iterable[pytest.Item], marked: Callable[[pytest.Item], object]) -> dict[str, list[pytest.Item]]:
    """Return the cases of each test that is marked, by its name."""
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if marked(item):
            cases[item.nodeid.partition("[")[0]].append(item)
    return cases


def _number(item: pytest.Item, mark: str, least: int, *otherwise: int) -> int:
    """Return the number of a marker, or that of an item without it.

    Raises
    ------
    UsageError
        The marker has no whole number of at least `least`.
    """
    marker = item.get_closest_marker(mark)
    number = marker.args if marker else otherwise
    if len(number) != 1 or not isinstance(number[0], int) or number[0] < least:
        raise pytest.UsageError(f"{item.nodeid}: {mark} takes a whole number of at least {least}")
    return number[0]


def mark_slow_cases(items: Sequence[pytest.Item], seed: int, one_case: int | None = None) -> None:
    """Mark the cases slow that `quick_cases` leaves over, or all but the first of drawn tests; UsageError as above."""
    for name, of in _cases(items, lambda item: one_case or item.get_closest_marker("quick_cases")).items():
        number = _number(of[0], "quick_cases", 0, 1)
        if one_case:
            number = min(number, random.Random(f"{seed} {name}").randrange(one_case) == 0)
        quick = spread(len(of), number)
        for place, item in enumerate(of):
            if place not in quick:
                item.add_marker(pytest.mark.slow)


def drawn_cases(items: Sequence[pytest.Item], seed: int) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the items that are played, and those that are left out of the tests of which some cases are drawn.

    Raises
    ------
    UsageError
        The marker has no whole number of at least 1.
    """
    left: set[pytest.Item] = set()
    for name, of in _cases(items, lambda item: item.get_closest_marker("drawn")).items():
        kept = random.Random(f"{seed} {name}").sample(of, min(_number(of[0], "drawn", 1), len(of)))
        left.update(set(of) - set(kept))
    return [item for item in items if item not in left], [item for item in items if item in left]


def summary(rates: list[float]) -> str:
    """Return the line at the end of the suite."""
    return f"{len(rates)} statistical tests: false alarms of at most {sum(rates):.1e} in all ({MOST:g} are allowed)"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the rates up and mark what is slow, before any test is deselected; refuse a suite of too many."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
    if not (config.getoption("every_case") or any("[" in name for name in config.args)):
        items[:], left = drawn_cases(items, config.getoption("draw"))
        config.hook.pytest_deselected(items=left)
    mark_slow_cases(items, config.getoption("draw"), config.getoption("one_case"))
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
    config.stash[RATES] = rates = rates_of(items)
    if sum(rates) > MOST:
        raise pytest.UsageError(summary(rates))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the rates from a worker of pytest-xdist, which collects the tests, to the process that prints."""
    output: Any = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[KEY] = session.config.stash.get(RATES, [])


class Hear:
    """Takes the rates from workers of pytest-xdist, each of which has collected the same tests."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        node.config.stash[RATES] = getattr(node, "workeroutput", {}).get(KEY, [])


def has_room(folder: Path) -> bool:
    """Tell whether tests can write into a folder, and run programs there."""
    if not os.access(folder, os.W_OK):
        return False
    return shutil.disk_usage(folder).free > ROOM and not os.statvfs(folder).f_flag & os.ST_NOEXEC


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Take a seed; listen to workers; make no search for garbage among the modules and tests that are collected.

    Tests write into memory where it has room, unless TMPDIR or --basetemp names a folder: to wait until the disk has
    the journals of runs is a third of the time of their tests.
    """
    if "TMPDIR" not in os.environ and not config.option.basetemp and has_room(MEMORY):
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None
    if config.option.draw is None:
        config.option.draw = date.today().toordinal()
    if getattr(config.option, "hypothesis_seed", "") is None:
        config.option.hypothesis_seed = config.option.draw
    config.pluginmanager.register(Hear())
    gc.disable()


def pytest_collection_finish() -> None:
    """Go on with the search for garbage, without what was collected."""
    gc.freeze()
    gc.enable()


def pytest_runtest_setup() -> None:
    """Forget how long games of other tests took: after some seconds of them, those of this one would be compiled."""
    if engine := sys.modules.get("disttrack.simulator.game.engines.compiled"):
        vars(engine)["_SPENT"].clear()


@pytest.fixture
def draw(pytestconfig: pytest.Config) -> int:
    """Return the seed of what is drawn for this run."""
    return int(pytestconfig.option.draw)


@pytest.fixture
def uncompiled() -> Iterator[None]:
    """Play the functions of compiled engines in Python; to compile them takes seconds."""
    import numpy as np
    from uncompiled import as_written

    from disttrack.simulator.game.engines import compiled, contents_compiled

    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):  # products are meant to overflow
        for module in (compiled, contents_compiled):
            patch.setattr(module, "compiled", as_written)
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one: commands write into it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the seed of what was drawn, the versions that were used, and the sum."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("hypothesis", "numpy", "scipy", "simpy"))
    terminalreporter.write_line(f"drawn with --draw {config.option.draw}; Python {python_version()}, {versions}")
    rates = config.stash.get(RATES, [])
    if rates:
        terminalreporter.write_line(summary(rates))
