"""How likely the suite is to fail though all is right, and which tests are slow though they do not say so.

``@pytest.mark.false_alarm(1e-6)`` is the probability that the test fails under a fresh seed though the code is right;
of a test with parameters, for each of them. The alternative that it would catch stands in its docstring.
The suite prints the sum of the rates. What opens a browser, by a fixture of that name, is slow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest
from hypothesis import Phase, settings

MOST: Final = 1e-3
"""What the rates of all tests may add up to."""
KEY: Final = "false_alarms"
RATES: Final[pytest.StashKey[list[float]]] = pytest.StashKey()

# for `make mutants`: a failure is all that is asked for, not the smallest example of it
settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], derandomize=True, database=None)


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


def summary(rates: list[float]) -> str:
    """Return the line at the end of the suite."""
    return f"{len(rates)} statistical tests: false alarms of at most {sum(rates):.1e} in all ({MOST:g} are allowed)"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the rates up and mark what is slow, before any test is deselected; refuse a suite of too many."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
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


def pytest_configure(config: pytest.Config) -> None:
    """Listen to workers."""
    config.pluginmanager.register(Hear())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the sum."""
    rates = config.stash.get(RATES, [])
    if rates:
        terminalreporter.write_line(summary(rates))
