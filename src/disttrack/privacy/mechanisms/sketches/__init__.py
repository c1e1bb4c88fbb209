"""Sketches of streams: second moments, distinct items, frequencies, sums; robust forms; those of a library."""
