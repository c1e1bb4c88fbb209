"""Adversaries of sketches, which choose the updates of a stream: fixed streams, attacks and their controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.lazy import lazy_names

if TYPE_CHECKING:
    from disttrack.privacy.adversaries.sketching.base import Attacker as Attacker
    from disttrack.privacy.adversaries.sketching.base import ObliviousStream as ObliviousStream
    from disttrack.privacy.adversaries.sketching.base import StreamView as StreamView
    from disttrack.privacy.mechanisms.sketches import RESET as RESET

    "Sketches under attack"
    from disttrack.privacy.adversaries.sketching.attacks import AmsAttack as AmsAttack
    from disttrack.privacy.adversaries.sketching.attacks import BlindResets as BlindResets
    from disttrack.privacy.adversaries.sketching.attacks import CoverAttack as CoverAttack
    from disttrack.privacy.adversaries.sketching.attacks import FlipFlop as FlipFlop
    from disttrack.privacy.adversaries.sketching.attacks import FreshItems as FreshItems
    from disttrack.privacy.adversaries.sketching.attacks import QuietItems as QuietItems
    from disttrack.privacy.adversaries.sketching.attacks import RandomItems as RandomItems
    from disttrack.privacy.adversaries.sketching.attacks import RandomTails as RandomTails
    from disttrack.privacy.adversaries.sketching.attacks import RandomUpdates as RandomUpdates
    from disttrack.privacy.adversaries.sketching.attacks import ResetSampled as ResetSampled
    from disttrack.privacy.adversaries.sketching.attacks import TailAttack as TailAttack
    from disttrack.privacy.adversaries.sketching.attacks import UnsortedItems as UnsortedItems
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
