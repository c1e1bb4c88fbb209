"""Duels on data sets: an adversary inserts and deletes items, and a curator answers all queries of a family privately.

Task `static-queries` has one release at the end, `dynamic-queries` new ones during the game, which the adversary sees.
"""
