"""Sketches as arrays: many moves at once, by plain functions that are written to be compiled.

The numbers are those of the runs, which share the arithmetic: hashes, ranks, places of counters, and estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches.base import Whole
from disttrack.privacy.mechanisms.sketches.estimates import estimate_of, estimate_of_least, place_and_sign, rank_of
from disttrack.privacy.mechanisms.sketches.hashes import EIGHT, DenseSigns, mixed

MOST: Final = 1 << 31
"""Limit of a change: below as many updates no counter is too large for 64 bits."""


class SketchForm:
    """A fresh sketch as arrays.

    Parameters
    ----------
    kernel
        The function that makes moves: it takes them, a row of item and change each, room for the estimate after each,
        and the three arrays; it returns the number of moves that it has made, up to one that it refuses.
    keys
        Keys of hash functions, and other whole numbers without a sign.
    whole
        Counters and other whole numbers.
    real
        Real numbers.
    """

    def __init__(self, kernel: Callable[..., int], keys: Sequence[int], whole: Whole, real: Sequence[float]) -> None:
        self.kernel = kernel
        self._arrays = np.array(keys, dtype=np.uint64), whole, np.array(real, dtype=np.float64)

    def release(self, compiled: Callable[..., int], updates: Whole) -> Floats:
        """Make moves by the compiled form of the kernel, up to one that it refuses; return the estimate after each."""
        outputs = np.empty(len(updates))
        return outputs[: compiled(updates, outputs, *self._arrays)]

    def react(self, compiled: Callable[..., int], moves: Whole, rule: Sequence[Any]) -> tuple[int, Floats]:
        """Make the moves that a rule chooses, by the compiled form of `react`; return how many, and the estimates.

        Parameters
        ----------
        moves
            Takes the moves; the first one after those that are made was refused, or there is none.
        rule
            The arrays of the rule.
        """
        outputs, made = np.empty(len(moves)), 0
        while True:
            made += compiled(moves[made:], outputs[made:], *rule, *self._arrays)
            if made == len(moves) or not self.prepare(int(moves[made, 0])):
                return made, outputs

    def prepare(self, item: int) -> bool:
        """Make room for a refused item; return whether there was none before."""
        return False


def types(numba: Any) -> Any:
    """Return the types of a kernel's arguments."""
    whole, real = numba.int64, numba.float64
    return whole[:, ::1], real[::1], numba.uint64[::1], whole[::1], real[::1]


# ---- HyperLogLog: `keys` has the key, the number of bits that give the rank, and the first of them; `whole` the ranks,
# then the empty registers; `real` the sum of 2^-rank and the estimate


def hyperloglog(key: int, registers: int, width: int) -> SketchForm:
    """Return HyperLogLog as arrays; `width` bits of a hash value give the rank."""
    whole = np.zeros(registers + 1, dtype=np.int64)
    whole[registers] = registers
    return SketchForm(hyperloglog_moves, [key, width, 1 << (width - 1)], whole, [registers, 0.0])


def hyperloglog_moves(updates: Any, outputs: Any, keys: Any, whole: Any, real: Any) -> int:
    """Make moves of HyperLogLog."""
    registers = len(whole) - 1
    for number in range(len(updates)):
        if updates[number, 0] < 0:
            whole[:registers], whole[registers] = 0, registers
            real[0], real[1] = registers, 0.0
        elif updates[number, 1] < 1:
            return number
        else:
            bits = mixed(np.uint64(updates[number, 0]), keys[0])
            register, rank = np.int64(bits >> keys[1]), rank_of(bits, keys[2])
            before = whole[register]
            if rank > before:
                whole[register] = rank
                whole[registers] -= before == 0
                real[0] += 2.0**-rank - 2.0**-before
                real[1] = estimate_of(registers, real[0], whole[registers])
        outputs[number] = real[1]
    return len(updates)


# ---- KMV: `keys` has the key, the least hash values, sorted, and as much room, `whole` their number


def kmv(key: int, size: int) -> SketchForm:
    """Return the k least hash values as arrays."""
    return SketchForm(kmv_moves, [key] + [0] * (2 * size), np.zeros(1, dtype=np.int64), [0.0])


