"""How numbers are written for readers: one function for each purpose, used by the terminal, pages and figures.

`number` and `cell` are for tables, `exact` and `apart` for parameters in them, `interval` and `span` for two ends,
`setting` and `with_name` for parameters in texts,
`duration` and `in_bytes` for times and sizes; `short` and `swept_ticks` for axes, where there is little room.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from math import inf, isfinite
from typing import Any, Final

from disttrack.simulator.experiments.scenario.settings import SIDES
from disttrack.simulator.kinds.names import LONG, as_text, count, in_words, label_of, setting
from disttrack.simulator.kinds.point import canonical

NOTHING: Final = 1e-12
"""Smaller numbers are rounding errors of 0."""
_K: Final = 10_000
"""Axes with larger numbers write thousands as k."""
MOST: Final = 10**308
"""A whole number that a float holds."""


def number(value: float | None) -> str:
    """Return a number of a table: whole ones with thousands' commas, others with three digits; nothing for none.

    Examples
    --------
    >>> number(1234567), number(0.09090909), number(1234.56), number(1e12), number(-2.5)
    ('1,234,567', '0.0909', '1,234.6', '1,000,000,000,000', '-2.5')
    >>> number(2**61), number(1e300), number(-(10**400))
    ('2,305,843,009,213,693,952', '1e+300', '-1.00e+400')
    >>> number(124.5), number(125.5), number(-124.5), number(999.5), number(1042.5)
    ('124', '126', '-124', '1,000', '1,042.5')
    >>> number(None), number(float("nan")), number(1e-17), number(float("inf"))
    ('', '', '0', 'infinite')
    """
    if value is None or value != value:
        return ""
    if value in (inf, -inf):
        return "infinite" if value > 0 else "-infinite"
    if abs(value) < NOTHING:
        return "0"
    if abs(value) >= LONG:
        return f"{float(value):.3g}" if abs(value) < MOST else f"{Decimal(value):.2e}"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.1f}" if abs(value) >= 1000 else f"{float(f'{value:.3g}'):,g}"
    return f"{int(value):,}"


def in_short(value: float) -> str:
    """Return a measured value: as `number`, and whole from 1,000 on; halves become even, as Python rounds.

    Examples
    --------
    >>> in_short(12.5), in_short(950.5), in_short(999.5), in_short(1042.5), in_short(1043.5), in_short(float("nan"))
    ('12.5', '950', '1,000', '1,042', '1,044', '')
    """
    return number(round(value) if 1000 <= abs(value) < inf else value)


def cell(value: object) -> str:
    """Return any value of a table: a number as `number` writes it, anything else as it is.

    Examples
    --------
    >>> import numpy as np
    >>> cell(np.int64(4096)), cell(True), cell("freeze"), cell(None), cell([1, 2]), cell(list(range(50)))
    ('4,096', 'True', 'freeze', '', '[1,2]', '50 values')
    """
    plain = value.item() if hasattr(value, "item") else value
    if plain is None or (isinstance(plain, int | float) and not isinstance(plain, bool)):
        return number(plain)
    return as_text(plain)


def exact(value: object) -> str:
    """Return the value of a parameter in a table: as `cell`, but no other value looks like it.

    Examples
    --------
    >>> exact(0.03), exact(0.1234567), exact(4096), exact(True), exact("True"), exact(1e-20), exact(None)
    ('0.03', '0.1234567', '4,096', 'True', "'True'", '1e-20', '')
    >>> exact(1), exact("1"), exact([1, 2]), exact(list(range(12)))
    ('1', "'1'", '[1,2]', '[0,1,2,3,4,5,6,7,8,9,10,11]')
    """
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and isfinite(plain):
        return setting(plain)
    if isinstance(plain, list | Mapping):
        return canonical(plain)
    text = cell(plain)
    return repr(plain) if isinstance(plain, str) and _is_other(plain) else text


def _is_other(text: str) -> bool:
    """Return whether a text looks like a number, a truth value or a list, which it is not."""
    with suppress(ValueError):
        return isinstance(json.loads(text.replace(",", "").lower()), object)
    return not text.strip() or text in ("infinite", "-infinite")


def apart(values: Sequence[object]) -> list[str]:
    """Return the values of a parameter as `cell` writes them, or as `exact` does if two would look alike.

    Examples
    --------
    >>> apart([0.1, 1 / 3, None]), apart([0.1234567, 0.1234568])
    (['0.1', '0.333', ''], ['0.1234567', '0.1234568'])
    """
    short, full = [[write(value) for value in values] for write in (cell, exact)]
    return short if len({*short}) == len({*full}) else full


def interval(low: float | None, high: float | None, shown: Callable[[float | None], str] = number) -> str:
    """Return a confidence interval; nothing where an end is missing.

    Examples
    --------
    >>> interval(0.887, 0.98412), interval(2, 2), interval(None, 3), interval(1, float("nan"))
    ('0.887 … 0.984', '2 … 2', '', '')
    """
    first, last = shown(low), shown(high)
    return f"{first} … {last}" if first and last else ""


def ratio(value: float | None) -> str:
    """Return a ratio as `number` does, with more digits where it would otherwise be shown as 1 and is not.

    >>> ratio(1.0), ratio(1.0006), ratio(0.99996), ratio(2.345), ratio(None)
    ('1', '1.001', '0.99996', '2.35', '')
    """
    digits = 3
    text = number(value)
    while text == "1" and value != 1 and digits < 8:
        digits += 1
        text = f"{value:.{digits}g}"
    return text


def games_of(games: float, played: float | None = None) -> str:
    """Return how many different games something rests on, and how many were played where some repeat another.

    Examples
    --------
    >>> games_of(8, 80), games_of(20, 20), games_of(1234), games_of(3, float("nan"))
    ('8 (80 played)', '20', '1,234', '3')
    """
    more = played is not None and played == played and played > games
    return number(games) + (f" ({number(played)} played)" if more else "")


def span(values: Sequence[float]) -> str:
    """Return the range of several values; one number where its ends look alike.

    Examples
    --------
    >>> span([4, 2, 3]), span([2.0001, 2]), span([])
    ('2 … 4', '2', '')
    """
    if not values:
        return ""
    first, last = number(min(values)), number(max(values))
    return first if first == last else f"{first} … {last}"


def chance(value: float | None, bound: bool = False) -> str:
    """Return a small probability, or a bound on one, by its power of ten; nothing for none.

    Examples
    --------
    >>> chance(0.0312), chance(3.24e-7), chance(1e-30), chance(0), chance(float("nan"))
    ('0.03', '3e-07', '< 1e-12', '0', '')
    >>> chance(0.0312, bound=True), chance(0, bound=True)
    ('≤ 0.03', '0')
    """
    if value is None or value != value:
        return ""
    if 0 < value < 1e-12:
        return "< 1e-12"
    return "≤ " * (bound and value > 0) + f"{value:.1g}"


def percent(share: float) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> percent(0.0123456), percent(1)
    ('1.23 %', '100 %')
    """
    return f"{100 * share:.3g} %"


