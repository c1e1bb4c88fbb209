"""The docstrings of classes as they are at run time: with the parameters that a class inherits."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe


class RunTimeDocstrings(griffe.Extension):
    """Takes the docstring of each class from the class itself, since the source does not have all of it."""

    def on_class_instance(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace the docstring of a class whose module defines it by name."""
        module, _, name = cls.path.rpartition(".")
        if cls.docstring is not None and module == cls.module.path:
            maker = getattr(import_module(module), name, None)
            cls.docstring.value = inspect.getdoc(maker) or cls.docstring.value
