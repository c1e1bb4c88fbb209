"""What a paper states, and what bears it: claims of scenarios by its name, or tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tested:
    """A test of this repository that bears a statement where no run can, or where an exact case says more.

    Parameters
    ----------
    test
        File and function, as pytest names it: ``tests/mechanisms/test_noise.py::test_draws_have_their_law``.
    says
        What is asserted, in a line.
    control
        What is broken where the same check is seen to fail; empty if there is no such thing.
    """

    test: str
    says: str
    control: str = ""


@dataclass(frozen=True)
class Statement:
    """A theorem, a lemma, or a comparison that a paper states.

    Parameters
    ----------
    name
        What `source:` of a claim says, if need be after the paper's name.
    says
        What it says, in a line.
    untested
        Why no experiment of its own is possible; empty if one is.
    tests
        The tests that bear it, beside the claims of scenarios that name it.
    """

    name: str
    says: str
    untested: str = ""
    tests: tuple[Tested, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper and what it states.

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
