"""The command line inside this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from disttrack.simulator.cli import main


def disttrack(*arguments: str) -> Result:
    """Run a command."""
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def refused(*arguments: str, status: int = 2) -> str:
    """Return the line with which a command ends."""
    result = disttrack(*arguments)
    assert result.exit_code == status, result.output
    (line,) = result.stderr.strip().splitlines()
    return line
