"""Searches for the worst adversary or the worst faults of a network, and the exact value of tiny games."""
