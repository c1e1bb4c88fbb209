"""Duels of sketches: second moments, distinct items and frequencies, against streams that may react."""
