"""Types of options for numbers: 2000 and 2e3 are the same; 2k and 2,000 are refused with the form to write."""

from __future__ import annotations

from typing import Any, Final

import click

from disttrack.simulator.errors import as_decimal, as_whole

WAYS: Final = "a whole number, as 2000 or 2e3"


class _Whole(click.IntRange):
    """A whole number, maybe written as 2e3 or 2_000."""

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = float(value) if isinstance(value, str) and "e" in value.lower() else int(value)
            if number != int(number):
                raise ValueError
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not {WAYS}{as_whole(value)}", param, ctx)
        return super().convert(int(number), param, ctx)

    def _describe_range(self) -> str:
        return super()._describe_range() if (self.min, self.max) != (None, None) else ""


class _Real(click.types.FloatParamType):
    """A number; one in per cent or with a comma is refused with the one to write."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number, as 0.1 or 1e-6{as_decimal(value) or as_whole(value)}", param, ctx)


def with_advice(command: click.Command) -> click.Command:
    """Return a command, those below it too, whose options for numbers say in what form they take them."""
    for one in command.params:
        if isinstance(one.type, click.types.IntParamType) and not isinstance(one.type, _Whole):
            least, most = (getattr(one.type, name, None) for name in ("min", "max"))
            one.type = _Whole(least, most)
        elif type(one.type) is click.types.FloatParamType:
            one.type = _Real()
    for each in getattr(command, "commands", {}).values():
        with_advice(each)
    return command
