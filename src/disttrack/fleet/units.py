"""Rates, times and shares on the command line: ``1000/s``, ``20ms``, ``2%``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import floor, isfinite
from typing import TYPE_CHECKING, Final

import click

from disttrack.adversaries.quantities import SECONDS
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.formats import number

if TYPE_CHECKING:
    _Type = click.ParamType[float]
else:
    _Type = click.ParamType  # which older versions of click do not subscript

MOST: Final = 10**15
"""Of rates per second, and of times in seconds."""


class Quantity(float):
    """A number in the unit 1.

    Attributes
    ----------
    unit
        The size of the unit in which it was given.
    exact
        The number that was written.
    """

    unit: float = 1.0
    exact: Fraction = Fraction(0)

    @property
    def window(self) -> Fraction:
        """The seconds of the window of a rate: of a day, in 250/day."""
        return Fraction(1 / self.unit).limit_denominator(10**9)


class Unit(_Type):
    """A number with a unit after it.

    Parameters
    ----------
    name
        Its name in help texts.
    pattern
        What stands before the unit, with the unit as a group.
    units
        Factors by unit; of a rate, the seconds of what it is per, before which a number may stand.
    example
        Accepted texts.
    least
        The least text that is accepted; empty for 0.
    """

    def __init__(self, name: str, before: str, units: Mapping[str, Fraction], example: str, least: str = "") -> None:
        self.name, self.before, self.units, self.example, self.least = name, before, units, example, least

    def _exactly(self, text: str) -> Fraction:
        quantity = self.convert(text, None, None)
        assert isinstance(quantity, Quantity)
        return quantity.exact

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number as a `Quantity`."""
        if isinstance(value, float):
            return value
        several = r"(\d*)" if self.before else "()"
        found = re.fullmatch(rf"(\d+\.?\d*(?:e\d+)?|\.\d+){self.before}{several}([a-z%]+)", str(value))
        if not found or found[3] not in self.units or int(found[2] or 1) == 0:
            self.fail(f"must be as in {self.example}; got {value!r}", param, ctx)
        given, unit = float(found[1]), self.units[found[3]] * int(found[2] or 1)
        unit = 1 / unit if self.before else unit
        # exact, so that 100us is 0.1ms
        exact = Fraction(found[1]) * unit if isfinite(given) else Fraction(MOST + 1)
        if self.least and str(value) != self.least and exact < self._exactly(self.least):
            self.fail(f"must be {f'at least {self.least}' if exact else 'above 0'}; got {value!r}", param, ctx)
        if exact > MOST:
            of = {"rate": " per second", "time": " seconds"}.get(self.name, "")
            self.fail(f"must be at most {MOST:,}{of}; got {value!r}", param, ctx)
        quantity = Quantity(exact)
        quantity.unit, quantity.exact = float(unit), exact
        return quantity


def limit_in(rate: float, window: float | Fraction, name: str = "--quota and --window") -> tuple[int, Fraction]:
    """Return the whole limit of a window, rounded down, and what the rate allows in it; `name` is for the message.

    Raises
    ------
    ScenarioError
        The limit is less than one request.

    Examples
    --------
    >>> limit_in(5.0, 0.3), limit_in(1 / 9, 900.0)
    ((1, Fraction(3, 2)), (100, Fraction(100, 1)))
    """
    allowed = _exact(rate) * _exact(window)
    if allowed < 1:
        raise ScenarioError(f"{name} must make a limit of at least one request; got {float(allowed):.3g}")
    return floor(allowed), allowed


def rounded(limit: int, allowed: Fraction) -> str:
    """Return what is said of a limit after it, if less is played than a rate allows; empty if not.

    Examples
    --------
    >>> rounded(1, Fraction(3, 2)), rounded(3, Fraction(3))
    (' (1.5, rounded down)', '')
    """
    return "" if limit == allowed else f" ({float(allowed):.12g}, rounded down)"


def _exact(value: float | Fraction) -> Fraction:
    """Return the number that was written, or the shortest near a float."""
    return value.exact if isinstance(value, Quantity) else Fraction(value).limit_denominator(10**9)


def shown(seconds: float) -> str:
    """Return a time in three digits, in seconds or parts of them.

    Examples
    --------
    >>> shown(4.56), shown(0.005), shown(1 / 3000), shown(0), shown(3600)
    ('4.56 s', '5 ms', '333 us', '0 us', '3,600 s')
    """
    unit = next((one for one in ("s", "ms") if seconds >= SECONDS[one]), "us")
    return f"{number(float(f'{seconds / float(SECONDS[unit]):.3g}'))} {unit}"


RATE: Final = Unit("rate", "/", SECONDS, "1000/s, 60/min, 100/15min or 250/day", least="1/10000days")
TIME: Final = Unit("time", "", SECONDS, "20ms, 1s, 5min or 1day")
DURATION: Final = Unit("time", "", SECONDS, "20ms, 1s, 5min or 1day", least="1us")
SHARE: Final = Unit("share", "", {"%": Fraction(1, 100)}, "2%")
