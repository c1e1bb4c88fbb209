"""What the outputs of `randomized` tell, by going through every outcome of its coins: slow, and plainly right.

Written from the definition alone (papers, sections 3.1 to 3.4), with a coin for each item in its turn. The sites' last
reports are followed together, for each history of the outputs apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from math import sqrt
from typing import NamedTuple

Reports = tuple[int, ...]
"""The item that each site reported last, 0 for none."""


class Told(NamedTuple):
    """What one history of outputs tells: its probability, and each site's expected error and variance given it."""

    probability: float
    errors: list[float]
    variances: list[float]


def inverse_p(spread: float, k: int, known: int) -> int:
    """The largest power of two not above spread · known / sqrt k, at least 1."""
    inverse = 1
    while 2 * inverse <= int(spread * known / sqrt(k)):
        inverse *= 2
    return inverse


def redrawn(last: int, before: int, inverse: int) -> dict[int, float]:
    """Kept with probability before / inverse; else step back, and stop where a coin of the new p succeeds."""
    if not last:
        return {0: 1.0}
    kept = before / inverse
    found, left = {last: kept}, 1 - kept
    for item in range(last - 1, 0, -1):
        found[item] = left / inverse
        left -= found[item]
    found[0] = left
    return found


def told(spread: float, k: int, moves: Sequence[int], start: int = 0) -> dict[tuple[int, ...], Told]:
    """Return what each history of the outputs tells after these moves, an item each."""
    share, rest = divmod(start, k)
    begun = [share + (site < rest) for site in range(k)]
    counts, doubled, known = [0] * k, list(begun), start
    inverse = inverse_p(spread, k, known)
    histories: dict[tuple[int, ...], dict[Reports, float]] = {(): {(0,) * k: 1.0}}
    for site in moves:
        counts[site] += 1
        before = inverse
        if begun[site] + counts[site] >= max(1, 2 * doubled[site]):
            doubled[site] = begun[site] + counts[site]
            if sum(doubled) >= max(1, 2 * known):
                known = sum(doubled)
                inverse = inverse_p(spread, k, known)
        following: dict[tuple[int, ...], dict[Reports, float]] = defaultdict(lambda: defaultdict(float))
        for history, reports in histories.items():
            for lasts, chance in _after_item(reports, site, counts[site], before, inverse).items():
                output = start + sum(last - 1 + inverse for last in lasts if last)
                following[*history, output][lasts] += chance
        histories = following
    return {history: _summed(reports, counts, inverse) for history, reports in histories.items()}


def _after_item(reports: dict[Reports, float], site: int, item: int, before: int, inverse: int) -> dict[Reports, float]:
    tossed: dict[Reports, float] = defaultdict(float)
    for lasts, chance in reports.items():
        tossed[*lasts[:site], item, *lasts[site + 1 :]] += chance / before
        if before > 1:
            tossed[lasts] += chance * (1 - 1 / before)
    if inverse == before:
        return tossed
    found: dict[Reports, float] = defaultdict(float)
    for lasts, chance in tossed.items():
        for ways in product(*(redrawn(last, before, inverse).items() for last in lasts)):
            probability = chance
            for _, way in ways:
                probability *= way
            found[tuple(last for last, _ in ways)] += probability
    return found


def _summed(reports: dict[Reports, float], counts: list[int], inverse: int) -> Told:
    probability = sum(reports.values())
    errors, squares = [0.0] * len(counts), [0.0] * len(counts)
    for lasts, chance in reports.items():
        for site, last in enumerate(lasts):
            error = (last - 1 + inverse if last else 0) - counts[site]
            errors[site] += chance / probability * error
            squares[site] += chance / probability * error * error
    return Told(probability, errors, [square - error**2 for square, error in zip(squares, errors, strict=True)])
