"""The command line inside this process."""

from __future__ import annotations

from typing import Final

import pytest
from click.testing import CliRunner, Result

from disttrack.simulator.cli import main

SMALL: Final = """\
name: small
question: A small scenario
trials: 2
sites: [2, 4]
items: 500
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
claims:
  - {name: always right, measure: fraction(ok), at_least: 1}
"""
"""A scenario that takes no time, as small.yaml."""


def disttrack(*arguments: str) -> Result:
    """Run a command."""
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def refused(*arguments: str, status: int = 2) -> str:
    """Return the line with which a command ends."""
    result = disttrack(*arguments)
    assert result.exit_code == status, result.output
    (line,) = result.stderr.strip().splitlines()
    return line


def status_of(*arguments: str) -> int:
    """Run a command whose output is that of this process, and return its status."""
    with pytest.raises(SystemExit) as ended:
        main.main(list(arguments))
    assert isinstance(ended.value.code, int)
    return ended.value.code