def duration(seconds: float) -> str:
    """Return a time.

    Examples
    --------
    >>> duration(0.0312), duration(12.34), duration(184), duration(7384), duration(1e300)
    ('0.03 s', '12.3 s', '3 min 4 s', '2 h 3 min', '2.78e+296 h')
    """
    if not abs(seconds) < LONG:
        return f"{number(_real(seconds) / 3600)} h"
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def in_bytes(amount: float) -> str:
    """Return a number of bytes.

    Examples
    --------
    >>> in_bytes(3.2e9), in_bytes(150_000), in_bytes(12), in_bytes(1e300)
    ('3.2 GB', '150.0 kB', '12 bytes', '1e+300 bytes')
    """
    if not abs(amount) < LONG:
        return f"{number(amount)} bytes"
    from rich.filesize import decimal

    return decimal(round(amount))


def short(value: float) -> str:
    """Return a large count in few letters, for the axis of a figure.

    Examples
    --------
    >>> short(950), short(52_340), short(1_600_000), short(1e12), short(1e300)
    ('950', '52.3k', '1.6M', '1,000G', '1e+300')
    """
    if not abs(value) < LONG:
        return number(value)
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            scaled = value / size
            return f"{scaled:,.0f}{letter}" if scaled >= 100 else f"{scaled:.3g}{letter}"
    return f"{value:.3g}"


def _real(value: float) -> float:
    """Return a number as a float, infinite if it is larger than any."""
    return float(value) if abs(value) < MOST else inf if value > 0 else -inf


def swept_ticks(values: Sequence[float]) -> list[str]:
    """Return the swept values of an axis, all in one style: exact in few letters or with commas, else powers of two.

    Examples
    --------
    >>> swept_ticks([16, 64, 1024]), swept_ticks([0.25, 1, 4]), swept_ticks([2**10, 2**22])
    (['16', '64', '1,024'], ['0.25', '1', '4'], ['1,024', '4,194,304'])
    >>> swept_ticks([10**5, 10**8]), swept_ticks([2**20, 2**61]), swept_ticks([65_536, 3 * 10**7])
    (['100k', '100M'], ['$2^{20}$', '$2^{61}$'], ['65.5k', '30M'])
    """
    if values and max(values) >= _K and all(_in_thousands(value) for value in values):
        return [short(value) for value in values]
    if not values or max(values) < 10**7:
        return [f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}" for value in values]
    whole = [int(value) for value in values]
    if all(value > 0 and value & (value - 1) == 0 for value in whole):
        return [f"$2^{{{value.bit_length() - 1}}}$" for value in whole]
    return [short(value) for value in values]


def _in_thousands(value: float) -> bool:
    """Return whether `short` writes a number exactly."""
    return (value < _K and value == int(value)) or float(f"{value:.2g}") == value


def games_per_point(points: Any) -> str:
    """Return the number of games of each point in words; `points` names the point of each game."""
    games = points.value_counts()
    least, most = int(games.min()), int(games.max())
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{number} game{'s' * (most > 1)} per point"


def sides_of(game: Any, kinds: Sequence[str] = ()) -> str:
    """Return the names of the two sides of a `Game`, as `robust(parameters=tight) against freeze`.

    Parameters
    ----------
    kinds
        Those of the two sides; empty for the game's own.
    """
    names = zip(SIDES, kinds or (game.protocol, game.adversary), strict=True)
    return " against ".join(label_of(kind, in_words(game.parameters.get(side, {})).values()) for side, kind in names)


def on_network(game: Any) -> str:
    """Return the lag, the lag-aware error and the losses of a `Game` on a network, in words; empty for another one."""
    if not (game.max_lag or game.lost or game.restarts or game.words_link):
        return ""
    return (
        f"lag {count(game.max_lag, 'step')}, lag-aware error {number(game.max_lag_error)}, words of links "
        f"{game.words_link:,}, lost {game.lost:,}, restarts {game.restarts:,}"
    )
