"""Pause Python's cyclic garbage collector while many sites are made: it would take longer than making them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector in the block, unless it is off already.

    Whenever the objects of a process have grown by a quarter it scans all of them. A game of many sites makes
    hundreds of thousands of objects, none of them garbage, so that several scans would find nothing.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
