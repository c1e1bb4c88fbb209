"""Rates, times and shares on the command line: ``1000/s``, ``20ms``, ``2%``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Final

import click

from disttrack.adversaries.quantities import SECONDS
from disttrack.simulator.experiments.results.formats import number

if TYPE_CHECKING:
    _Type = click.ParamType[float]
else:
    _Type = click.ParamType  # which older versions of click do not subscript


class Quantity(float):
    """A number in the unit 1.

    Attributes
    ----------
    unit
        The size of the unit in which it was given.
    """

    unit: float = 1.0


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
    zero
        Whether 0 is accepted.
    """

    def __init__(self, name: str, before: str, units: Mapping[str, Fraction], example: str, zero: bool = True) -> None:
        self.name, self.before, self.units, self.example, self.zero = name, before, units, example, zero

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
        quantity = Quantity(Fraction(found[1]) * unit if given and isfinite(given) else given)
        if not (quantity or self.zero) or not isfinite(quantity):
            self.fail(f"must be {'finite' if quantity else 'above 0'}; got {value!r}", param, ctx)
        quantity.unit = float(unit)
        return quantity


def shown(seconds: float) -> str:
    """Return a time in three digits, in seconds or parts of them.

    Examples
    --------
    >>> shown(4.56), shown(0.005), shown(1 / 3000), shown(0), shown(3600)
    ('4.56 s', '5 ms', '333 us', '0 us', '3,600 s')
    """
    unit = next((one for one in ("s", "ms") if seconds >= SECONDS[one]), "us")
    return f"{number(float(f'{seconds / float(SECONDS[unit]):.3g}'))} {unit}"


RATE: Final = Unit("rate", "/", SECONDS, "1000/s, 60/min, 100/15min or 250/day", zero=False)
TIME: Final = Unit("time", "", SECONDS, "20ms, 1s, 5min or 1day")
DURATION: Final = Unit("time", "", SECONDS, "20ms, 1s, 5min or 1day", zero=False)
SHARE: Final = Unit("share", "", {"%": Fraction(1, 100)}, "2%")
