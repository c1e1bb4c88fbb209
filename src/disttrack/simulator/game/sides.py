"""What a game is made of: its two sides, what the adversary may see, its size; and what to write in place of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any, Final

from disttrack.adversaries.base import Adversary, Opponent
from disttrack.adversaries.contents import ItemAdversary
from disttrack.adversaries.recorded import Trace
from disttrack.adversaries.scripts import from_function
from disttrack.adversaries.views import POWERS
from disttrack.mechanisms.checks import one_of, plain
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import ScenarioError, must_be, must_be_one_of
from disttrack.simulator.kinds.names import side_name
from disttrack.simulator.kinds.point import made_from
from disttrack.simulator.kinds.registry import kinds, parameters

_ORDER: Final = "play(protocol, adversary, …)"


def as_protocol(protocol: object) -> Protocol:
    """Return a protocol, also that of a text or an entry of a scenario; TypeError if it is none."""
    if isinstance(protocol, str | Mapping) and protocol not in list(kinds("adversary")):
        protocol = made_from("protocol", protocol)
    if isinstance(protocol, type) and issubclass(protocol, Protocol):
        raise no_object("protocol", protocol)
    if isinstance(protocol, Opponent) or (isinstance(protocol, str) and protocol in kinds("adversary")):
        raise TypeError(f"protocol must be a Protocol; got adversary {protocol!r}: {_ORDER}")
    if not isinstance(protocol, Protocol):
        raise TypeError(must_be("a Protocol, as Deterministic(alpha=0.1)", protocol, "protocol"))
    check_accuracy(protocol)
    return protocol


def check_accuracy(protocol: Protocol) -> None:
    """Raise ValueError unless the accuracy of a protocol, if it has one, can be judged: classes of a user may have any.

    An accuracy of 0 promises that there is no error; a parameter `alpha` of 0 is refused.
    """
    alpha = plain(getattr(protocol, "alpha", None))
    accuracy = plain(protocol.accuracy) if alpha is None else alpha
    if accuracy is None:
        return
    is_number = isinstance(accuracy, int | float) and not isinstance(accuracy, bool)
    if is_number and (0 < accuracy < 1 or (accuracy == 0 and alpha is None)):
        return
    raise ValueError(must_be("above 0 and below 1", accuracy, "alpha"))


def as_adversary(adversary: object) -> Adversary | ItemAdversary:
    """Return an adversary, also that of a function, a text or an entry of a scenario; TypeError if it is none."""
    if isinstance(adversary, str | Mapping) and adversary not in list(kinds("protocol")):
        adversary = made_from("adversary", adversary)
    if isinstance(adversary, Adversary | ItemAdversary):
        return adversary
    if isinstance(adversary, type):
        raise no_object("adversary", adversary)
    if isinstance(adversary, Protocol) or (isinstance(adversary, str) and adversary in kinds("protocol")):
        raise TypeError(f"adversary must be an Adversary; got protocol {adversary!r}: {_ORDER}")
    if not callable(adversary):
        raise TypeError(must_be("an Adversary or a function of the view, not called", adversary, "adversary"))
    return from_function(adversary)


def no_object(name: str, maker: type) -> TypeError:
    """Return the error of a class in place of its object."""
    return TypeError(f"{name} must be an object, {call_of(maker)}; got the class")


def call_of(maker: type) -> str:
    """Return the call that makes an object of a class, with the parameters that it needs.

    Examples
    --------
    >>> from disttrack import Freeze, Robust
    >>> call_of(Freeze), call_of(Robust)
    ('Freeze()', 'Robust(alpha=0.1)')
    """
    needed = [name for name, default in parameters(maker).items() if default is MISSING]
    return f"{maker.__name__}({', '.join(f'{name}=0.1' if name == 'alpha' else f'{name}=…' for name in needed)})"


MOST_ITEMS: Final = 2**61
"""Items of a game, including those counted before it: schedules count in 64 bits, and twice this must fit."""
TOO_MANY: Final = "items + start must be at most 2^61; got {:,}"


def counted(value: object) -> object:
    """Return a float that is a whole number as one, as in a scenario file, a number of numpy's as Python's.

    Examples
    --------
    >>> counted(1e5), counted(2.5), counted(7)
    (100000, 2.5, 7)
    """
    value = plain(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


NO_ITEMS: Final = "{} chooses sites; {} needs a stream of items, such as freeze-item"
"""The refusal of an adversary, with the protocol or task."""


def check_power(sees: object) -> None:
    """Raise ValueError unless `sees` is a power: outputs, traffic or state."""
    one_of("sees", sees, POWERS)


def check_task(adversary: Any, task: str, name: str = "") -> None:
    """Raise ScenarioError if an adversary is made for other tasks than this one."""
    made_for = adversary.plays
    if not adversary.plays_in(task):
        name = name or side_name(adversary)
        raise ScenarioError(f"{name} plays {', '.join(made_for)}, not {task}: disttrack describe {made_for[-1]}")


def check_costs(protocol: Protocol, adversary: Adversary) -> None:
    """Raise ScenarioError if a trace has costs that a protocol does not take."""
    if isinstance(adversary, Trace) and adversary.cost is not None and not hasattr(protocol, "costs"):
        raise ScenarioError(f"cost: must be left out: {side_name(protocol)} takes no costs")


def missing_power(adversary: Any, granted: object) -> str | None:
    """Return the power that an adversary needs and is not granted, None if it has enough.

    Raises
    ------
    ValueError
        The granted power does not exist.
    ScenarioError
        The power declared by the adversary's class does not exist.
    """
    check_power(granted)
    needed = adversary.sees
    if needed not in POWERS:
        raise ScenarioError(must_be_one_of(POWERS, needed, f"adversary {side_name(adversary)}: sees"))
    return str(needed) if POWERS.index(needed) > POWERS.index(granted) else None
