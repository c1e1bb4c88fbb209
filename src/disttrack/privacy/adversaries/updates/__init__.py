"""Adversaries of games on data sets: insertions, deletions, and the live items."""
