"""Files that a flag names to be written: refused before any work starts if they cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from simulator.errors import ScenarioError

PICTURES: Final = ("png", "svg", "pdf", "jpg", "webp", "eps")
"""Endings of files that figures can be drawn into."""


def check_target(flag: str, path: Path | None, endings: Sequence[str] = ()) -> None:
    """Refuse a file whose folder is not there, or whose ending says nothing that can be written.

    Parameters
    ----------
    flag
        The flag that names it, for the message.
    path
        The file; None if the flag was not given.
    endings
        What is accepted after the last dot; empty for any ending.

    Raises
    ------
    ScenarioError
        In one line.
    """
    if path is None:
        return
    ending = path.suffix.lstrip(".").lower()
    if endings and ending not in endings and not path.exists():  # a device has no ending
        raise ScenarioError(f"{flag} {path}: must end with {', '.join('.' + name for name in endings)}")
    if not path.parent.is_dir():
        raise ScenarioError(f"{flag} {path}: there is no folder {path.parent}")
