"""The counts of a random stream by site and time, as pure functions on arrays: written to be compiled.

Time is a binary tree: a node is an interval of positions [i·2^l, (i+1)·2^l), its halves are the nodes below it, and the
roots are the *blocks* [2^l, 2^(l+1)). Sites are the leaves of a binary tree of sites, in the layout of a heap. The
items of a block go down the tree of sites by binomial draws. Given its counts by site, all orders of the items of a
node are equally likely, so the items of its earlier half go down the tree of sites by hypergeometric draws. Each draw
has the middle of the time node and the number of the site node as its place, so a count depends on the key of the
stream only, and not on what was asked before.

Some time nodes have the counts of all sites at hand, in a pool: those at which single sites were asked for more often
than the tree of sites is deep, since one split for all sites then takes less time. From there on the counts on the path
to one site are computed, and forgotten.
"""

from __future__ import annotations

from typing import Any, Final

from disttrack.mechanisms.keyed_draws import binomial, hypergeometric

Number = Any
Whole = Any
"""An array of whole numbers."""

KEY, HALF, DEPTH, USED = range(4)
"""Places of the header: the key, the number of leaves of the tree of sites, its depth, and the nodes in the pool."""
LEFT, VISITS = range(2)
"""Columns of `links`: the node of the earlier half in the pool, before that of the later one; -1 if there is none."""
SPREAD, NTH, COUNT, COUNTS, AT = range(5)
"""What `look` does."""
LEVELS: Final = 64


def look(
    head: Whole, pool: Whole, links: Whole, weights: Whole, work: Whole, counts: Whole,
    what: Number, node: Number, level: Number, site: Number, number: Number,
) -> Any:  # fmt: skip
    """Answer a question about the block [2^level, 2^(level + 1)).

    Parameters
    ----------
    pool, links
        Nodes with the counts of all nodes of the tree of sites, and what is known of each.
    weights
        The weights of all nodes of the tree of sites.
    work
        Two rows of memory, as long as those of the pool, and at least `LEVELS`.
    counts
        For `COUNTS`, the number of items of each site before the block, to which those in it are added.
    what
        `SPREAD`: draw the counts of the block into the pool. `NTH`: the position of the number-th item of the site, of
        which the block has as many. `COUNT`: the items of the site in the block before the position `number`.
        `COUNTS`: the same for all sites. `AT`: the site of the item at the position `number`.
    node
        The place of the block in the pool.
    """
    start = 1 << level
    if what == SPREAD:
        return spread(head, pool, weights, node, start)
    half, leaf, got = head[HALF], head[HALF] + site, 0
    while level > 0 and (what in (NTH, AT) or start < number):
        left = halves(head, pool, links, node, start, level, what == COUNTS)
        if left < 0:
            break
        level -= 1
        earlier = pool[left, leaf]
        if number <= earlier if what == NTH else number < start + (1 << level):
            node = left
            continue
        node, start = left + 1, start + (1 << level)
        if what == NTH:
            number -= earlier
        elif what == COUNTS:
            for place in range(len(counts)):
                counts[place] += pool[left, half + place]
        got += earlier
    if what == AT:
        return fed_at(head, pool, work, node, start, level, number)
    if what == COUNTS:
        return count_all(head, pool, work, counts, node, start, level, number)
    return on_path(head, pool, work, what, node, start, level, leaf, number, got)


def spread(head: Whole, pool: Whole, weights: Whole, node: Number, start: Number) -> int:
    """Draw the counts of a block, which has as many items as came before it."""
    pool[node, 1] = start
    for part in range(1, head[HALF]):
        items = pool[node, part]
        left = binomial(head[KEY], start, part, items, weights[2 * part], weights[part])
        pool[node, 2 * part], pool[node, 2 * part + 1] = left, items - left
    return 0


def halves(
    head: Whole, pool: Whole, links: Whole, node: Number, start: Number, level: Number, wanted: Number
) -> Any:  # fmt: skip
    """Return the place of a node's earlier half in the pool; -1 if it is not there, and not to be made."""
    if links[node, LEFT] >= 0:
        return links[node, LEFT]
    links[node, VISITS] += 1
    left = head[USED]
    if left + 2 > len(pool) or (links[node, VISITS] <= head[DEPTH] and not wanted):
        return -1
    head[USED] += 2
    items = 1 << (level - 1)
    pool[left, 1], pool[left + 1, 1] = items, items
    for part in range(1, head[HALF]):
        one, other = pool[node, 2 * part], pool[node, 2 * part + 1]
        drawn = hypergeometric(head[KEY], start + items, part, one, other, pool[left, part])
        pool[left, 2 * part], pool[left, 2 * part + 1] = drawn, pool[left, part] - drawn
        pool[left + 1, 2 * part] = one - drawn
        pool[left + 1, 2 * part + 1] = other - (pool[left, part] - drawn)
    for place in range(left, left + 2):
        links[place, LEFT], links[place, VISITS] = -1, 0
    links[node, LEFT] = left
    return left


