"""The pages written by hand: those of ``docs/`` and of the wings, and the tables of reference results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = re.compile(r"(?:docs|src/disttrack/\w+/docs|results/reference(?=/tables/))/")


def written(*suffixes: str) -> dict[str, Path]:
    """Return the files with these suffixes, those of wings and tables last, by their paths on the site.

    Raises
    ------
    ValueError
        Two have one path.
    """
    files: dict[str, Path] = {}
    wings = sorted((ROOT / "src" / "disttrack").glob("*/docs"))
    for folder in (ROOT / "docs", *wings, ROOT / "results" / "reference" / "tables"):
        for file in sorted(path for path in folder.rglob("*") if path.suffix in suffixes):
            path = on_site(file.relative_to(ROOT).as_posix())
            if path in files:
                raise ValueError(f"{file} and {files[path]} are both {path} on the site: rename one")
            files[path] = file
    return files


def on_site(path: str) -> str:
    """Return the path on the site of a file in a folder of pages; empty for any other file.

    Parameters
    ----------
    path
        From the top of the project.

    Examples
    --------
    >>> on_site("docs/game.md"), on_site("src/disttrack/fleet/docs/quota.md"), on_site("tests/conftest.py")
    ('game.md', 'quota.md', '')
    >>> on_site("results/reference/tables/quotas.md")
    'tables/quotas.md'
    """
    folder = FOLDER.match(path)
    return path[folder.end() :] if folder else ""
