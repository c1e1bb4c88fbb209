"""Faults of a deployment are read as they are printed. In steps of a game: messages/suffered.txt."""

from __future__ import annotations

from disttrack.simulator.game.network.deployed import KINDS, SERVER, DeployedFault, read
from disttrack.simulator.game.network.listed import read as read_steps

FIRST = "deterministic alpha=0.1; seed 3, latency 0.05 s"


def test_every_kind_is_read_as_it_is_printed() -> None:
    """Also beside the others, with the deployment before them and comments between."""
    faults = tuple(
        DeployedFault(1.5, name, SERVER if kind.server else "2", 0.3 * kind.lasts, (*kind.amounts, 0.0)[0])
        for name, kind in KINDS.items()
    )
    text = "\n  ".join([FIRST, "# found", *map(str, faults), "-> stuck: a; b"])
    done = read(text)
    assert done.deployed == faults
    assert (done.protocol, done.seed, done.latency, done.listed) == ("deterministic alpha=0.1", 3, 0.05, ())


def test_faults_in_steps_stand_beside_those_in_seconds() -> None:
    """As `attack --network` prints them."""
    steps = "message 3 from 2 lost; sites 1 down 30-40"
    done = read(f"{steps}\n2 s: reset 0; 1e-2 s: burst 1 with 20\n")
    assert done.listed == read_steps(steps)
    assert [fault.kind for fault in done.deployed] == ["reset", "burst"]
    assert (done.protocol, done.seed, done.latency) == ("", None, None)
    assert read("").deployed == ()
