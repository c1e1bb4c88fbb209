"""The statements of papers that scenarios may name as the `source` of a claim: a YAML file per paper.

A source is the name of a statement, with the paper's before it: `Threshold monitor: Theorem 1.9`. The paper's name may
be left out where only one paper has a statement of that name, and for those of the robust tracker, which most
scenarios are about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel

from disttrack.simulator.kinds.installed import folder_files, packaged_files


def files() -> list[Path]:
    """Return the papers' files, this package's first: the first paper's name may be left out.

    An installed package names the folder of its own as a module, by an entry point ``disttrack.statements``.
    """
    return [*folder_files(Path(__file__).parent), *packaged_files("disttrack.statements")]


class Tested(BaseModel, frozen=True):
    """A test of this repository that supports a statement where no run can, or where an exact case says more.

    Parameters
    ----------
    test
        File and function, as pytest names it: ``tests/mechanisms/test_noise.py::test_draws_have_their_law``.
    says
        What is asserted, in a line.
    control
        What is broken where the same check fails; empty if there is no such control.
    """

    test: str
    says: str
    control: str = ""


class Statement(BaseModel, frozen=True):
    """A theorem, a lemma, or a comparison that a paper states.

    Parameters
    ----------
    name
        Its name in `source:` of a claim, if need be after the paper's name.
    says
        Its content in a line.
    untested
        Why no experiment of its own is possible; empty if one is.
    tests
        The tests that support it, beside the claims of scenarios that name it.
    """

    name: str
    says: str
    untested: str = ""
    tests: tuple[Tested, ...] = ()


class Paper(BaseModel, frozen=True):
    """A paper and its statements.

    Parameters
    ----------
    name
        Its subject in two words, which goes before a statement's name where several papers have one of that name:
        ``Threshold monitor: Theorem 1.9``.
    cites
        Authors, year, title, place.
    statements
        In the order of the paper.
    """

    name: str
    cites: str
    statements: tuple[Statement, ...]

    def key(self, statement: Statement) -> str:
        """Return the name of a statement that no other paper has."""
        return f"{self.name}: {statement.name}"


PAPERS: Final = tuple(Paper.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in files())
STATEMENTS: Final = {paper.key(one): one for paper in PAPERS for one in paper.statements}
"""Every statement, by the paper's name and its own."""


def key_of(source: str) -> str | None:
    """Return the full name of the statement that a source names; None if there is none or several.

    Examples
    --------
    >>> key_of("Lemma 5"), key_of("Robust tracking: Theorem 4"), key_of("Lemma 99")
    ('Robust tracking: Lemma 5', 'Robust tracking: Theorem 4', None)
    """
    if source in STATEMENTS:
        return source
    keys = [key for key, one in STATEMENTS.items() if one.name == source]  # in the order of the papers
    return keys[0] if len(keys) == 1 or (keys and keys[0].startswith(f"{PAPERS[0].name}: ")) else None
