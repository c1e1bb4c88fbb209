"""The names of parameters and sides in texts: labels of tables and figures, sentences, the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from disttrack.simulator.kinds.point import canonical

MOST_LETTERS: Final = 24
"""A list or mapping with a longer text is shown by its length."""

LONG: Final = 10**19
"""Whole numbers from here on, above all counts of items and of their bits, are written with an exponent."""


def side_name(side: Any) -> str:
    """Return the name of a side in messages: its kind, else its class."""
    return str(side.kind or type(side).__name__)


def label_of(kind: str, parameters: Iterable[str]) -> str:
    """Return the name of a protocol or an adversary with the parameters that differ from its defaults, as notation.

    Everything that names one to a reader calls this: tables, figures, the terminal.

    A control of a claim, whose kind has its fault after a comma, has it among them.

    >>> label_of("robust, fault deaf", ["α=0.1"])
    'robust(fault deaf, α=0.1)'
    >>> label_of("robust", []), label_of("robust", in_words({"parameters": "tight", "counter": "binary"}).values())
    ('robust', 'robust(parameters=tight, counter=binary)')
    """
    kind, _, fault = kind.partition(", ")
    inside = ", ".join(filter(None, [fault, *parameters]))
    return f"{kind}({inside})" if inside else kind


def in_words(parameters: Mapping[str, object], without: Collection[str] = ()) -> dict[str, str]:
    """Return parameters with their values as notation, by their names."""
    kept = {name: value for name, value in parameters.items() if name not in without}
    return {name: with_name(name, value) for name, value in kept.items()}


def name_of(parameter: str) -> str:
    """Return a parameter as a word for a label: without the side that it belongs to."""
    return {"alpha": "α", "engine_asked": "engine"}.get(
        parameter, parameter.removeprefix("protocol_").removeprefix("adversary_")
    )


def count(number: float, noun: str, written: Callable[[float], str] = "{:,}".format) -> str:
    """Return a number, `written` by a function of it, with its noun, of which several end in s.

    Examples
    --------
    >>> count(1, "site"), count(1_000, "site"), count(0, "matched point"), count(2.0, "word", "{:g}".format)
    ('1 site', '1,000 sites', '0 matched points', '2 words')
    >>> import numpy as np
    >>> count(np.int64(1), "site"), count(np.int64(4_000), "site")
    ('1 site', '4,000 sites')
    """
    return f"{written(number)} {noun if number == 1 else f'{noun}s'}"


def with_name(parameter: str, value: object) -> str:
    """Return a parameter and its value, as notation.

    Examples
    --------
    >>> with_name("sites", 1024), with_name("alpha", 0.05), with_name("centred", True)
    ('sites=1,024', 'α=0.05', 'centred=true')
    >>> with_name("epsilon", float("nan")), with_name("protocol_parameters", "tight")
    ('epsilon=none', 'parameters=tight')
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        text = str(value).lower()
    else:
        text = "none" if value is None or value != value else setting(value)
    return f"{name_of(parameter)}={text}"


def setting(value: object) -> str:
    """Return the value of a parameter: all of its digits, for two settings must not look alike.

    Examples
    --------
    >>> setting(1024), setting(0.03125), setting(2.0), setting("tight")
    ('1,024', '0.03125', '2', 'tight')
    >>> setting(0.1234567), setting(2**61), setting(1e300)
    ('0.1234567', '2,305,843,009,213,693,952', '1e+300')
    >>> setting("20.0")  # of a column that has words too
    '20'
    """
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+[.]0", value):
        value = float(value)
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < LONG else float.__repr__(value)
    return f"{value:,}" if isinstance(value, int) else as_text(value)


def as_text(value: Any) -> str:
    """Return a value that is no number; of a long list or mapping only its length."""
    text = canonical(value) if isinstance(value, list | Mapping) else str(value)
    return text if isinstance(value, str) or len(text) <= MOST_LETTERS else f"{len(value)} values"


def titled(name: str, group: str) -> str:
    """Return the title of a claim's outcome, whole numbers of its group without a point.

    Examples
    --------
    >>> titled("it holds", "sites == 4.0 and alpha == 0.05"), titled("it holds", "")
    ('it holds [sites == 4 and alpha == 0.05]', 'it holds')
    """
    group = re.sub(r"(== -?[0-9]+)[.]0(?![^ ])", r"\1", group)
    return f"{name} [{group}]" if group else name
