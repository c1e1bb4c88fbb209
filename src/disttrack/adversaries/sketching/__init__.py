"""Adversaries of sketches, which choose the updates of a stream: fixed streams, attacks and their controls."""

import typing

from disttrack.adversaries.sketching.attacks import AmsAttack as AmsAttack
from disttrack.adversaries.sketching.attacks import CoverAttack as CoverAttack
from disttrack.adversaries.sketching.attacks import QuietItems as QuietItems
from disttrack.adversaries.sketching.attacks import RandomTails as RandomTails
from disttrack.adversaries.sketching.attacks import RandomUpdates as RandomUpdates
from disttrack.adversaries.sketching.attacks import TailAttack as TailAttack
from disttrack.adversaries.sketching.attacks import UnsortedItems as UnsortedItems
from disttrack.adversaries.sketching.base import Attacker as Attacker
from disttrack.adversaries.sketching.base import ObliviousStream as ObliviousStream
from disttrack.adversaries.sketching.base import StreamView as StreamView
from disttrack.adversaries.sketching.resets import BlindResets as BlindResets
from disttrack.adversaries.sketching.resets import ResetSampled as ResetSampled
from disttrack.adversaries.sketching.streams import FlipFlop as FlipFlop
from disttrack.adversaries.sketching.streams import FreshItems as FreshItems
from disttrack.adversaries.sketching.streams import RandomItems as RandomItems
from disttrack.mechanisms.sketches import RESET as RESET

if not typing.TYPE_CHECKING:  # type checkers read the imports above
    __all__ = [name for name in vars() if name[0].isupper()]
