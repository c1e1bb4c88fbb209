"""Protocols in rounds: forward every item at first, then count signals, then poll."""
