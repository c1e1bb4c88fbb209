"""Python's collector of cyclic garbage, put off while many sites are made: it would take longer than making them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the collector from running in the block, unless it is off anyway.

    Whenever the objects of a process have grown by a quarter it goes over all of them. A game of many sites makes
    hundreds of thousands of objects, none of them garbage, so that it would do so several times for nothing.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
