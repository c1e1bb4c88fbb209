"""Print the oldest versions that pyproject.toml allows, one per line: ``python .ci/lower_bounds.py [NAME…]``.

Those of the build and of the core come first. A NAME is an extra, or a single package required by some extra.
"""

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
    match = BOUND.fullmatch(requirement)
    if not match:
        raise SystemExit(f"{PYPROJECT.name}: {requirement!r} has no lower bound of the form name>=version")
    return f"{match[1]}=={match[2]}"


def asked_by(extras: dict[str, list[str]], name: str) -> list[str]:
    """Return the requirements of an extra, or the requirement of a package in the extras."""
    if name in extras:
        return extras[name]
    bounds = {one for extra in extras.values() for one in extra if one.startswith(f"{name}>=")}
    if len(bounds) != 1:
        raise SystemExit(f"{PYPROJECT.name}: {name!r} is no extra, nor a package with one bound in the extras")
    return sorted(bounds)


def main(names: list[str]) -> None:
    """Print the oldest versions of the project, and of these extras and packages."""
    content = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    project, extras = content["project"], content["project"]["optional-dependencies"]
    chosen = [one for name in names for one in asked_by(extras, name)]
    print(
        "\n".join(dict.fromkeys(map(lowest, [*content["build-system"]["requires"], *project["dependencies"], *chosen])))
    )


if __name__ == "__main__":
    main(sys.argv[1:])
