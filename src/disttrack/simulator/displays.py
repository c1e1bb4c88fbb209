"""How objects of the simulator are shown: a game has data, and what draws or writes it is registered by name.

So the game, scenarios and results know nothing of figures and notebooks. `disttrack.simulator` registers those of this
package; `register` replaces or adds one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

_DISPLAYS: Final[dict[str, str]] = {}


def register(name: str, reference: str) -> None:
    """Register the function or class that shows something.

    Parameters
    ----------
    name
        What is shown and as what: ``game.plot``, ``game.html``, ``results.axes``, ``results.html``, ``scenario.html``.
    reference
        ``module:function``, imported when it is first used.
    """
    _DISPLAYS[name] = reference


def display(name: str) -> Callable[..., Any]:
    """Return what is registered under a name.

    Raises
    ------
    LookupError
        Nothing is registered under this name.
    """
    if name not in _DISPLAYS:
        raise LookupError(f"nothing is registered that shows {name}: see disttrack.simulator.displays.register")
    module, _, attribute = _DISPLAYS[name].partition(":")
    shown: Callable[..., Any] = getattr(import_module(module), attribute)
    return shown
