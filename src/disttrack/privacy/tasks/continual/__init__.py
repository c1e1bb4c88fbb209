"""Duels with a clock and one curator: private counters, threshold monitors, threshold queries, experts.

In all of them `items` is the number of steps, in scenarios and in result tables; an adversary that skips
steps sends fewer, and the column `sent` is their number.
"""
