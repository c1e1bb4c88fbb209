"""Views can be read and not changed: the check of one, and all classes of views of a package."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from disttrack.adversaries.base import Facts


def hold_read_only(view: Any) -> None:
    """Assert that no fact of a view can be set or deleted."""
    shown = [name for name in dir(view) if name[0] != "_" and not callable(getattr(type(view), name, None))]
    assert {"known", "rng", "steps"} <= {*shown}
    for name in [*shown, "mine"]:
        with pytest.raises(AttributeError):
            setattr(view, name, 3)
        with pytest.raises(AttributeError):
            delattr(view, name)
    for change in (lambda: view.known.update(alpha=1), lambda: view.known.pop("alpha")):
        with pytest.raises(TypeError, match=r"view\.known is read only"):
            change()
    again = pickle.loads(pickle.dumps(view.known))
    assert again == {**view.known} == {"alpha": 0.1}
    assert type(again) is type(view.known)


def views_of(*packages: str) -> set[type]:
    """Return the classes of views that packages of `disttrack` define, in modules that are loaded."""
    known: set[type] = set()
    waiting: list[type] = [Facts]
    while waiting:
        waiting += (below := waiting.pop().__subclasses__())
        known.update(below)
    return {one for one in known if one.__module__.startswith(tuple(f"disttrack.{name}." for name in packages))}