def kmv_moves(updates: Any, outputs: Any, keys: Any, whole: Any, real: Any) -> int:
    """Make moves of the k least hash values."""
    size = len(keys) // 2
    least, room = keys[1 : size + 1], keys[size + 1 :]
    for number in range(len(updates)):
        if updates[number, 0] < 0:
            whole[0], real[0] = 0, 0.0
        elif updates[number, 1] < 1:
            return number
        else:
            bits, kept = mixed(np.uint64(updates[number, 0]), keys[0]), whole[0]
            if kept < size or bits < least[size - 1]:
                place = np.searchsorted(least[:kept], bits)
                if place == kept or least[place] != bits:
                    last = min(kept, size - 1)
                    moved = least[place:last]  # by way of the room: two loops that run over several at a time
                    for other in range(len(moved)):
                        room[other] = moved[other]
                    moved = least[place + 1 : last + 1]
                    for other in range(len(moved)):
                        moved[other] = room[other]
                    least[place] = bits
                    whole[0] = last + 1
                    real[0] = last + 1
                    if last + 1 == size:
                        real[0] = estimate_of_least(size, float(least[size - 1] + np.uint64(1)))
        outputs[number] = real[0]
    return len(updates)


# ---- AMS rows of dense signs, for items that come in order: `keys` has groups, rows of each, items per block of signs,
# and the eight signs of each byte; `whole` the place of the block that was loaded last, the blocks, the room of narrow
# counters, the item whose signs are spread out, the counters, these signs, a byte each, 0 for + and -1 for -, and the
# signs of the blocks, eight in a byte; `real` the squares of the groups, and room to sort them

BLOCKS, KEPT = 1, 2
"""The place of the blocks' numbers, and how many blocks there are."""
ROOM, SPREAD, COUNTERS = range(BLOCKS + KEPT, BLOCKS + KEPT + 3)
"""The places of what changes may add up to while counters, and their sums, have 32 bits (below 0 they have 64), of the
item whose signs are spread out, and of the counters."""
EIGHTS: Final = 3
"""The place of the signs of bytes."""
NARROW: Final = (1 << 31) - 1
"""The largest sum of counters of 32 bits."""


