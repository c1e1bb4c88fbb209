"""Protocols in which each item is reported with a probability, alone or in many copies."""