def on_path(
    head: Whole, pool: Whole, work: Whole, what: Number, node: Number, start: Number, level: Number, leaf: Number,
    number: Number, got: Number,
) -> Any:  # fmt: skip
    """Return the position of an item of a site in a node, or the items in it before a position and `got` others."""
    depth = head[DEPTH]
    for place in range(depth + 1):
        work[0, place] = pool[node, leaf >> (depth - place)]
    while level > 0 and (what == NTH or (start < number and work[0, depth] > 0)):
        level -= 1
        middle = start + (1 << level)
        split_path(head, work, leaf, middle, 1 << level)
        earlier = work[1, depth]
        if number <= earlier if what == NTH else number < middle:
            for place in range(depth + 1):
                work[0, place] = work[1, place]
            continue
        start = middle
        for place in range(depth + 1):
            work[0, place] -= work[1, place]
        if what == NTH:
            number -= earlier
        got += earlier
    return start if what == NTH else got


def split_path(head: Whole, work: Whole, leaf: Number, middle: Number, items: Number) -> None:
    """Compute the counts of the earlier half of a node on the path to a site, from those of the node."""
    depth = head[DEPTH]
    work[1, 0] = items
    for place in range(depth):
        part, child = leaf >> (depth - place), leaf >> (depth - place - 1)
        ours, drawn = work[0, place + 1], work[1, place]
        if ours == 0 or drawn == 0:
            work[1, place + 1] = 0
        elif child & 1:
            drawn -= hypergeometric(head[KEY], middle, part, work[0, place] - ours, ours, drawn)
            work[1, place + 1] = drawn
        else:
            work[1, place + 1] = hypergeometric(head[KEY], middle, part, ours, work[0, place] - ours, drawn)


def count_all(
    head: Whole, pool: Whole, work: Whole, counts: Whole, node: Number, start: Number, level: Number, until: Number
) -> int:  # fmt: skip
    """Add the items of all sites in a node before a position."""
    half = head[HALF]
    for part in range(1, 2 * half):
        work[0, part] = pool[node, part]
    while level > 0 and start < until:
        level -= 1
        middle = start + (1 << level)
        work[1, 1] = 1 << level
        for part in range(1, half):
            drawn = hypergeometric(
                head[KEY], middle, part, work[0, 2 * part], work[0, 2 * part + 1], work[1, part]
            )  # fmt: skip
            work[1, 2 * part], work[1, 2 * part + 1] = drawn, work[1, part] - drawn
        if until < middle:
            for part in range(1, 2 * half):
                work[0, part] = work[1, part]
            continue
        start = middle
        for part in range(1, 2 * half):
            work[0, part] -= work[1, part]
        for place in range(len(counts)):
            counts[place] += work[1, half + place]
    return 0


def fed_at(
    head: Whole, pool: Whole, work: Whole, node: Number, start: Number, level: Number, position: Number
) -> Any:  # fmt: skip
    """Return the site of the item at a position of a node.

    The counts of one node of the tree of sites, at all time nodes down to the position, give those of its child.
    """
    for place in range(level + 1):
        work[0, place] = 1 << place
    part = 1
    while part < head[HALF]:
        work[1, level] = pool[node, 2 * part]
        for place in range(level, 0, -1):
            middle = (position >> place << place) + (1 << (place - 1))
            one, both, later = work[1, place], work[0, place], position >= middle
            earlier = both - work[0, place - 1] if later else work[0, place - 1]
            drawn = hypergeometric(head[KEY], middle, part, one, both - one, earlier)
            work[1, place - 1] = one - drawn if later else drawn
        part *= 2
        if work[1, 0]:
            for place in range(level + 1):
                work[0, place] = work[1, place]
        else:
            part += 1
            for place in range(level + 1):
                work[0, place] -= work[1, place]
    return part - head[HALF]