class AmsForm(SketchForm):
    """AMS rows as arrays, with the signs of two blocks of items.

    Parameters
    ----------
    groups, rows
        Groups, and rows of each.
    signs
        Signs of all rows.
    """

    def __init__(self, groups: int, rows: int, signs: DenseSigns) -> None:
        self._signs, entries = signs, groups * rows
        loaded = COUNTERS + entries + entries // 8 + 2
        whole = np.zeros(loaded + KEPT * -(-signs.size * entries // 64), dtype=np.int64)
        whole[BLOCKS : BLOCKS + KEPT], whole[ROOM], whole[SPREAD] = -1, NARROW // rows, -1
        eights = (EIGHT - np.uint8(1)).view(np.uint64).ravel().tolist()
        super().__init__(ams_moves, [groups, rows, signs.size, *eights], whole, [0.0] * (2 * groups))
        self._loaded = whole[loaded:].view(np.uint8).reshape(KEPT, -1)

    def prepare(self, item: int) -> bool:
        whole, block = self._arrays[1], item // self._signs.size
        if block in whole[BLOCKS : BLOCKS + KEPT]:
            return False
        whole[0] = place = 1 - whole[0]
        whole[BLOCKS + place] = block
        octets = self._signs.octets(block)
        self._loaded[place, : len(octets)] = octets
        return True


def ams_moves(updates: Any, outputs: Any, keys: Any, whole: Any, real: Any) -> int:
    """Make moves of the AMS sketch."""
    groups, rows, size = np.int64(keys[0]), np.int64(keys[1]), np.int64(keys[2])
    entries = groups * rows
    wide, ordered, room = whole[COUNTERS:][:entries], real[groups:], entries // 8 + 2
    narrow, words = wide.view(np.int32)[:entries], whole[COUNTERS + entries :][:room]
    loaded, spread = whole[COUNTERS + entries + room :].view(np.uint8), words.view(np.int8)
    for number in range(len(updates)):
        item, change = updates[number, 0], updates[number, 1]
        if item < 0:
            wide[:], real[:], outputs[number] = 0, 0.0, 0.0
            whole[ROOM] = NARROW // rows
            continue
        place = 0 if whole[BLOCKS] == item // size else 1
        if whole[BLOCKS + place] != item // size or abs(change) > MOST:
            return number
        if whole[ROOM] >= 0:
            whole[ROOM] -= abs(change)
            if whole[ROOM] < 0:
                whole[ROOM] = NARROW // rows - largest(narrow) - abs(change)
            if whole[ROOM] < 0:
                widen(wide, narrow)
        begun = entries * (item % size)
        if whole[SPREAD] != item:
            whole[SPREAD], octets = item, loaded[len(loaded) // KEPT * place + begun // 8 :]
            for octet in range((begun % 8 + entries + 7) // 8):
                words[octet] = np.int64(keys[EIGHTS + np.int64(octets[octet])])
        for group in range(groups):
            # loops from 0 over parts: several rows at a time
            signs = spread[begun % 8 + group * rows :][:rows]
            if whole[ROOM] >= 0:
                dot = add_column(narrow[group * rows :][:rows], signs, change)
            else:
                dot = add_column(wide[group * rows :][:rows], signs, change)
            real[group] += change * (2.0 * dot + change * rows)
            other = group
            while other > 0 and ordered[other - 1] > real[group]:
                ordered[other] = ordered[other - 1]
                other -= 1
            ordered[other] = real[group]
        outputs[number] = ordered[groups // 2] / rows
    return len(updates)


def add_column(counters: Any, signs: Any, change: Any) -> Any:
    """Add a change to counters, by their signs; return the product of signs and counters before.

    All numbers have as many bits as the counters: with half of them, twice as many rows are added at a time.
    """
    own = counters.dtype.type
    changed, dot = own(change), own(0)
    for row in range(len(counters)):
        sign, counter = own(signs[row]), counters[row]
        dot = own(dot + own(own(counter ^ sign) - sign))
        counters[row] = own(counter + own(own(changed ^ sign) - sign))
    return np.int64(dot)


def largest(counters: Any) -> Any:
    """Return the largest absolute value of counters."""
    most = 0
    for row in range(len(counters)):
        most = max(most, abs(counters[row]))
    return most


def widen(wide: Any, narrow: Any) -> Any:
    """Store counters of 32 bits with 64, in the same memory: the last ones first."""
    for row in range(len(wide) - 1, -1, -1):
        wide[row] = narrow[row]


# ---- rows of counters: `keys` has the width and the key of each row, `whole` the counters, then the target's places,
# its signs, and room for its counts


def counter_rows(kernel: Callable[..., int], keys: Sequence[int], width: int, target: Any) -> SketchForm:
    """Return rows of counters as arrays; `target` is the place and the sign of the target in each row."""
    depth = len(keys)
    whole = np.zeros(depth * (width + 3), dtype=np.int64)
    whole[depth * width : depth * (width + 2)] = [*(place for place, _ in target), *(sign for _, sign in target)]
    return SketchForm(kernel, [width, *keys], whole, [0.0])


def count_min_moves(updates: Any, outputs: Any, keys: Any, whole: Any, real: Any) -> int:
    """Make moves of the count-min sketch."""
    depth, width = len(keys) - 1, np.int64(keys[0])
    for number in range(len(updates)):
        item, change = updates[number]
        if item < 0 or abs(change) > MOST:
            return number
        for row in range(depth):
            place = np.int64(mixed(np.uint64(item), keys[row + 1]) % keys[0])
            whole[row * width + place] += change
        least = whole[whole[depth * width]]
        for row in range(1, depth):
            least = min(least, whole[row * width + whole[depth * width + row]])
        outputs[number] = least
    return len(updates)


def count_sketch_moves(updates: Any, outputs: Any, keys: Any, whole: Any, real: Any) -> int:
    """Make moves of CountSketch."""
    depth, width = len(keys) - 1, np.int64(keys[0])
    target = depth * width
    counts = whole[target + 2 * depth :]
    for number in range(len(updates)):
        item, change = updates[number]
        if item < 0 or abs(change) > MOST:
            return number
        for row in range(depth):
            place, sign = place_and_sign(mixed(np.uint64(item), keys[row + 1]), keys[0])
            whole[row * width + np.int64(place)] += sign * change
            count = whole[target + depth + row] * whole[row * width + whole[target + row]]
            other = row
            while other > 0 and counts[other - 1] > count:
                counts[other] = counts[other - 1]
                other -= 1
            counts[other] = count
        outputs[number] = counts[depth // 2]
    return len(updates)
