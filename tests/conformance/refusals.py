"""What conformance says of each class with a fault: a class a line, and below it, indented, the fault and its fix.

``python tests/goldens`` writes the messages anew; this is the only place where their wording is asserted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import mutant_adversaries
import mutant_contents
import mutant_counters
import mutant_protocols
from golden_messages import blocks, joined

from disttrack.simulator import check_adversary, check_counter, check_protocol
from disttrack.simulator.workshop.conformance import ConformanceError

SIZES: Final = {"sites": (1, 2, 5), "items": 400}
SHORT: Final = {"sites": (1, 5), "items": 400}
SUITES: Final[tuple[tuple[Callable[..., list[str]], Mapping[str, object], Mapping[str, object]], ...]] = (
    (check_protocol, mutant_protocols.MUTANTS, SIZES),
    (check_protocol, mutant_contents.TRACKERS, SHORT),
    (check_adversary, mutant_adversaries.MUTANTS, SIZES),
    (check_adversary, mutant_contents.ADVERSARIES, {"sites": (1, 5), "items": 200}),
    (check_counter, mutant_counters.MUTANTS, {}),
    (check_counter, mutant_counters.LONG_MUTANTS, {}),
    (check_adversary, mutant_adversaries.LONG_MUTANTS, {}),
)
"""A check, its mutants by name, and the sizes of the games."""
MUTANTS: Final = {
    f"{check.__name__} {name}": (check, mutant, sizes)
    for check, mutants, sizes in SUITES
    for name, mutant in mutants.items()
}
FILE: Final = Path(__file__).with_name("refusals.txt")
SHORTEST: Final = "; shortest: "
"""Where the moves of a failing game begin, for which a machine searches as long as it may."""
OF_PYTHON: Final = re.compile(r"(?<=cannot be pickled).*")
"""What each version of Python says otherwise."""


def refusal(check: Callable[..., object], mutant: object, sizes: Mapping[str, object]) -> ConformanceError | None:
    """Return the first fault of a mutant; None if none is found."""
    try:
        check(mutant, **sizes)
    except ConformanceError as fault:
        return fault
    return None


def said(fault: ConformanceError | None) -> list[str]:
    """Return the lines of a fault, without moves and the name of the mutant."""
    if fault is None:
        return []
    what = str(fault).partition(": ")[2].partition(SHORTEST)[0]
    return [f"{fault.check}: {OF_PYTHON.sub('', what)}", f"fix: {fault.mend}"]


def regenerate_refusals() -> None:
    """Write all messages anew; of mutants that this machine cannot play, they are kept."""
    lines = blocks(FILE) | {name: said(refusal(*mutant)) for name, mutant in MUTANTS.items()}
    FILE.write_text(joined(lines), encoding="utf-8")
