"""The collector of cyclic garbage is put off while sites are made, and comes back as it was."""

from __future__ import annotations

import gc

import pytest

from disttrack.simulator.game.collector import collector_paused


@pytest.fixture(autouse=True)
def _left_as_found() -> object:
    found = gc.isenabled()
    yield
    (gc.enable if found else gc.disable)()


@pytest.mark.parametrize("on", [True, False])
def test_it_is_as_before_also_after_an_error(on: bool) -> None:
    (gc.enable if on else gc.disable)()
    inside = []

    def fail() -> None:
        inside.append(gc.isenabled())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), collector_paused():
        fail()
    assert inside == [False]
    assert gc.isenabled() is on
