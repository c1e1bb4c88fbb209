"""The files of the golden transcripts: a text of why the numbers are right, a line of dashes, and the game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from golden_cases import FOLDER, RULE, Case, case_of, parts
from golden_diagram import diagram

UNWRITTEN = "Write here why these numbers are right, then 'By hand:' and the numbers that you worked out.\n"


def played(case: Case) -> str:
    """Return the game of a case, played now."""
    return diagram(case.protocol, case.adversary, sites=case.sites, items=case.items, start=case.start, seed=case.seed)


def regenerated(case: Case, folder: Path = FOLDER) -> str:
    """Return the text of a case's file with its game played anew, and the text above it kept."""
    above, _ = parts((folder / f"{case.name}.txt").read_text(encoding="utf-8"))
    return f"{above or UNWRITTEN}{RULE}\n{played(case)}"


def by_hand(above: str) -> dict[str, int]:
    """Return the numbers that the text claims to have been worked out by hand, by name."""
    line = re.search(r"^By hand: (.*?)\.$", above, re.MULTILINE | re.DOTALL)
    found = re.findall(r"([a-z]+) (\d+)", line[1]) if line else []
    return {name: int(number) for name, number in found}


def counted(below: str) -> dict[str, int]:
    """Return what the end of a game says, by name: messages of each kind, and in all; words, bits, rounds."""
    messages = re.search(r"^messages   (\d+) \((.*)\), (\d+) words, (\d+) bits$", below, re.MULTILINE)
    outcome = re.search(r"^outcome    rounds (\d+)", below, re.MULTILINE)
    assert messages is not None
    assert outcome is not None
    kinds = {name: int(number) for name, number in (pair.split() for pair in messages[2].split(", "))}
    most, words, bits = (int(messages[place]) for place in (1, 3, 4))
    return {**kinds, "messages": most, "words": words, "bits": bits, "rounds": int(outcome[1])}


def write_all(folder: Path, texts: Mapping[str, str], shown: str = "") -> None:
    """Let a folder hold these texts and no others, and say what has changed.

    Parameters
    ----------
    shown
        What stands before a file's name where it is said.
    """
    for path in sorted(folder.glob("*.txt")):
        if path.name not in texts:
            path.unlink()
            print(f"removed {shown}{path.name}")
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {shown}{name}")


def regenerate(folder: Path = FOLDER) -> int:
    """Play every golden transcript anew, and say what has changed.

    Returns
    -------
    int
        The exit status: 1 if a text is still to be written.
    """
    cases = [case_of(path) for path in sorted(folder.glob("*.txt"))]
    wanted = {f"{case.name}.txt": regenerated(case, folder) for case in cases}
    write_all(folder, wanted)
    unwritten = [name for name, text in wanted.items() if parts(text)[0] == UNWRITTEN]
    for name in unwritten:
        print(f"{name}: say at its top why its numbers are right")
    return 1 if unwritten else 0
