"""Print the oldest versions that pyproject.toml allows, one a line: ``python .ci/lower_bounds.py [EXTRA…]``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
BOUND = re.compile(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?>=([0-9][0-9.]*)")


def lowest(requirement: str) -> str:
    """Return a requirement with its least version only.

    >>> lowest("click>=8.1")
    'click==8.1'
    """
    found = BOUND.fullmatch(requirement)
    if not found:
        raise SystemExit(f"{PYPROJECT.name}: {requirement!r} has no lower bound of the form name>=version")
    return f"{found[1]}=={found[2]}"


def main(extras: list[str]) -> None:
    """Print those of the project and of these extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]
    print("\n".join(map(lowest, wanted)))


if __name__ == "__main__":
    main(sys.argv[1:])
